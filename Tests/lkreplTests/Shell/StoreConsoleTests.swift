import DocIndex
import Foundation
import Inspector
import Testing

@testable import lkrepl

/// The commands of the inspector's console.
@Suite(.waitsForPrograms) struct `Console of the inspector` {
    // MARK: - Lists

    @Test func `Every command either reads or is refused with a reason`() {
        let names = Set(CommandCatalog.current.leaves.map(\.name))
        let refused = Set(ConsoleCommands.refused.keys)
        #expect(ConsoleCommands.reading.isDisjoint(with: refused))
        #expect(ConsoleCommands.reading.union(refused) == names)
        let metas = Set(ConsoleCommands.refusedMeta.keys).union([.help])
        #expect(metas == Set(MetaCommand.allCases))
        let reasons = Array(ConsoleCommands.refused.values) + Array(ConsoleCommands.refusedMeta.values)
        #expect((reasons + Array(ConsoleCommands.refusedOptions.values)).allSatisfy { $0.hasSuffix(".") })
    }

    @Test func `Every option of a reading command is either allowed or refused with a reason`() {
        let commands = CommandCatalog.current.leaves.filter { ConsoleCommands.reading.contains($0.name) }
        let names = Set(commands.flatMap(\.arguments).filter { $0.kind != .positional }.flatMap(\.names))
        let refused = Set(ConsoleCommands.refusedOptions.keys)
        #expect(ConsoleCommands.options.isDisjoint(with: refused))
        #expect(names.subtracting(ConsoleCommands.options).subtracting(refused) == [])
        #expect(ConsoleCommands.options.union(refused).subtracting(names) == [])
    }

    // MARK: - Runs

    /// Runs `body` with the console of a store with the sample catalog.
    private static func with(
        write: Bool = false, _ body: (Workplace, StoreConsole) throws -> Void
    ) throws {
        try Workplace.with { place in
            try place.makePhotos()
            let path = place.path + "/photos.store"
            let session = try Session(path: path, access: DatabaseAccess(isExclusive: write, isQuiet: true))
            _ = try session.store()
            try body(place, StoreConsole(ServedSession(session, checksEveryBlock: false)))
            try session.close()
        }
    }

    private static func run(
        _ console: StoreConsole, _ line: String, _ form: CommandConsole.Form = .programs
    ) throws -> CommandConsole.Output {
        try console.run(line, form, byteLimit: 1 << 22)
    }

    @Test func `Reading commands print the same as in the shell`() throws {
        try Self.with { place, console in
            var lines = CommandCatalog.current.leaves.filter { ConsoleCommands.reading.contains($0.name) }
                .compactMap(\.shellExample)
                // The memory of one process is not that of another one.
                .filter { !$0.hasSuffix("memory-usage") }
            #expect(lines.count > 30)
            lines += [
                "collections", "stats", "find photos rating = 5 --sort -taken --limit 3 --mode csv",
                "find photos 'title = \"Fog\"' --count", "find photos rating >>", "find nowhere", "find",
                "find photos --bogus", "search photos sea --limit 2 --score", "doc get photos scan-0001",
                "doc get photos none",
                "doc", "album", "count photos keywords has sea", "keys --limit 3", "scan --limit 2 --mode line",
                "explain photos rating = 5 --plan", "history photos scan-0001", "verify", "sst", "levels --tables",
                "wal",
                "manifest", "properties leveldb.num-files-at-level0", "approx-size 0x44",
                ".find photos rating = 5",
                "mget - ", "find photos --mode foo", "find --help", "tree --depth 2", "versions 0x53",
            ]
            for line in lines {
                let shown = try Self.run(console, line)
                let path = place.path + "/photos.store"
                let outcome = try place.run(path, "--progress", "none", input: line + "\n")
                #expect(Self.withoutTime(shown.results) == Self.withoutTime(outcome.output), "\(line): \(shown)")
                #expect(shown.exitCode == outcome.code, "\(line): \(shown) \(outcome)")
                // A script's messages begin with the place of the command.
                let said = outcome.error.replacing(#/standard input:\d+:(?:\d+:)? /#, with: "").split(separator: "\n")
                    .last
                let says = shown.messages.replacing("console:1: ", with: "").split(separator: "\n").last
                #expect(Self.withoutTime(says) == Self.withoutTime(said), "\(line): \(shown) \(outcome)")
            }
        }
    }

    /// Returns a text without the numbers that depend on the time or the process.
    private static func withoutTime(_ text: (some StringProtocol)?) -> String? {
        text.map {
            String($0).replacing(#/\d+(?:\.\d+)?(?= [mµ]s)/#, with: "").replacing(#/"ms":[\d.]+/#, with: "")
                .replacing(#/"bytes in memory","value":\d+/#, with: "")
        }
    }

    @Test func `People see tables`() throws {
        try Self.with { _, console in
            let output = try Self.run(console, "find photos rating = 5 --limit 3 --fields title", .people)
            #expect(output.results.contains("│") && output.exitCode == 0, "\(output)")
            let help = try Self.run(console, "help find", .people)
            #expect(help.results.contains("--sort") && help.exitCode == 0)
        }
    }

    @Test(arguments: [
        ("put a b", "It changes the store."), ("del a", "changes"), ("doc put photos {\"id\":1}", "changes"),
        ("doc del photos scan-0001", "changes"), ("update photos WHERE rating = 5 SET rating = 1 --yes", "changes"),
        ("delete photos WHERE rating = 5 --yes", "changes"), ("destroy --yes", "changes"), ("compact", "changes"),
        ("migrate schema.json", "changes"), ("import photos /etc/passwd", "changes"), ("load -", "changes"),
        ("index drop photos taken", "changes"), ("attach add photos scan-0001 a /etc/passwd", "changes"),
        ("attach get photos scan-0001", "file"), ("export photos --output out", "table links"),
        ("dump --output out", "whole store"), ("snapshot copy.store", "directory"), ("diff other.store", "another"),
        ("sync photos other.store", "another"), ("serve", "server"), ("keyfmt utf8", "configuration"),
        (".read /etc/passwd", "file"), (".output out", "file"), (".once '| touch out'", "file"),
        (".open /tmp", "another"),
        (".edit", "program"), (".write on", "changes"), (".quit", "no end"), ("quit", "no end"),
        ("find photos --write", "changes"), ("find photos --untrusted", "lkrepl serve"),
        ("find photos --wait 100", "waits"),
        ("find photos --color always", "colors"), ("verify -y", "asks"), ("generate completion", "install"),
    ])
    func `A command that does more than read the store is refused with the reason`(line: String, reason: String) throws
    {
        try Self.with { place, console in
            let before = try DirectoryContent(place)
            let output = try Self.run(console, line)
            #expect(output.exitCode == 77 && output.results.isEmpty && output.messages.contains(reason), "\(output)")
            #expect(output.messages.contains("is not possible in the console"), "\(output)")
            #expect(try DirectoryContent(place) == before)
        }
    }

    @Test(arguments: [
        "mget -", "find photos | wc", "find photos; collections", "", "# nothing", "'", "find photos '", "\u{0}",
        "nonsense", "find photos \u{202e}", "sst /etc/passwd", "sst ../photos.store/CURRENT",
        "wal /etc/passwd",
        "manifest /etc/passwd", "schema /etc", "find /tmp/other.store photos", "describe /etc/passwd", "find @none",
    ])
    func `A line that is not a command for this store fails and says why`(line: String) throws {
        try Self.with { _, console in
            let output = try Self.run(console, line)
            #expect(
                output.exitCode != 0 && output.results.isEmpty && output.messages.hasPrefix("lkrepl: "), "\(output)")
            #expect(!output.messages.contains("root:"))
        }
    }

    @Test func `Even a command that the console accepts cannot write or open another database`() throws {
        try Self.with(write: true) { place, console in
            try place.makePhotos("other.store")
            let session = console.served.current
            let box = SessionBox(session, readsStandardInput: true, isConfined: true)
            let commands = [
                ["put", session.path, "a", "b", "--write"], ["doc", "put", session.path, "photos", "{}", "--write"],
                ["find", place.path + "/other.store", "photos"], ["diff", session.path, place.path + "/other.store"],
                ["find", session.path, "photos", "--write"], ["compact", session.path, "--write"],
                ["migrate", session.path, "--dry-run", "-"], ["mget", session.path, "-"],
                ["destroy", "--write", "--yes", place.path + "/other.store"],
            ]
            let before = try DirectoryContent(place)
            for arguments in commands {
                Session.$shell.withValue(box) {
                    let failure = #expect(throws: CommandError.self) { try CommandRunner.perform(arguments) }
                    #expect([.noPermission, .usage].contains(failure?.exitCode), "\(arguments): \(failure as Any)")
                }
            }
            #expect(try DirectoryContent(place) == before)
        }
    }

    @Test func `Output is cut at the limit, and a canceled command ends`() async throws {
        try Self.with { _, console in
            let whole = try Self.run(console, "find photos")
            for limit in [0, 1, 100, 5000] {
                let cut = try console.run("find photos", .programs, byteLimit: limit)
                #expect(cut.isCut && cut.exitCode == 0 && cut.results.utf8.count <= limit)
                #expect(whole.results.hasPrefix(cut.results))
            }
            #expect(!whole.isCut && whole.results.split(separator: "\n").count == 301)
        }
    }

    @Test func `Commands see commits of another process after the store was opened again`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let path = place.path + "/photos.store"
            let session = try Session(path: path, access: DatabaseAccess(isExclusive: false, isQuiet: true))
            _ = try session.store()
            // The first look finds a commit between the opening and the server.
            try place.run("doc", "put", "--write", "photos.store", "photos", #"{"id":"early"}"#)
            let served = ServedSession(session, checksEveryBlock: false)
            #expect(try served.renewed() != nil)
            #expect(try Self.run(StoreConsole(served), "doc get photos early").exitCode == 0)
            #expect(try served.renewed() == nil)
            try place.run("doc", "put", "--write", "photos.store", "photos", #"{"id":"new","rating":5}"#)
            #expect(try Self.run(StoreConsole(served), "doc get photos new").exitCode == 1)
            #expect(try served.renewed() != nil)
            let output = try Self.run(StoreConsole(served), "doc get photos new")
            #expect(output.results == "{\"id\":\"new\",\"rating\":5}\n", "\(output)")
            try served.current.close()
        }
    }

    @Test func `The pages get versions of a key from the files`() throws {
        try Self.with { _, console in
            let versions = try console.services.versions([0x53])
            #expect(versions.first?.isCurrent == true && versions.first?.value != nil)
            #expect(try console.services.versions([0x53, 0x53]).isEmpty)
            #expect(console.services.console.commands.count == ConsoleCommands.reading.count)
            #expect(console.services.console.refusals.count == ConsoleCommands.refused.count)
        }
    }
}

/// The names and sizes of all files of a workplace.
private struct DirectoryContent: Hashable {
    private let files: [String: Int]

    init(_ place: Workplace) throws {
        var files: [String: Int] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: place.path) where !name.hasPrefix(".run-") {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/" + name)
            files[name] = (attributes[.size] as? Int) ?? 0
        }
        self.files = files
    }
}
