import Foundation
import LevelFiles
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Without `--write`, no command changes a byte, a name, a mode or a time in the directory of a database.
@Suite(.waitsForPrograms) struct `Reading commands` {
    /// The kind of database that a command may encounter.
    enum Kind: String, CaseIterable, Sendable {
        case fresh, withPendingLog, store, storeWithPendingText, damagedTable, damagedManifest, foreignOrder
        case foreignCompression, beingWritten, withoutPermission, onReadOnlyMount
        case withAttachments, attachmentsWithoutPermission, attachmentsOnReadOnlyMount
        case storeOfAnotherUser, largeStore

        /// Creates the database `s.store`.
        fileprivate func make(in place: Workplace) throws {
            let path = place.path + "/s.store"
            switch self {
            case .fresh: try Database.open(at: path).close()
            case .withPendingLog, .beingWritten, .withoutPermission, .onReadOnlyMount:
                let database = try Database.open(at: path)
                for number in 0..<500 { try database.put("value \(number)", forKey: "key \(number)") }
                try database.compact()
                for number in 400..<600 { try database.put("newer", forKey: "key \(number)") }
                try database.close()
            case .store: try place.makePhotos("s.store")
            case .withAttachments, .attachmentsWithoutPermission, .attachmentsOnReadOnlyMount:
                try place.makePhotos("s.store")
                try place.attachPicture("s.store")
            case .storeOfAnotherUser:
                try place.makePhotos("s.store")
                for name in try place.names(in: "s.store") {
                    try #require(unsafe chown(path + "/" + name, 65534, 65534) == 0)
                }
                try #require(unsafe chown(path, 65534, 65534) == 0)
            case .storeWithPendingText:
                try place.makeItems("s.store")
                let lines = (0..<40).map { "{\"id\":\"a\($0)\",\"n\":\($0),\"t\":\"fog over bridge \($0)\"}\n" }
                    .joined()
                let outcome = try place.run("import", "--write", "s.store", "items", "-", input: lines)
                try #require(outcome.code == 0, "\(outcome)")
            case .largeStore:
                try place.makeItems("s.store")
                let outcome = try place.shell(
                    """
                    seq 118357 | awk '{printf "{\\"id\\":\\"a%d\\",\\"n\\":%d,\\"t\\":\\"fog over bridge %d\\"}\\n",$1,$1,$1%500}' \\
                        | lkrepl import --write s.store items -
                    """)
                try #require(outcome.code == 0, "\(outcome)")
            case .damagedTable:
                try place.makePhotos("s.store")
                try change(place, { $0.hasSuffix(".ldb") }) { $0[$0.count / 3] ^= 1 }
            case .damagedManifest:
                try place.makePhotos("s.store")
                try change(place, { $0.hasPrefix("MANIFEST") }) { $0[$0.count / 2] ^= 1 }
            case .foreignOrder:
                var options = DatabaseOptions()
                options.bloomFilterBitsPerKey = 0
                options.order = .custom("idb_cmp1") { left, right in
                    let (left, right) = (left.copied(), right.copied())
                    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
                }
                let database = try Database.open(at: path, options: options)
                try database.put("1", forKey: "a")
                try database.close()
            case .foreignCompression:
                let database = try Database.open(at: path)
                for number in 0..<500 { try database.put("value \(number)", forKey: "key \(number)") }
                try database.compact()
                try database.close()
                let name = try #require(try place.names(in: "s.store").first { $0.hasSuffix(".ldb") })
                let handle = try #require(try Table(at: path + "/" + name).index().first).handle
                try change(place, { $0 == name }) { bytes in
                    let end = Int(handle.offset + handle.byteCount)
                    bytes[end] = 4
                    let checksum = CRC32C.masked(CRC32C.checksum(of: bytes[Int(handle.offset)...end]))
                    for index in 0..<4 {
                        bytes[end + 1 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index))
                    }
                }
            }
        }

        private func change(
            _ place: Workplace, _ isWanted: (String) -> Bool, _ body: (inout [UInt8]) -> Void
        ) throws {
            let name = "s.store/" + (try #require(try place.names(in: "s.store").first(where: isWanted)))
            var bytes = try place.read(name)
            body(&bytes)
            try place.write(bytes, to: name)
        }

        /// Whether this environment can be created here.
        fileprivate var isPossible: Bool {
            switch self {
            case .onReadOnlyMount, .attachmentsOnReadOnlyMount: geteuid() == 0 && Installed.has("unshare")
            // Root may write every file, and would own what it wrote.
            case .storeOfAnotherUser: geteuid() == 0
            default: true
            }
        }

        /// The `sh` line that runs a command of the program with its arguments.
        fileprivate func line(for command: CommandCatalog.Command) -> String {
            // A server runs until it is ended.
            let run = command.words == ["serve"] ? "timeout 3 \"$@\"" : "\"$@\""
            return switch self {
            case .onReadOnlyMount, .attachmentsOnReadOnlyMount:
                "unshare -m sh -c 'mount --bind s.store s.store && mount -o remount,ro,bind s.store && \(run)' sh \"$@\""
            default: run
            }
        }
    }

    /// Returns the arguments for trying a command: those of its example, with the database `s.store`, and without the
    /// options that allow changes.
    static func arguments(of command: CommandCatalog.Command) throws -> [String] {
        if let example = command.example, let words = try ShellScanner.commands(in: example).first?.arguments {
            var rest = words.dropFirst(1 + command.words.count).prefix { $0 != ">" && $0 != "|" }.filter {
                $0 != "--write"
            }
            if let position = rest.firstIndex(where: { !$0.hasPrefix("-") }) {
                rest[position] = "s.store"
                return command.words + rest
            }
        }
        let values = command.arguments.filter { $0.kind == .positional && !$0.isOptional }
            .map { $0.valueName == "database" ? "s.store" : $0.valueName == "collection" ? "items" : "a1" }
        return command.words + values
    }

    @Test(arguments: Kind.allCases.filter(\.isPossible))
    func `Reading commands do not change any kind of database`(kind: Kind) throws {
        try Workplace.with(isVerified: false) { place in
            try kind.make(in: place)
            if kind == .withoutPermission || kind == .attachmentsWithoutPermission {
                let outcome = try place.shell("chmod -R a-w s.store")
                try #require(outcome.code == 0, "\(outcome)")
            }
            defer { _ = try? place.shell("chmod -R u+w s.store") }
            let holder = kind == .beingWritten ? try TerminalSession(["s.store", "-q", "--write"], in: place) : nil
            try holder?.expect("s.store rw!> ")
            let path = place.path + "/s.store"
            let before = try DirectoryState(path)
            var successCount = 0
            for command in CommandCatalog.current.leaves where command.takesDatabase {
                let arguments = try Self.arguments(of: command)
                let outcome = try place.run(
                    program: "/bin/sh",
                    (["-c", kind.line(for: command), "sh", Binary.path] + arguments).map { Array($0.utf8) })
                #expect(outcome.code < 128, "\(arguments): \(outcome)")
                #expect(outcome.code != 75, "\(arguments): \(outcome)")
                for text in [outcome.output, outcome.error] {
                    #expect(!text.contains("levelkit-reading"), "\(arguments): \(outcome)")
                }
                if outcome.code == 0 { successCount += 1 }
                let difference = try DirectoryState(path).difference(from: before)
                #expect(difference == [], "\(arguments)")
                guard difference == [] else { return }
            }
            // With a damaged manifest, only file inspection works; `repair --dry-run` ends with 65.
            #expect(successCount >= (kind == .damagedManifest ? 4 : 5), "hardly a command could do its work")
            let shell = try place.run("s.store", "-q", "-c", "count; .refresh; count; .show")
            #expect(!shell.output.contains("levelkit-reading"), "\(shell)")
            #expect(try DirectoryState(path).difference(from: before) == [])
            try holder?.type("quit\n")
            #expect(try holder?.end() ?? 0 == 0)
        }
    }

    @Test(arguments: [Kind.withPendingLog, .store, .withAttachments])
    func `The shell shows the path of the database, and not of its private copy`(kind: Kind) throws {
        try Workplace.with { place in
            try kind.make(in: place)
            let shell = try TerminalSession(["s.store"], in: place)
            let banner = try shell.expect("s.store ro> ")
            #expect(banner.contains("s.store"), "\(banner)")
            let shown = try [".refresh", ".show", "info", "stats", "get", "nonsense"].map {
                try shell.run($0, prompt: "s.store ro> ")
            }
            try shell.type("quit\n")
            _ = try shell.end()
            for text in [banner] + shown { #expect(!text.contains("levelkit-reading"), "\(text)") }
        }
    }

    @Test func `Reading commands change nothing beside a database, and a writing command deletes leftovers there`()
        throws
    {
        try Workplace.with { place in
            let (folder, path) = (place.path + "/a", place.path + "/a/s.store")
            let leftover = path + ".loading-abcdef"
            try #require(unsafe mkdir(folder, 0o700) == 0 && mkdir(leftover, 0o700) == 0)
            try place.makePhotos("a/s.store")
            try FileManager.default.copyItem(atPath: path, toPath: leftover + "/db")
            try place.write([], to: "a/s.store.loading-abcdef/scratch.lock")
            let before = try DirectoryState(folder)
            for arguments in [
                ["count", path], ["find", path, "photos", "--count"], ["verify", path], ["dump", path],
                [path, "-q", "-c", "stats"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                let difference = try DirectoryState(folder).difference(from: before)
                #expect(difference == [], "\(arguments): \(difference)")
            }
            #expect(try place.run("compact", "--write", "--yes", path).code == 0)
            #expect(!FileManager.default.fileExists(atPath: leftover))
        }
    }

    @Test(.enabled(if: FailingCalls.canPreload, "calls fail by LD_PRELOAD on Linux only"))
    func `Reading commands work if the disk of the database is full`() throws {
        try Workplace.with { place in
            try place.makeItems("s.store")
            let lines = (0..<40).map { "{\"id\":\"a\($0)\",\"n\":\($0),\"t\":\"fog\"}\n" }.joined()
            #expect(try place.run("import", "--write", "s.store", "items", "-", input: lines).code == 0)
            let full = [
                "LD_PRELOAD": FailingCalls.library, "FAILING_CALLS_DIRECTORY": place.path + "/s.store",
                "FAILING_CALLS_NUMBER": "1", "FAILING_CALLS_MODE": "space",
            ]
            for arguments in [
                ["count", "s.store"], ["find", "s.store", "items", "n < 3"], ["search", "s.store", "items", "fog"],
                ["verify", "s.store"], ["dump", "s.store"], ["stats", "s.store"],
            ] {
                let outcome = try place.run(arguments, environment: full)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
            }
        }
    }

    /// Whether this process can mount small file systems that nobody else sees.
    private static let canMount = unsafe system("unshare -m mount -t tmpfs tmpfs /dev/shm > /dev/null 2>&1") == 0

    /// Mounts a small file system on `tmp` and, if wanted, one in place of the shared memory, fills them, and runs a
    /// command. A file lists what the command left.
    private static let onFullDisks = """
        fill() { mount -t tmpfs -o "$1" tmpfs "$2" && ! head -c 1000000 /dev/zero > "$2/ballast" 2> /dev/null; }
        fill "$1" tmp || exit 99
        [ "$2" != full ] || fill "$1" /dev/shm || exit 99
        shift 2
        "$@"
        code=$?
        ls -A tmp > left
        exit $code
        """

    /// A database is read through a private directory: in memory if there is room, else in TMPDIR.
    @Test(
        .enabled(if: canMount, "skipped: mounting a small file system needs root"),
        arguments: ["free", "full"])
    func `With a full TMPDIR, reading commands use another directory`(memory: String) throws {
        try Workplace.with { place in
            try FileManager.default.createDirectory(
                atPath: place.path + "/tmp", withIntermediateDirectories: false)
            // One store with writes in its log, and one without.
            try Kind.storeWithPendingText.make(in: place)
            try place.copy("s.store", to: "compact.store")
            #expect(try place.run("compact", "--write", "--yes", "compact.store").code == 0)
            for store in ["s.store", "compact.store"] {
                let before = try DirectoryState(place.path + "/" + store)
                for arguments in [
                    ["count", store], ["count", store, "--keys"], ["find", store, "items", "n < 3"],
                    ["search", store, "items", "fog", "--limit", "5"], ["get", store, "@M"], ["verify", store],
                ] {
                    let expected = try place.run(arguments)
                    #expect(expected.code == 0, "\(expected)")
                    let outcome = try place.run(
                        program: "/bin/sh",
                        ([
                            "-c", "exec unshare -m sh -c \"$0\" sh \"$@\"", Self.onFullDisks, "size=64k", memory,
                            Binary.path,
                        ]
                            + arguments).map { Array($0.utf8) },
                        environment: ["TMPDIR": place.path + "/tmp"])
                    #expect(outcome.code == 0 && outcome.output == expected.output, "\(arguments): \(outcome)")
                    #expect(String(decoding: try place.read("left"), as: UTF8.self) == "ballast\n", "\(arguments)")
                    #expect(try DirectoryState(place.path + "/" + store).difference(from: before) == [])
                }
            }
        }
    }

    @Test func `A reading command can feed a command that writes the same database, every time`() throws {
        try Workplace.with { place in
            try place.makeItems("s.store")
            let lines = (0..<300).map { "{\"id\":\"a\($0)\",\"n\":\($0),\"t\":\"fog\"}\n" }.joined()
            #expect(try place.run("import", "--write", "s.store", "items", "-", input: lines).code == 0)
            for round in 0..<12 {
                let outcome = try place.shell(
                    """
                    lkrepl find s.store items -q --mode jsonl | sed 's/fog[0-9]*/fog\(round)/' \\
                        | lkrepl import --write s.store items -
                    """)
                #expect(outcome.code == 0 && !outcome.error.contains("locked"), "round \(round): \(outcome)")
            }
            #expect(try place.run("search", "s.store", "items", "fog11", "--limit", "1", "--count").code == 0)
            #expect(try place.run("count", "s.store", "-q").code == 0)
        }
    }

    @Test func `A read-only shell does not lock out writers`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let reader = try TerminalSession(["app.db", "-q"], in: place)
            try reader.expect("app.db ro> ")
            for number in 0..<5 {
                #expect(try place.run("put", "--write", "app.db", "k\(number)", "v").code == 0)
                _ = try reader.run(".refresh", prompt: "app.db ro> ")
                #expect(try reader.run("count", prompt: "app.db ro> ") == "\(number + 1)\r\n")
            }
            // Nobody is told that the idle shell has the database open for writing.
            #expect(try place.run("count", "app.db").error == "")
            // A single writing command holds the lock while it runs, and the shell sees what it wrote.
            #expect(try reader.run("put --write k9 v", prompt: "app.db ro> ") == "")
            #expect(try reader.run("count", prompt: "app.db ro> ") == "6\r\n")
            #expect(try place.run("put", "--write", "app.db", "k10", "v").code == 0)
            #expect(try reader.run(".write on", prompt: "app.db rw!> ") == "")
            #expect(try place.run("put", "--write", "app.db", "k11", "v").code == 75)
            #expect(try reader.run(".write off", prompt: "app.db ro> ") == "")
            #expect(try place.run("count", "app.db").error == "")
            #expect(try place.run("put", "--write", "app.db", "k11", "v").code == 0)
            try reader.type("quit\n")
            #expect(try reader.end() == 0)
        }
    }
}
