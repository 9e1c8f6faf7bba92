import Foundation
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Oversized or endless files, and a process that can open almost no files.
@Suite(.waitsForPrograms) struct LimitTests {
    /// Creates a sparse file of a given size.
    private func makeSparse(_ path: String, byteCount: Int) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0)
        #expect(ftruncate(file, off_t(byteCount)) == 0)
        close(file)
    }

    @Test func `A manifest of 40 GB is rejected immediately`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            let manifest = try #require(try place.names(in: "app.db").first { $0.hasPrefix("MANIFEST") })
            let path = place.path + "/app.db/" + manifest
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            #expect(unsafe truncate(path, 40 << 30) == 0)
            // A command that takes four seconds of processor time is killed. Other programs do not add to that time.
            let limit = "ulimit -t 4; "
            for command in ["count app.db", "snapshot app.db copy", "repair app.db --dry-run"] {
                let outcome = try place.shell(limit + "lkrepl " + command)
                #expect(outcome.code == 65 && outcome.says(manifest), "\(command): \(outcome)")
            }
            for command in ["manifest app.db", "levels app.db"] {
                let outcome = try place.shell(limit + "lkrepl " + command)
                #expect(outcome.says("more than a manifest can have"), "\(command): \(outcome)")
            }
            #expect(unsafe truncate(path, off_t(size)) == 0)
            #expect(try place.run("verify", "app.db").code == 0)
        }
    }

    @Test func `An endless schema file is rejected`() throws {
        try Workplace.with { place in
            for arguments in [["init", "x.store", "--schema", "/dev/zero"]] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65 && outcome.says("/dev/zero is larger than 16.8 MB"), "\(outcome)")
            }
            try place.makeItems()
            let outcome = try place.run("migrate", "--write", "items.store", "/dev/zero")
            #expect(outcome.code == 65 && outcome.says("larger than"), "\(outcome)")
        }
    }

    @Test func `The end of a 3 GB history is read, and the rest is dropped`() throws {
        let place = try Workplace()
        let path = place.path + "/history"
        try makeSparse(path, byteCount: 3 << 30)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\nfind a\nfind b\n".utf8))
        try file.close()
        #expect(HistoryFile(path: path).entries == ["find a", "find b"])
        #expect(try place.read("history").count == 14)
    }

    @Test(arguments: ["config", "rc"])
    func `A pipe in place of a configuration file does not block the shell`(name: String) throws {
        try Workplace.with { place in
            try place.makeDatabase()
            try FileManager.default.createDirectory(
                atPath: place.path + "/.run-own/lkrepl", withIntermediateDirectories: true)
            #expect(unsafe mkfifo(place.path + "/.run-own/lkrepl/" + name, 0o600) == 0)
            let terminal = try TerminalSession(
                ["app.db"], in: place, environment: ["TERM": "dumb", "XDG_CONFIG_HOME": place.path + "/.run-own"])
            try terminal.expect("is not a regular file")
            try terminal.type("\u{4}")
            _ = try terminal.end()
        }
    }

    @Test(arguments: [6, 9, 10, 12, 14, 16])
    func `Too few file descriptors cause a clear error, not a crash`(limit: Int) throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let outcome = try place.shell("ulimit -n \(limit); lkrepl count app.db")
            #expect(outcome.code == 74 && outcome.says("ulimit -n"), "\(outcome)")
            // A limit that can be raised is raised.
            #expect(try place.shell("ulimit -S -n \(limit); lkrepl count app.db").code == 0)
        }
    }

    @Test func `A crash in a terminal starts no debugger`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let terminal = try TerminalSession(["app.db"], in: place)
            try terminal.expect("app.db")
            usleep(200_000)
            #expect(kill(terminal.processID, SIGILL) == 0)
            #expect(try terminal.end() == 128 + SIGILL)
            #expect(!terminal.transcript.contains("***") && !terminal.transcript.contains("Backtrac"))
        }
    }

    @Test(.enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
    func `A directory name cannot become an exiftool option`() throws {
        try Workplace.with { place in
            try place.makeItems()
            // A picture of a single pixel.
            let picture = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
            for name in [" -ver", "-ver", "#x", "\t-b", "\u{b}-b"] {
                try FileManager.default.createDirectory(
                    atPath: place.path + "/" + name, withIntermediateDirectories: false)
                try place.write(Array(try #require(Data(base64Encoded: picture))), to: name + "/a.gif")
                let outcome = try place.run(
                    "import", "--write", "items.store", "items", "--photos=" + name, "--key", "SourceFile")
                #expect(outcome.code == 0 && outcome.says("read 1 "), "\(name): \(outcome)")
            }
        }
    }
}
