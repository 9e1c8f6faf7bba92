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
            if Self.flags.contains(first) {
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
            self = .command([first] + options + Self.protectingNumbers(rest.dropFirst(), of: first))
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
            case let flag where flags.contains(flag): shell.options.append(flag)
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

    /// Commands whose arguments may be negative numbers, which ArgumentParser would take for options.
    private static let expressive: Set<String> = ["find", "search"]

    /// Marks arguments such as `-73.99` as no options; ``plain(_:)`` takes the mark off.
    static func protectingNumbers(_ arguments: some Sequence<String>, of command: String) -> [String] {
        guard expressive.contains(command) else { return Array(arguments) }
        return arguments.map { argument in
            let second = argument.utf8.dropFirst().first ?? 0
            return argument.hasPrefix("-") && (0x30...0x39).contains(second) ? numberMark + argument : argument
        }
    }

    /// An argument as it was typed.
    static func plain(_ argument: String) -> String {
        argument.hasPrefix(numberMark) ? String(argument.dropFirst(numberMark.count)) : argument
    }

    private static let numberMark = "\u{1}"
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
