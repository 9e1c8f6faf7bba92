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

/// Attacks by another user of the machine. Tests run as one user, so the links belong to the same user. The requirement
/// is that their targets survive, because a system may not protect against other users' links in shared directories.
@Suite(.waitsForPrograms) struct SharedMachineTests {
    /// Creates a workplace with a dump, a world-writable directory, and files that must not be changed.
    private func attacked(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "k", "v").code == 0)
            try place.write(try place.dump("app.db"), to: "app.lk")
            for name in ["shared", "precious", "precious/inner"] {
                try FileManager.default.createDirectory(
                    atPath: place.path + "/" + name, withIntermediateDirectories: false)
            }
            #expect(unsafe chmod(place.path + "/shared", 0o1777) == 0)
            for name in Self.precious { try place.write("mine", to: "precious/" + name) }
            try body(place)
            #expect(try place.names(in: "precious") == (Self.precious + ["inner"]).sorted())
            for name in Self.precious { #expect(try place.read("precious/" + name) == Array("mine".utf8), "\(name)") }
        }
    }

    private static let precious = ["000003.log", "000005.ldb", "CURRENT", "LOG", "MANIFEST-000002", "letter.txt"]

    private func link(_ name: String, to target: String, in place: Workplace) throws {
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/" + name, withDestinationPath: place.path + "/" + target)
    }

    private func permissions(_ name: String, in place: Workplace) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: place.path + "/" + name)[.posixPermissions] as? Int)
    }

    @Test func `Directories planted as leftovers do not cause deletion of the victim's files`() throws {
        try attacked { place in
            for name in [".lkrepl-scratch-4194399-1", ".levelkit-scratch-aaaaaa", ".levelkit-reading-aaaaaa"] {
                let planted = "shared/" + name
                try FileManager.default.createDirectory(
                    atPath: place.path + "/" + planted, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                try place.write("", to: planted + "/scratch.lock")
                for inner in ["lost", "db", "db.before-repair-1"] {
                    try link(planted + "/" + inner, to: "precious", in: place)
                }
            }
            try link("shared/.lkrepl-scratch-4194398-1", to: "precious", in: place)
            for prefix in [".levelkit-scratch-", ".levelkit-reading-"] {
                try link("shared/\(prefix)bbbbbb", to: "precious", in: place)
                // A real leftover, to see that the command deletes such directories at all.
                try FileManager.default.createDirectory(
                    atPath: "\(place.path)/shared/\(prefix)cccccc", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            // This process has the database open, so the command reads a copy. A dry run writes to another copy.
            let database = try Database.open(at: place.path + "/app.db")
            let environment = ["TMPDIR": place.path + "/shared"]
            let reading = try place.run("stats", "app.db", environment: environment)
            #expect(reading.code == 0, "\(reading)")
            try database.close()
            let dryRun = try place.run("load", "--dry-run", "app.db", "app.lk", environment: environment)
            #expect(dryRun.code == 0, "\(dryRun)")
            for prefix in [".levelkit-scratch-", ".levelkit-reading-"] {
                #expect(!place.has("shared/\(prefix)cccccc"), "\(prefix)")
            }
        }
    }

    /// Whether this process can run a program in its own namespace of process IDs, as in a container.
    private static let canIsolateProcesses = unsafe system("unshare -p -f --mount-proc true > /dev/null 2>&1") == 0

    /// Where process IDs have another meaning, only the locks show which directories are in use.
    @Test(.enabled(if: canIsolateProcesses, "skipped: only root can run a program in another PID namespace"))
    func `A command in another PID namespace keeps the private directories of running processes`() throws {
        try attacked { place in
            // This process uses two private directories, and its ID does not exist where the commands run.
            let database = try Database.open(at: place.path + "/app.db", mode: .readOnly)
            let reading = try #require(database.scratch).path
            let scratch = try ScratchDirectory(in: place.path + "/shared")
            for prefix in [".levelkit-scratch-", ".levelkit-reading-"] {
                // A real leftover, to see that the commands delete such directories at all.
                try FileManager.default.createDirectory(
                    atPath: "\(place.path)/shared/\(prefix)cccccc", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            for command in ["stats app.db", "load --dry-run app.db app.lk"] {
                let outcome = try place.shell(
                    "TMPDIR='\(place.path)/shared' unshare -p -f --mount-proc '\(Binary.path)' \(command)")
                #expect(outcome.code == 0, "\(command): \(outcome)")
            }
            for prefix in [".levelkit-scratch-", ".levelkit-reading-"] {
                #expect(!place.has("shared/\(prefix)cccccc"), "\(prefix)")
            }
            for directory in [reading, scratch.path] {
                #expect(FileManager.default.fileExists(atPath: directory + "/scratch.lock"), "\(directory)")
            }
            #expect(try database.value(forKey: "k") == Array("v".utf8))
            try database.close()
            scratch.remove()
        }
    }

    @Test func `A new database is not loaded into a planted directory`() throws {
        try attacked { place in
            let outcome = try place.shell(
                """
                ln -s '\(place.path)/precious' "shared/new.db.loading-$$"
                ln -s '\(place.path)/precious' shared/new.db.loading-aaaaaa
                exec \(Binary.path) load --create shared/new.db app.lk
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try place.run("get", "shared/new.db", "k").output.contains("v"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make links of another user"))
    func `Links of other users do not redirect new databases or directories`() throws {
        try attacked { place in
            try place.makeItems("s.store")
            try link("shared/link", to: "precious", in: place)
            #expect(unsafe chown(place.path + "/shared", 0, 0) == 0)
            #expect(unsafe lchown(place.path + "/shared/link", 65534, 65534) == 0)
            for arguments in [
                ["load", "--create", "shared/link/new", "app.lk"],
                ["dump", "s.store", "-o", "out.lk", "--attachments", "shared/link"],
                ["dump", "s.store", "-o", "out.lk", "--attachments", "shared/link/new"],
                ["export", "s.store", "items", "-o", "out.jsonl", "--attachments", "shared/link/new"],
                ["export", "s.store", "items", "--xmp", "shared/link/new"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 73 && outcome.says("another user"), "\(arguments): \(outcome)")
                #expect(try place.names(in: "precious") == (Self.precious + ["inner"]).sorted(), "\(arguments)")
            }
        }
    }

    @Test func `A pipe in place of an attachment does not keep a dump or a load waiting`() throws {
        try attacked { place in
            try place.makeItems("s.store")
            try place.write("fog", to: "fog.txt")
            #expect(try place.run("doc", "put", "--write", "s.store", "items", #"{"id":"a"}"#).code == 0)
            let attached = try place.run("attach", "add", "--write", "s.store", "items", "a", "file", "fog.txt")
            #expect(attached.code == 0, "\(attached)")
            let dumped = try place.run("dump", "s.store", "-o", "whole.lkd", "--attachments", "contents")
            #expect(dumped.code == 0, "\(dumped)")
            let contents = URL(filePath: place.path + "/contents")
            let file = try #require(
                FileManager.default.enumerator(at: contents, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
                    .first { !$0.hasDirectoryPath })
            try FileManager.default.removeItem(at: file)
            #expect(unsafe mkfifo(file.path, 0o600) == 0)
            for arguments in [
                ["dump", "s.store", "-o", "again.lkd", "--attachments", "contents"],
                ["load", "--create", "copy.store", "whole.lkd", "--attachments-from", "contents"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code != 0 && outcome.says("is not a regular file"), "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `A repair dry run does not copy to a planted backup path`() throws {
        try attacked { place in
            let outcome = try place.shell(
                """
                ln -s '\(place.path)/precious' "shared/.lkrepl-scratch-$$-1.before-repair-1"
                TMPDIR='\(place.path)/shared' exec \(Binary.path) repair --dry-run app.db
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try place.names(in: "shared").allSatisfy { $0.hasPrefix(".lkrepl") }, "nothing else is left")
        }
    }

    @Test func `The progress of a load is not written to a planted link`() throws {
        try attacked { place in
            try place.makeDatabase("big.db")
            let lines = (0..<20_000).map { #"{"k":"key\#($0)","v":"\#(String(repeating: "x", count: 100))"}"# }
            let header = try #require(place.dump("big.db").split(separator: 0x0a).first)
            try place.write(Array(header) + [0x0a] + Array(lines.joined(separator: "\n").utf8), to: "shared/many.lk")
            let outcome = try place.shell(
                """
                sh -c 'ln -s "$1/precious/letter.txt" "shared/many.lk.lkprogress.partial-$$"
                exec "$0" load --write --allow-incomplete --yes --batch 1 --sync batch big.db shared/many.lk' \
                    '\(Binary.path)' '\(place.path)' &
                while kill -0 $! 2> /dev/null && [ ! -e shared/many.lk.lkprogress ]; do sleep 0.02; done
                [ ! -e shared/many.lk.lkprogress ] || echo "progress was written"
                kill -TERM $!
                wait $!
                """)
            #expect(outcome.output.contains("progress was written"), "\(outcome)")
        }
    }

    @Test func `Planted links next to an output file are neither followed nor an obstacle`() throws {
        try attacked { place in
            let outcome = try place.shell(
                """
                ln -s '\(place.path)/precious/letter.txt' "shared/out.lk.partial-$$"
                exec \(Binary.path) dump app.db -o shared/out.lk
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(place.has("shared/out.lk"))
        }
    }

    @Test func `Output follows the user's own links, and replaces their targets`() throws {
        try attacked { place in
            try place.write("old", to: "mine.lk")
            #expect(unsafe chmod(place.path + "/mine.lk", 0o600) == 0)
            try link("shared/link.lk", to: "mine.lk", in: place)
            #expect(try place.run("dump", "app.db", "-q", "-o", "shared/link.lk", "--force").code == 0)
            #expect(try place.read("mine.lk") == place.dump("app.db"))
            #expect(try permissions("mine.lk", in: place) == 0o600, "the file keeps its permissions")
            let toTerminal = try place.run("dump", "app.db", "-q", "-o", "/dev/stdout")
            #expect(toTerminal.code == 0, "\(toTerminal)")
            #expect(try place.run("dump", "app.db", "-q", "-o", "/dev/null").code == 0)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make links of another user"))
    func `In a shared directory, output to links, pipes and files of other users is rejected`() throws {
        try attacked { place in
            try link("shared/link", to: "precious/letter.txt", in: place)
            try link("shared/directory", to: "precious/inner", in: place)
            #expect(unsafe mkfifo(place.path + "/shared/pipe", 0o666) == 0)
            try place.write("bait", to: "shared/file")
            #expect(unsafe chown(place.path + "/shared", 0, 0) == 0)
            for name in ["link", "directory", "pipe", "file"] {
                #expect(unsafe lchown(place.path + "/shared/" + name, 65534, 65534) == 0)
                let output = name == "directory" ? "shared/directory/out.lk" : "shared/" + name
                for arguments in [
                    ["dump", "app.db", "-o", output], ["app.db", "-c", ".output \(output)", "-c", "keys"],
                    ["load", "--create", "x.db", "app.lk", "--rejects", output],
                ] {
                    let outcome = try place.run(arguments)
                    #expect(outcome.code == 73 && outcome.says("another user"), "\(arguments): \(outcome)")
                }
            }
            #expect(try place.read("shared/file") == Array("bait".utf8))
        }
    }

    @Test func `Leftovers of a killed load are private, and the next load of the same name removes them`() throws {
        try attacked { place in
            #expect(unsafe mkfifo(place.path + "/pipe", 0o600) == 0)
            let child = try place.start("load", "--create", "new.db", "pipe", name: "load")
            let writer = unsafe open(place.path + "/pipe", O_WRONLY | O_CLOEXEC)
            let dump = try place.read("app.lk")
            let line = dump.prefix { $0 != 0x0a } + [0x0a]
            _ = unsafe Array(line).withUnsafeBytes { unsafe Glibc.write(writer, $0.baseAddress, $0.count) }
            var left: [String] = []
            while left.isEmpty {
                usleep(10_000)
                left = try place.names().filter { $0.hasPrefix("new.db.loading-") }
            }
            child.signal(SIGKILL)
            _ = try child.wait()
            close(writer)
            #expect(try permissions(left[0], in: place) == 0o700)
            #expect(try place.run("load", "--create", "new.db", "app.lk").code == 0)
            #expect(try place.names().filter { $0.hasPrefix("new.db") } == ["new.db"])
        }
    }

    @Test func `A file being edited has a random name and is private`() throws {
        try attacked { place in
            let outcome = try place.shell(
                """
                mkdir "shared/lkrepl-$$.lk"
                printf '#!/bin/sh\\nls -l "$1" > \(place.path)/.run-mode\\necho keys > "$1"\\n' > editor.sh
                chmod +x editor.sh
                umask 0
                EDITOR=./editor.sh TMPDIR='\(place.path)/shared' exec \(Binary.path) app.db -c .edit
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(String(decoding: try place.read(".run-mode"), as: UTF8.self).hasPrefix("-rw-------"))
        }
    }

    /// Calls that change permissions fail, so the file has those of its creation. The editor makes such a call, to see
    /// that it does fail.
    @Test(.enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"))
    func `A file being edited is private from its creation, and has a different name each time`() throws {
        try attacked { place in
            try #require(FileManager.default.fileExists(atPath: FailingCalls.library), "swift build builds it")
            try place.writeProgram(
                """
                #!/bin/sh
                ls -l "$1" >> '\(place.path)/.run-seen'
                chmod 644 "$1" 2> /dev/null && echo "changed permissions" >> '\(place.path)/.run-seen'
                echo keys > "$1"
                """, to: "editor.sh")
            for _ in 0..<2 {
                let outcome = try place.run(
                    program: "/bin/sh",
                    ["-c", "umask 0; exec \"$0\" app.db -c .edit", Binary.path].map { Array($0.utf8) },
                    environment: [
                        "EDITOR": "./editor.sh", "TMPDIR": place.path + "/shared", "LD_PRELOAD": FailingCalls.library,
                        "FAILING_CALLS_DIRECTORY": place.path + "/shared", "FAILING_CALLS_PERMISSIONS": "1",
                    ])
                #expect(outcome.code == 0, "\(outcome)")
            }
            let seen = String(decoding: try place.read(".run-seen"), as: UTF8.self).split(separator: "\n")
            #expect(seen.count == 2 && seen.allSatisfy { $0.hasPrefix("-rw-------") }, "\(seen)")
            let paths = Set(seen.compactMap { $0.split(separator: " ").last })
            #expect(paths.count == 2 && paths.allSatisfy { $0.hasPrefix(place.path + "/shared/") }, "\(paths)")
            #expect(try place.names(in: "shared").isEmpty)
        }
    }

    @Test func `Output is not written to a file with several hard links`() throws {
        try attacked { place in
            #expect(unsafe Glibc.link(place.path + "/precious/letter.txt", place.path + "/shared/log") == 0)
            for arguments in [
                ["app.db", "-c", ".output shared/log", "-c", "keys"],
                ["app.db", "-c", ".once shared/log", "-c", "keys"],
                ["load", "--create", "x.db", "app.lk", "--rejects", "shared/log"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 73 && outcome.says("another hard link"), "\(arguments): \(outcome)")
            }
            let history = HistoryFile(path: place.path + "/shared/log")
            history.append("keys")
            #expect(history.takeFailure()?.contains("another hard link") == true)
            // A file that is replaced rather than emptied does not affect its other names.
            #expect(try place.run("dump", "app.db", "-q", "--force", "-o", "shared/log").code == 0)
            #expect(try place.read("shared/log") == place.dump("app.db"))
        }
    }

    @Test func `A link planted after a path check is not followed`() throws {
        try attacked { place in
            let output = try OutputPlace(place.path + "/shared/out")
            let partial = try PartialFile(for: output)
            try link("shared/out", to: "precious/letter.txt", in: place)
            #expect(throws: CommandError.self) { try output.openForOverwriting() }
            try partial.descriptor.writeAll(Array("new".utf8))
            partial.setPermissions()
            try partial.descriptor.closeFile()
            try partial.appear()
            #expect(try place.read("shared/out") == Array("new".utf8), "the link itself was replaced")
            // The directory is replaced by a link.
            try FileManager.default.createDirectory(
                atPath: place.path + "/inner", withIntermediateDirectories: false)
            let inner = try OutputPlace(place.path + "/inner/letter.txt")
            #expect(unsafe rename(place.path + "/inner", place.path + "/moved") == 0)
            try link("inner", to: "precious", in: place)
            try inner.openForOverwriting().closeFile()
            #expect(place.has("moved/letter.txt"))
        }
    }

    @Test func `A file open as standard output is not truncated by its file system name`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let outcome = try place.shell(
                "echo first > out; lkrepl app.db -c '.output /dev/stdout' -c '.mode json' -c count >> out")
            #expect(outcome.code == 0, "\(outcome)")
            #expect(String(decoding: try place.read("out"), as: UTF8.self).hasPrefix("first\n"))
        }
    }

    @Test func `A umask that takes rights from the owner leaves nothing that this user cannot read`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write([UInt8](repeating: 7, count: 100_000), to: "file.bin")
            for mask in ["0777", "0277", "0177"] {
                let changed = try place.shell(
                    """
                    umask \(mask)
                    lkrepl doc patch --write photos.store photos scan-0011 '{"rating": 5}' &&
                    lkrepl attach add --write photos.store photos scan-0011 m\(mask) file.bin &&
                    lkrepl dump photos.store -q --force -o out.lk && lkrepl snapshot photos.store copy\(mask)
                    """)
                #expect(changed.code == 0, "\(changed)")
                // Root can read everything, so the permissions are what counts.
                let unreadable = try place.shell(
                    "find photos.store copy\(mask) out.lk ! -perm -400 -o -type d ! -perm -700")
                #expect(unreadable.code == 0 && unreadable.output.isEmpty, "\(unreadable)")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make files of another user"))
    func `A dump does not inherit the owner and permissions of another user's file that it replaces`() throws {
        try attacked { place in
            try place.write("bait", to: "out.lk")
            #expect(unsafe chown(place.path + "/out.lk", 65534, 65534) == 0)
            #expect(unsafe chmod(place.path + "/out.lk", 0o666) == 0)
            let outcome = try place.shell("umask 077; lkrepl dump app.db -q --force -o out.lk")
            #expect(outcome.code == 0, "\(outcome)")
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/out.lk")
            #expect(attributes[.ownerAccountID] as? Int == 0)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `A file that is being written is private whatever the umask`() async throws {
        let place = try Workplace()
        await #expect(processExitsWith: .success) { [path = place.path as String] in
            umask(0)
            let file = try PartialFile(for: OutputPlace(path + "/out.lk"))
            var status = stat()
            #expect(unsafe fstat(file.descriptor.rawValue, &status) == 0 && status.st_mode & 0o777 == 0o600)
            file.setPermissions()
            #expect(unsafe fstat(file.descriptor.rawValue, &status) == 0 && status.st_mode & 0o777 == 0o666)
            file.discard()
            try file.descriptor.closeFile()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make links of another user"))
    func `The history is not written through another user's link`() throws {
        try attacked { place in
            try link("shared/history", to: "precious/letter.txt", in: place)
            #expect(unsafe chown(place.path + "/shared", 0, 0) == 0)
            #expect(unsafe lchown(place.path + "/shared/history", 65534, 65534) == 0)
            let history = HistoryFile(path: place.path + "/shared/history")
            history.append("find secrets")
            #expect(history.takeFailure()?.contains("another user") == true)
        }
    }

    @Test func `A file that appears while a dump is written does not determine its permissions`() throws {
        try attacked { place in
            let partial = try PartialFile(for: OutputPlace(place.path + "/out.lk"))
            try place.write("bait", to: "out.lk")
            #expect(unsafe chmod(place.path + "/out.lk", 0o777) == 0)
            partial.setPermissions()
            var status = stat()
            #expect(unsafe fstat(partial.descriptor.rawValue, &status) == 0)
            #expect(status.st_mode & 0o111 == 0, "nothing is taken from what appeared")
            partial.discard()
            try partial.descriptor.closeFile()
        }
    }

    @Test func `Nothing is edited in a directory where others can replace the file`() throws {
        try attacked { place in
            #expect(unsafe chmod(place.path + "/shared", 0o777) == 0)
            let outcome = try place.run(
                "app.db", "-c", ".edit", environment: ["EDITOR": "true", "TMPDIR": place.path + "/shared"])
            #expect(outcome.code == 73 && outcome.says("TMPDIR"), "\(outcome)")
            #expect(try place.names(in: "shared").isEmpty)
        }
    }

    @Test func `A manifest that links to a device is an error and is not read`() throws {
        try attacked { place in
            for name in try place.names(in: "app.db") where name.hasPrefix("MANIFEST") {
                try place.remove("app.db/" + name)
                try FileManager.default.createSymbolicLink(
                    atPath: place.path + "/app.db/" + name, withDestinationPath: "/dev/zero")
            }
            for command in ["count", "verify", "keys"] {
                let outcome = try place.run(command, "app.db")
                #expect(outcome.code == 65, "\(command): \(outcome)")
            }
            #expect(try place.run("sst", "app.db").code == 0)
            #expect(try place.run("repair", "--dry-run", "app.db").code != 0, "there is no manifest in the copy")
        }
    }

    @Test func `A repair leaves no file with wider permissions than the database has`() throws {
        try attacked { place in
            for name in try place.names(in: "app.db") {
                #expect(unsafe chmod(place.path + "/app.db/" + name, 0o600) == 0)
            }
            #expect(unsafe chmod(place.path + "/app.db", 0o755) == 0)
            let outcome = try place.shell("umask 022; lkrepl repair --write app.db --confirm app.db")
            #expect(outcome.code == 0, "\(outcome)")
            for name in try place.names(in: "app.db") {
                #expect(try permissions("app.db/" + name, in: place) & 0o077 == 0, "\(name)")
            }
        }
    }

    @Test func `JSON errors and suggested command lines are safe to display and paste`() throws {
        try Workplace.with { place in
            let name = "st\u{9b}31m\u{202e};touch pwned"
            try place.makeDatabase(name)
            let outcome = try place.run(name, "stats", "--error-format", "json")
            #expect(outcome.code == 64, "\(outcome)")
            #expect(outcome.says(#"stats 'st\u009b31m\u202e;touch pwned'"#), "\(outcome)")
            #expect(!outcome.error.unicodeScalars.contains { $0 == "\u{9b}" || $0 == "\u{202e}" })
        }
    }
}
