import ArgumentParser
import DocIndex
import LevelKit

/// Reads commands and runs them on one open database.
///
/// Commands are written as on the command line, without the database: `find photos rating = 5`. At a terminal, a
/// failure is reported and the next command is read. From `-c`, `-f` or a pipe, the first failure ends the run; with
/// `--keep-going`, it determines the exit code.
final class Shell {
    let invocation: Invocation.ShellInvocation
    let box: SessionBox
    let isInteractive: Bool
    /// The names of the commands that are available in the shell.
    let commandNames: Set<String>
    let history: HistoryFile
    /// The files being read, innermost last.
    var openFiles: [String] = []
    /// The sinks for the output of every command (`.output`), and of the next one (`.once`).
    var redirections = Redirections()
    /// The last input, for `.edit`.
    var lastInput = ""
    /// The exit code of the first failure with `--keep-going`.
    private var firstFailure: ExitCode?

    /// Opens the database, runs the invocation, and closes the database.
    static func run(_ invocation: Invocation.ShellInvocation) throws {
        var settings = ShellSettings()
        settings.options = invocation.options
        let refusesPager = SharedOptions.refusesPager(invocation.options.arguments)
        let isInteractive = invocation.sources.isEmpty && FileDescriptor.standardInput.isTerminal
        if isInteractive, invocation.readsConfiguration, let path = UserFiles.configuration {
            try Configuration.apply(path, to: &settings)
        }
        if refusesPager { settings.paging = .off }
        let session = try Session(path: invocation.database, access: try DatabaseAccess(settings.options))
        let box = SessionBox(session, readsStandardInput: invocation.sources.isEmpty, settings: settings)
        let shell = Shell(invocation, box, isInteractive: isInteractive)
        defer { try? shell.redirections.close() }
        do {
            try Session.$shell.withValue(box) {
                try LastTable.$current.withValue(box.lastTable) {
                    try ArgumentOrigin.$current.withValue(.shell) { try shell.runAll() }
                }
            }
        } catch {
            try? box.session.close()
            throw error
        }
        try shell.redirections.close()
        try box.session.close()
    }

    private init(_ invocation: Invocation.ShellInvocation, _ box: SessionBox, isInteractive: Bool) {
        self.invocation = invocation
        self.box = box
        self.isInteractive = isInteractive
        commandNames = Set(
            RootCommand.configuration.subcommands.map { $0._commandName }.filter { $0 != "init" && $0 != "generate" }
        ).union(Invocation.aliases.keys)
        let keepsHistory = isInteractive && invocation.keepsHistory
        history = HistoryFile(path: keepsHistory ? UserFiles.history : nil)
    }

    // MARK: - Sources of commands

    private func runAll() throws {
        if isInteractive { return try runInteractively() }
        sources: for source in invocation.sources {
            let goesOn =
                switch source {
                case .text(let text): try runLines(of: text)
                case .file(let name): try runFile(name)
                }
            if !goesOn { break sources }
        }
        if invocation.sources.isEmpty { _ = try runFile(.standardInput, name: "standard input") }
        if let firstFailure { throw CommandError.silent(firstFailure) }
    }

    /// - Returns: Whether to continue; `false` after `quit`.
    private func runLines(of text: String) throws -> Bool {
        let commands: [ShellCommand]
        do {
            commands = try ShellScanner.commands(in: text)
        } catch {
            try fail(Self.located(error, in: "-c"))
            return true
        }
        for command in commands where try !run(command, name: "-c") { return false }
        return true
    }

    /// Runs the commands of a file; `-` is standard input.
    ///
    /// - Returns: Whether to continue; `false` after `quit`.
    func runFile(_ path: String) throws -> Bool {
        guard openFiles.count < 16, !openFiles.contains(path) || path == "-" else {
            throw CommandError(.usage, "\(path) includes itself, or files are nested more than 16 deep")
        }
        let descriptor = try FileDescriptor.openForReading(path)
        defer { if path != "-" { try? descriptor.closeFile() } }
        openFiles.append(path)
        defer { openFiles.removeLast() }
        return try runFile(descriptor, name: path == "-" ? "standard input" : path)
    }

    private func runFile(_ descriptor: FileDescriptor, name: String) throws -> Bool {
        var reader = LineReader(descriptor: descriptor)
        var scanner = ShellScanner()
        while let line = try RawArgument.nextLine(&reader, of: name) {
            let commands: [ShellCommand]
            do {
                guard let text = String(validating: line.bytes, as: UTF8.self) else {
                    throw CommandError(.badData, "the line is not UTF-8", hint: "write bytes as 0x68 or b64:aA==")
                }
                commands = try scanner.feed(text)
            } catch {
                try fail(Self.located(error, in: name, line: line.number))
                continue
            }
            for command in commands where try !run(command, name: name) { return false }
        }
        do {
            try scanner.finish()
        } catch {
            try fail(Self.located(error, in: name))
        }
        return true
    }

    /// Reports a failure and continues, or ends the run with it.
    private func fail(_ error: any Error) throws {
        let isEnd = Interruption.isRequested
        guard !isEnd, invocation.keepsGoing, !isInteractive else { throw error }
        let code = CommandRunner.report { throw error }
        firstFailure = firstFailure ?? code
    }

    // MARK: - Commands

    /// Runs one command of a script.
    ///
    /// - Returns: Whether to continue; `false` after `quit`.
    private func run(_ command: ShellCommand, name: String) throws -> Bool {
        do {
            return try perform(command)
        } catch {
            try fail(Self.located(error, "\(name):\(command.line): \(command.arguments[0])"))
            return true
        }
    }

    /// Runs one command from any source.
    ///
    /// - Returns: Whether to continue; `false` after `quit`.
    func perform(_ command: ShellCommand) throws -> Bool {
        let words = command.arguments
        if let meta = MetaCommand(word: words[0], commands: commandNames) {
            return try perform(meta, try words.dropFirst().map { try ArgumentOrigin.shell.text(of: $0) })
        }
        let arguments = try completed(words)
        let start = ContinuousClock.now
        defer { if box.settings.isTimed { StandardError.shared.write("time: \(start.millisecondsText)\n") } }
        try withOutput(paging: SharedOptions.refusesPager(arguments) ? .off : nil) {
            try withMoment { try CommandRunner.run(arguments) }
        }
        return true
    }

    /// Converts a shell command to arguments of the process, with the database and the options of the shell.
    private func completed(_ words: [String]) throws -> [String] {
        let verb = words[0].hasPrefix(".") ? String(words[0].dropFirst()) : words[0]
        guard commandNames.contains(verb),
            let arguments = try Invocation.command(
                [verb] + words.dropFirst(), options: box.settings.options, database: box.session.path)
        else {
            let names = Array(commandNames) + MetaCommand.allCases.map(\.rawValue)
            let near = UsageAdvice.command(for: verb, of: names.sorted())
            throw CommandError(
                .usage, "unknown command \(verb)",
                hint: near.map { "did you mean \($0)?" } ?? "help lists the commands")
        }
        return arguments
    }

    /// Runs a command on a snapshot of the database. A read-only shell keeps its snapshot until one of its own commands
    /// writes; otherwise each command reads the current state.
    private func withMoment(_ body: () throws -> Void) throws {
        if box.settings.options.isWritable {
            box.session.unpin()
            return try body()
        }
        if !box.session.isPinned { try box.session.pin() }
        box.mayHaveWritten = false
        defer { if box.mayHaveWritten { box.session.unpin() } }
        try body()
    }

    // MARK: - Locations

    /// The failure of an invalid line, with its position in the script.
    static func located(_ error: any Error, in name: String, line: Int = 1) -> CommandError {
        guard let mistake = error as? ShellSyntaxError else {
            return CommandError(error).within("\(name):\(line)")
        }
        return CommandError(.usage, mistake.message).within("\(name):\(mistake.line):\(mistake.column)")
    }

    private static func located(_ error: any Error, _ place: String) -> any Error {
        if var usage = error as? UsageError {
            // The location ends with the command's name, which the failure already contains.
            usage.context = [place] + usage.context.dropFirst()
            return usage
        }
        return CommandError(error).within(place)
    }
}
