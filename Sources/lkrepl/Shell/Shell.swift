import ArgumentParser
import DocIndex
import LevelKit

/// Reads commands and runs them on one open database.
///
/// Commands are those of the process without the database: `find photos rating = 5`. From a terminal a failure is told
/// and the next command is read; from `-c`, `-f` or a pipe the first failure ends the run.
struct Shell {
    private let invocation: Invocation.ShellInvocation
    private let session: Session
    private let isInteractive: Bool

    /// Opens the database, runs what the invocation says, and closes it.
    static func run(_ invocation: Invocation.ShellInvocation) throws {
        let session = try Session(path: invocation.database)
        let readsInput = invocation.commands.isEmpty && invocation.script == nil
        let shell = Shell(
            invocation: invocation, session: session,
            isInteractive: readsInput && FileDescriptor.standardInput.isTerminal)
        do {
            try Session.$shell.withValue(SessionBox(session, readsStandardInput: readsInput)) {
                try ArgumentOrigin.$current.withValue(.shell) { try shell.runAll() }
            }
        } catch {
            try? session.close()
            throw error
        }
        try session.close()
    }

    private func runAll() throws {
        for text in invocation.commands where try !runLines(of: text) { return }
        if let script = invocation.script {
            let descriptor = try FileDescriptor.openForReading(script)
            try runFile(descriptor, name: script)
        } else if invocation.commands.isEmpty {
            try runFile(.standardInput, name: "standard input")
        }
    }

    // MARK: - Sources of lines

    /// - Returns: whether more may follow; `false` after `quit`.
    private func runLines(of text: String) throws -> Bool {
        let commands: [ShellCommand]
        do {
            commands = try ShellScanner.commands(in: text)
        } catch {
            throw Self.located(error, in: "-c")
        }
        for command in commands where try !run(command, name: "-c") { return false }
        return true
    }

    private func runFile(_ descriptor: FileDescriptor, name: String) throws {
        var reader = LineReader(descriptor: descriptor)
        var scanner = ShellScanner()
        if isInteractive { greet() }
        while true {
            if isInteractive { prompt(isContinued: scanner.openConstruct != nil) }
            guard let line = try reader.next() else { break }
            let commands: [ShellCommand]
            do {
                guard let text = String(validating: line.bytes, as: UTF8.self) else {
                    throw CommandFailure(.badData, "the line is not UTF-8", hint: "write bytes as 0x68 or b64:aA==")
                }
                commands = try scanner.feed(text)
            } catch {
                guard isInteractive else { throw Self.located(error, in: name, line: line.number) }
                _ = Program.report { throw error }
                continue
            }
            for command in commands where try !run(command, name: name) { return }
        }
        if isInteractive { return StandardError.shared.write("\n") }
        do {
            try scanner.finish()
        } catch {
            throw Self.located(error, in: name)
        }
    }

    private func greet() {
        let isQuiet = invocation.options.contains("-q") || invocation.options.contains("--quiet")
        guard !isQuiet else { return }
        let access =
            invocation.options.contains("--write") ? "changes allowed" : "read-only; start with --write to change"
        StandardError.shared.write("lkrepl \(Version.text) on \(session.database.path) (\(access)). help, quit\n")
    }

    private func prompt(isContinued: Bool) {
        let name = session.path.split(separator: "/").last.map(String.init) ?? session.path
        let access = invocation.options.contains("--write") ? "rw!" : "ro"
        StandardError.shared.write(isContinued ? "...> " : "\(name) \(access)> ")
    }

    // MARK: - Commands

    /// Runs one command.
    ///
    /// - Returns: whether another may follow; `false` after `quit`.
    private func run(_ command: ShellCommand, name: String) throws -> Bool {
        var arguments = command.arguments
        let verb = arguments[0].hasPrefix(".") ? String(arguments[0].dropFirst()) : arguments[0]
        arguments[0] = verb
        switch verb {
        case "quit", "exit", "q": return false
        case "help", "?":
            try show(try helped(arguments.dropFirst()))
            return true
        default: break
        }
        do {
            try Program.runCommand(try completed(arguments))
        } catch {
            guard isInteractive else { throw Self.located(error, "\(name):\(command.line): \(verb)") }
            _ = Program.report { throw error }
        }
        return true
    }

    /// A command of the shell as one of the process: with the database, and the options of the shell.
    private func completed(_ arguments: [String]) throws -> [String] {
        let verb = arguments[0]
        let names = RootCommand.configuration.subcommands.map { $0._commandName }
        guard names.contains(verb), verb != "init" else {
            throw CommandFailure(.usage, "there is no command \(verb) here", hint: "help lists the commands")
        }
        // A command with commands of its own takes the database behind theirs.
        let nested = verb == "doc" ? 2 : 1
        let rest = Invocation.protecting(arguments.dropFirst(nested), of: verb)
        return Array(arguments.prefix(nested)) + invocation.options + [session.path] + rest
    }

    private func helped(_ arguments: ArraySlice<String>) throws -> String {
        let command = RootCommand.configuration.subcommands.first { $0._commandName == arguments.first }
        guard let command else {
            let lines = RootCommand.configuration.subcommands.filter { $0 != InitCommand.self }.map { command in
                command._commandName.padded(to: 14) + command.configuration.abstract
            }
            return
                (["Commands, each without the database here; help COMMAND tells more:", ""] + lines
                + ["quit          Leave the shell."]).joined(separator: "\n")
        }
        return RootCommand.helpMessage(for: command)
    }

    private func show(_ text: String) throws {
        let output = StandardOutput()
        try output.write(text + "\n")
        try output.flush()
    }

    /// A line that cannot be read, with its place in the script.
    private static func located(_ error: any Error, in name: String, line: Int = 1) -> CommandFailure {
        guard let mistake = error as? ShellSyntaxError else {
            return CommandFailure(error).within("\(name):\(line)")
        }
        return CommandFailure(.usage, mistake.message).within("\(name):\(mistake.line):\(mistake.column)")
    }

    private static func located(_ error: any Error, _ place: String) -> any Error {
        if let usage = error as? UsageFailure { return UsageFailure(text: "lkrepl: \(place): \(usage.text)") }
        return CommandFailure(error).within(place)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
