import Foundation
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database that another process has open for writing.
@Suite(.waitsForPrograms) struct `Live database` {
    /// The fixture that writes, next to the `lkrepl` of this build.
    private static let writer = URL(filePath: Binary.built).deletingLastPathComponent().appending(
        path: "levelkit-writer"
    ).path

    private struct Writer {
        let process = Process()
        let input = Pipe()
        let output = Pipe()

        init(_ database: String) throws {
            process.executableURL = URL(filePath: `Live database`.writer)
            process.arguments = [database]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            try #require(line.hasPrefix("open\n"), "\(line)")
            while try Manifest(ofDatabaseAt: database).tables.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
        }

        /// Stops the writer; returns the number of operations that it performed.
        func stop() throws -> UInt64 {
            try input.fileHandleForWriting.close()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return try #require(UInt64(text.filter(\.isNumber)))
        }
    }

    /// Every read of a database while it is written shows a point in its history; the writer is not affected.
    @Test func `A live database is readable again and again without affecting the writer`() throws {
        // The writer never pauses: a separate database for each series keeps the amount of data read roughly constant.
        for _ in 0..<TestRun.rounds(1, long: 20) { try readAgainAndAgain() }
    }

    private func readAgainAndAgain() throws {
        try Workplace.with(isVerified: false) { place in
            let path = place.path + "/live.db"
            let temporary = place.path + "/.run-tmp"
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let writer = try Writer(path)
            let id = "\(writer.process.processIdentifier)"
            var lastCount: UInt64 = 0
            for round in 0..<50 {
                // Everything the command reads is compared with what the writer can have written.
                let kept = round % 10 == 0
                let outcome = try place.run(
                    kept ? ["snapshot", "live.db", "kept"] : ["count", "live.db"], environment: ["TMPDIR": temporary])
                #expect(outcome.code == 0, "\(outcome)")
                #expect(outcome.error.contains(id), "\(outcome)")
                #expect(kept || outcome.error.contains("; reading it as of "), "\(outcome)")
                #expect(writer.process.isRunning)
                guard kept else { continue }
                let database = try Database.open(at: place.path + "/kept")
                let count = try #require(try WriterHistory.prefix(of: database), "no prefix of the writer's history")
                #expect(count >= lastCount)
                lastCount = count
                try database.close()
                try place.remove("kept")
            }
            for arguments in [
                ["verify", "live.db", "-q"], ["versions", "live.db", "key/1000000"], ["levels", "live.db"],
                ["wal", "live.db"], ["sst", "live.db"], ["stats", "live.db"], ["tree", "live.db"],
            ] {
                let outcome = try place.run(arguments, environment: ["TMPDIR": temporary])
                #expect([0, 1, 75].contains(outcome.code), "\(arguments): \(outcome)")
            }
            let total = try writer.stop()
            #expect(lastCount > 0 && lastCount <= total)
            let database = try Database.open(at: path)
            #expect(try WriterHistory.prefix(of: database) == total)
            try database.close()
            #expect(try place.run("verify", "live.db", "--deep").code == 0)
            #expect(try place.names() == ["live.db"], "no checkpoint is left")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty, "no checkpoint is left")
        }
    }

    /// A backup on a read-only disk, or the database of another user. Root runs this as nobody.
    @Test(.enabled(if: geteuid() != 0 || Installed.has("setpriv"), Installed.absence(of: "setpriv")))
    func `A database without write permission is readable, and writes are rejected`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "k", "v").code == 0)
            var program = Binary.path
            var prefix: [String] = []
            var environment: [String: String] = [:]
            if geteuid() == 0 {
                let tool = try #require(Installed.path(of: "setpriv"))
                // The toolchain and the build may lie where nobody else has access, so the program is copied with its
                // libraries. By another process: a child started concurrently by another test would hold the copy open
                // for writing.
                let copied = try place.shell(
                    """
                    set -e
                    mkdir libraries
                    cp '\(program.replacing("'", with: "'\\''"))' lkrepl
                    ldd lkrepl | while read -r name arrow library address; do
                        case $library in /lib/* | /usr/lib/*) ;; /*) cp "$library" libraries ;; esac
                    done
                    chmod -R a+rX lkrepl libraries
                    """)
                #expect(copied.code == 0, "\(copied)")
                prefix = ["--reuid=65534", "--regid=65534", "--clear-groups", place.path + "/lkrepl"]
                program = tool
                environment["LD_LIBRARY_PATH"] = place.path + "/libraries"
            }
            let prepared = try place.shell(
                "chmod 755 . && chmod a+r app.db/* && chmod a-w app.db/* app.db && chmod a+x app.db")
            #expect(prepared.code == 0, "\(prepared)")
            defer { _ = try? place.shell("chmod u+w app.db app.db/*") }
            func run(_ arguments: [String]) throws -> Outcome {
                try place.run(
                    program: program, (prefix + arguments).map { Array($0.utf8) }, environment: environment)
            }
            func run(_ arguments: String...) throws -> Outcome { try run(arguments) }
            let started = try run("--version")
            try #require(started.code == 0, "who may not write to the database cannot start the program: \(started)")
            let value = try run("get", "app.db", "k")
            #expect(value.code == 0 && value.output == "v\n", "\(value)")
            #expect(value.error == "", "\(value)")
            #expect(try run("app.db", "-q", "-c", "count").output == "1\n")
            for arguments in [
                ["put", "--write", "app.db", "k", "w"], ["app.db", "-c", "put --write k w"],
                ["repair", "--write", "app.db", "--confirm", "app.db"], ["compact", "--write", "--yes", "app.db"],
            ] {
                let refused = try run(arguments)
                #expect(refused.code == 77 && refused.output == "", "\(arguments): \(refused)")
            }
        }
    }

    /// Nothing is created, renamed, changed or deleted while the other process works.
    @Test func `No reading command changes a live database`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "k", "v").code == 0)
            let holder = try TerminalSession(["app.db", "-q", "--write"], in: place)
            try holder.expect("app.db rw!> ")
            func state() throws -> [String] {
                try place.names(in: "app.db").map { name in
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(place.path)/app.db/\(name)")
                    return
                        "\(name) \(attributes[.systemFileNumber]!) \(attributes[.size]!) \(attributes[.modificationDate]!)"
                }
            }
            let before = try state()
            for arguments in [
                ["get", "app.db", "k"], ["mget", "app.db", "k"], ["scan", "app.db"], ["keys", "app.db"],
                ["values", "app.db"],
                ["count", "app.db"], ["first", "app.db"], ["last", "app.db"], ["seek", "app.db", "k"],
                ["tree", "app.db"],
                ["bigkeys", "app.db"], ["approx-size", "app.db"], ["stats", "app.db"], ["properties", "app.db"],
                ["levels", "app.db"], ["sst", "app.db"], ["wal", "app.db"], ["manifest", "app.db"],
                ["versions", "app.db", "k"],
                ["verify", "app.db"], ["verify", "app.db", "--deep"], ["digest", "app.db"],
                ["diff", "app.db", "app.db"],
                ["dump", "app.db"], ["app.db", "-c", "get k; .refresh; count"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                #expect(try state() == before, "\(arguments)")
            }
            for arguments in [
                ["put", "--write", "app.db", "k", "w"], ["del", "--write", "app.db", "k"],
                ["delrange", "--write", "-y", "app.db", "--prefix", "k"], ["compact", "--write", "-y", "app.db"],
                ["repair", "--write", "app.db", "--confirm", "app.db"],
                ["destroy", "--write", "app.db", "--confirm", "app.db"],
                ["--write", "app.db", "-c", "count"], ["app.db", "-c", ".write on"],
                ["put", "--write", "--wait", "0.1", "app.db", "k", "w"],
            ] {
                let outcome = try place.run(arguments)
                #expect(
                    outcome.code == 75 && outcome.error.contains(" \(holder.processID)")
                        && outcome.says("--wait SECONDS"), "\(arguments): \(outcome)")
                #expect(try state() == before, "\(arguments)")
            }
            let waiting = try place.start("put", "--write", "--wait", "600", "app.db", "k", "w", name: "waiting")
            try holder.type("quit\n")
            #expect(try holder.end() == 0)
            #expect(try waiting.wait() == 0)
            #expect(try place.run("get", "app.db", "k").output == "w\n")
        }
    }

    @Test func `The prompt shows the age of the data once another process has written`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            let holder = try TerminalSession(["app.db", "-q", "--write"], in: place)
            try holder.expect("app.db rw!> ")
            let reader = try TerminalSession(["app.db", "-q"], in: place)
            try reader.expect("app.db ro> ")
            #expect(try reader.run("count", prompt: "app.db ro> ") == "0\r\n")
            #expect(try holder.run("put a 1", prompt: "app.db rw!> ") == "")
            try reader.type("count\n")
            #expect(try reader.expect(" old> ").contains("0\r\napp.db ro 0:"))
            _ = try reader.run(".refresh", prompt: "app.db ro> ")
            #expect(try reader.run("count", prompt: "app.db ro> ") == "1\r\n")
            for terminal in [reader, holder] {
                try terminal.type("quit\n")
                #expect(try terminal.end() == 0)
            }
        }
    }
}
