import ArgumentParser

/// What the arguments of a process ask for: one command, or the shell on a database.
enum Invocation {
    /// A shell, and what it reads from.
    struct ShellInvocation {
        var database: String
        /// Commands given with `-c`.
        var commands: [String] = []
        /// A file given with `-f`.
        var script: String?
        /// Options that hold for every command of the shell, such as `--write`.
        var options: [String] = []
    }

    /// One command with its arguments, options moved behind its name.
    case command([String])
    /// The shell.
    case shell(ShellInvocation)

    /// Options of every command that may stand before its name; those that take a value are listed apart.
    private static let flags: Set<String> = ["--write", "-q", "--quiet", "--json", "-y", "--yes"]
    private static let valued: Set<String> = ["--mode", "--progress"]

    /// Reads the arguments of a process, without the name of the program.
    ///
    /// The first argument that is no option is the name of a command or the path of a database. ArgumentParser cannot
    /// tell the two apart, so this does.
    init(_ arguments: [String]) throws {
        var options: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            if Self.flags.contains(first) || Self.isJoined(first) {
                options.append(rest.removeFirst())
            } else if Self.valued.contains(first), rest.count > 1 {
                options += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard let first = rest.first, !first.hasPrefix("-") else {
            self = .command(rest.isEmpty ? ["--help"] : Array(rest))
            return
        }
        let names = RootCommand.configuration.subcommands.map { $0._commandName } + ["help"]
        if names.contains(first) {
            // The commands below `doc` take the options, not `doc` itself.
            let nameCount = first == "doc" ? min(2, rest.count) : 1
            let others = Self.protecting(rest.dropFirst(nameCount), of: first)
            self = .command(rest.prefix(nameCount) + options + others)
            return
        }
        if rest.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .command(["--help"])
            return
        }
        self = .shell(try Self.shell(first, rest.dropFirst(), options: options, names: names))
    }

    private static func shell(
        _ database: String, _ rest: ArraySlice<String>, options: [String], names: [String]
    ) throws -> ShellInvocation {
        guard FileDescriptor.isDirectory(database) else {
            let near = names.min { database.editDistance(to: $0) < database.editDistance(to: $1) }
            let isNear = near.map { database.editDistance(to: $0) <= 2 } ?? false
            throw CommandFailure(
                isNear ? .usage : .noInput, "there is no command and no database \(database)",
                hint: isNear
                    ? "did you mean \(near ?? "")?" : "lkrepl --help lists the commands; lkrepl init makes a store")
        }
        var shell = ShellInvocation(database: database, options: options)
        var rest = rest
        while let first = rest.popFirst() {
            switch first {
            case "-c", "-f":
                guard let value = rest.popFirst() else {
                    throw CommandFailure(.usage, "\(first) needs a value")
                }
                if first == "-c" { shell.commands.append(value) } else { shell.script = value }
            case let flag where flags.contains(flag) || isJoined(flag): shell.options.append(flag)
            case let option where valued.contains(option):
                guard let value = rest.popFirst() else { throw CommandFailure(.usage, "\(option) needs a value") }
                shell.options += [option, value]
            default:
                throw CommandFailure(
                    .usage, "\(first) cannot follow a database",
                    hint: "write lkrepl COMMAND \(database) …, or lkrepl \(database) -c 'COMMAND …'")
            }
        }
        return shell
    }

    /// Whether an argument is an option with its value, such as `--mode=json`.
    private static func isJoined(_ argument: String) -> Bool {
        valued.contains { argument.hasPrefix($0 + "=") }
    }

    // MARK: - Arguments that look like options

    /// Commands that take words, numbers or keys that may begin with a dash.
    private static let expressive: Set<String> = ["find", "search", "export", "doc", "get", "put", "del"]
    /// Options behind which a value stands, whatever it begins with.
    private static let taking: Set<String> = [
        "--limit", "--skip", "--batch", "--fields", "--sort", "--where", "--mode", "--progress", "--from", "--to",
        "--after", "--upto", "--prefix", "--map-prefix", "--output", "-o",
    ]
    /// Stands before an argument that is to be no option; a character that nobody types.
    static let protection = "\u{1}"

    /// Marks arguments such as `-73.99`, and words such as `-ice` of a search, as no options; ``plain(_:)`` takes the
    /// mark off.
    static func protecting(_ arguments: some Sequence<String>, of command: String) -> [String] {
        guard expressive.contains(command) else { return Array(arguments) }
        var previous = ""
        return arguments.map { argument in
            defer { previous = argument }
            // What begins with the mark itself gets a second one, so that it keeps its own.
            let isMarked =
                argument.hasPrefix(protection) || !taking.contains(previous) && isValue(argument, of: command)
            return isMarked ? protection + argument : argument
        }
    }

    private static func isValue(_ argument: String, of command: String) -> Bool {
        let utf8 = Array(argument.utf8.prefix(3))
        guard utf8.count >= 2, utf8[0] == UInt8(ascii: "-"), utf8[1] != UInt8(ascii: "-") else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if digits.contains(utf8[1]) { return true }
        if utf8[1] == UInt8(ascii: "."), utf8.count == 3, digits.contains(utf8[2]) { return true }
        return command == "search" && !["-q", "-y", "-h", "-qy", "-yq"].contains(argument)
    }

    /// An argument as it was typed.
    static func plain(_ argument: String) -> String {
        argument.hasPrefix(protection) ? String(argument.dropFirst(protection.count)) : argument
    }
}

extension String {
    /// Insertions, deletions and replacements of characters that lead from one text to the other (Levenshtein, 1966).
    fileprivate func editDistance(to other: String) -> Int {
        let a = Array(self.prefix(40))
        let b = Array(other.prefix(40))
        var row = Array(0...b.count)
        for i in 1...max(1, a.count) where i <= a.count {
            var previous = row[0]
            row[0] = i
            for j in 1...max(1, b.count) where j <= b.count {
                let above = row[j]
                row[j] = Swift.min(row[j] + 1, row[j - 1] + 1, previous + (a[i - 1] == b[j - 1] ? 0 : 1))
                previous = above
            }
        }
        return row[b.count]
    }
}
