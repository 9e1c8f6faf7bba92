import Testing

@testable import lkrepl

/// Arguments that were read as something else.
private struct Wrong: Error {
    var arguments: [String]
}

@Suite struct `Process arguments` {
    private func command(_ arguments: String...) throws -> [String]? {
        guard case .command(let words) = try Invocation(arguments) else { return nil }
        return words
    }

    private func shell(_ arguments: String...) throws -> Invocation.ShellInvocation? {
        guard case .shell(let shell) = try Invocation(arguments) else { return nil }
        return shell
    }

    @Test func `Arguments are a command if they start with its name`() throws {
        #expect(try command("find", "s", "photos") == ["find", "s", "photos"])
        #expect(try command("help", "find") == ["help", "find"])
        #expect(try command("--version") == ["--version"])
        for arguments in [[], ["--help"], ["help"], ["-h"]] {
            guard case .help(nil) = try Invocation(arguments) else { throw Wrong(arguments: arguments) }
        }
        guard case .help(.dates) = try Invocation(["help", "dates"]) else { throw Wrong(arguments: ["help", "dates"]) }
        // Not the database with that name, even if there is one.
        #expect(try command("scan", ".") == ["scan", "."])
    }

    @Test func `Options before a command are moved after its name`() throws {
        let moved = try #require(try command("--write", "-q", "--mode", "json", "import", "s", "photos", "-"))
        #expect(moved.first == "import")
        #expect(Set(moved) == ["import", "--write", "-q", "--mode", "json", "s", "photos", "-"])
        #expect(moved.suffix(3) == ["s", "photos", "-"])
        let nested = try #require(try command("--write", "doc", "put", "s", "photos", "{}"))
        #expect(nested.prefix(2) == ["doc", "put"])
        #expect(nested.contains("--write"))
    }

    @Test func `Arguments start a shell if they start with a directory`() throws {
        let shell = try #require(try shell("--write", "/tmp", "-c", "stats", "--mode", "json", "-c", "verify"))
        #expect(shell.database == "/tmp")
        #expect(shell.sources == [.text("stats"), .text("verify")])
        #expect(shell.options.isWritable && shell.options.mode == "json")
        #expect(Set(shell.options.arguments) == ["--write", "--mode", "json"])
        #expect(try self.shell("/tmp", "-f", "a.lk")?.sources == [.file("a.lk")])
        // Several, in the given order.
        #expect(
            try self.shell("/tmp", "-f", "a", "-c", "b", "-f", "c")?.sources == [.file("a"), .text("b"), .file("c")])
        #expect(try self.shell("repl", "/tmp")?.database == "/tmp")
        let marked = try #require(try self.shell("/tmp", "--keep-going", "--no-history", "--no-config"))
        #expect(marked.keepsGoing && !marked.keepsHistory && !marked.readsConfiguration)
        #expect(!shell.keepsGoing && shell.keepsHistory && shell.readsConfiguration)
    }

    @Test(arguments: [("65536", 65536), ("64K", 65536), ("1m", 1 << 20), ("2G", 2 << 30), ("0", 0)])
    func `Sizes are accepted with the usual suffixes`(text: String, count: Int) {
        #expect(ByteCountArgument(argument: text)?.value == count)
    }

    @Test(arguments: ["", "K", "1.5M", "-1", "1MB", "9999999999G", "٣", "0x10"])
    func `Ambiguous sizes are rejected`(text: String) {
        #expect(ByteCountArgument(argument: text) == nil)
    }

    @Test func `A command can be named by its alias, but not by a prefix of its name`() throws {
        #expect(try command("rm", "s", "k") == ["del", "s", "k"])
        #expect(throws: CommandError.self) { try Invocation(["fin", "s"]) }
    }

    @Test(arguments: [
        (["doc", "gte", "s"], ExitCode.usage, "doc get"), (["index", "x", "s"], .usage, "create"),
        (["fidn"], .usage, "find"), (["satts", "x"], .usage, "stats"), (["no-such-directory"], .noInput, ""),
        (["/tmp", "find"], .usage, ""), (["/tmp", "-c"], .usage, ""), (["/tmp", "-f"], .usage, ""),
        (["/tmp", "--mode"], .usage, ""), (["/tmp", "--bogus"], .usage, ""), ([""], .noInput, ""),
    ])
    func `Invalid process arguments are rejected with a hint`(arguments: [String], code: ExitCode, hint: String) throws
    {
        let failure = #expect(throws: CommandError.self) { try Invocation(arguments) }
        #expect(failure?.exitCode == code)
        #expect(failure?.hint?.contains(hint) ?? hint.isEmpty)
    }

    @Test func `Negative numbers are not treated as options, and are passed on unchanged`() throws {
        let arguments = ["s", "photos", "lon", "<", "-73.99", "--sort", "-taken", "--limit", "3", "-q", "-.5"]
        let protected = Invocation.protecting(arguments, of: ["find"])
        #expect(protected.map(ProtectedArgument.plain) == arguments)
        #expect(protected[4] != "-73.99" && protected[10] != "-.5")
        // Values of options, and options themselves, are unchanged.
        for index in [0, 1, 2, 3, 5, 6, 7, 8, 9] { #expect(protected[index] == arguments[index]) }
    }

    @Test func `Shell options are accepted before the database, but not before a command`() throws {
        let shell = try #require(try shell("--keep-going", "--write", "--no-history", "/tmp", "-c", "count"))
        #expect(shell.keepsGoing && !shell.keepsHistory && shell.readsConfiguration && shell.options.isWritable)
        #expect(shell.sources == [.text("count")])
        #expect(throws: CommandError.self) { try Invocation(["--keep-going", "count", "/tmp"]) }
    }

    @Test func `A negative number after an option is its value, for every declared option of every command`() throws {
        var optionCount = 0
        for command in CommandCatalog.current.leaves {
            for option in command.arguments where option.kind != .positional {
                for name in option.names {
                    let protected = Invocation.protecting([name, "-5"], of: command.words)
                    if option.kind == .option { #expect(protected == [name, "-5"], "\(command.name) \(name)") }
                    if option.kind == .option { optionCount += 1 }
                }
            }
        }
        #expect(optionCount > 100)
        #expect(Invocation.protecting(["--count", "-5"], of: ["find"]) == ["--count", ProtectedArgument.mark + "-5"])
    }

    @Test func `Exactly the options that every command declares may precede a command`() {
        let declared = CommandCatalog.sharedOptions
        #expect(SharedOptions.flags == Set(declared.filter { $0.kind == .flag }.flatMap(\.names)))
        #expect(SharedOptions.valued == Set(declared.filter { $0.kind == .option }.flatMap(\.names)))
    }
}
