import ArgumentParser
import DocIndex
import Inspector
import LevelFiles

/// Runs the commands of the inspector's console in this process, on the store that is shown.
///
/// The same commands as in the shell, with the same output. What they print is kept in memory, up to a limit.
struct StoreConsole: Sendable {
    let served: ServedSession

    init(_ served: ServedSession) { self.served = served }

    /// The console, pictures in other sizes, and the files of the database, for the pages.
    var services: ShellServices {
        let pictures = ServedPictures(served)
        return ShellServices(console: console, picture: { try await pictures.picture(of: $0, $1) }) { key in
            try InspectedFiles.history(of: key, at: served.current.path).versions.map {
                StoredVersion(
                    sequence: $0.sequence, value: $0.kind == .deletion ? nil : $0.value, file: $0.file,
                    isCurrent: $0.isCurrent)
            }
        }
    }

    private var console: CommandConsole {
        let leaves = CommandGroup.grouped(.current).flatMap(\.commands)
        return CommandConsole(
            commands: leaves.filter { ConsoleCommands.reading.contains($0.name) }.map {
                // The examples of the commands for keys are for databases that are no store.
                let example = CommandGroup.of($0.name) == .keys ? nil : $0.shellExample
                return CommandConsole.Command(name: $0.name, abstract: $0.abstract, example: example)
            },
            refusals: leaves.compactMap { command in
                ConsoleCommands.refused[command.name].map { CommandConsole.Refusal(name: command.name, reason: $0) }
            },
            run: { try run($0, $1, byteLimit: $2) })
    }

    /// Runs a line.
    ///
    /// - Throws: `CancellationError` if the task was canceled. Failures of the command are in its output.
    func run(_ line: String, _ form: CommandConsole.Form, byteLimit: Int) throws -> CommandConsole.Output {
        let results = OutputCapture(limit: byteLimit)
        let messages = OutputCapture(limit: 1 << 16)
        let writer = StandardError(descriptor: FileDescriptor(rawValue: -1), capture: messages)
        let code = OutputTarget.$current.withValue(.memory(results)) {
            StandardError.$captured.withValue(writer) { CommandRunner.report { try perform(line, form) } }
        }
        try Task.checkCancellation()
        var output = CommandConsole.Output()
        (output.results, output.isCut) = results.result
        output.messages = messages.result.text
        output.exitCode = output.isCut && code == .brokenPipe ? ExitCode.done.rawValue : code.rawValue
        return output
    }

    private func perform(_ line: String, _ form: CommandConsole.Form) throws {
        let words = try words(of: line)
        do {
            try run(words, form)
        } catch let usage as UsageError {
            throw usage
        } catch {
            throw CommandError(error).within(words[0])
        }
    }

    private func words(of line: String) throws -> [String] {
        do {
            let commands = try ShellScanner.commands(in: line)
            guard commands.count == 1, let command = commands.first else {
                throw CommandError(.usage, "the console takes one command", hint: "such as collections")
            }
            return [String(command.arguments[0].trimmingPrefix("."))] + command.arguments.dropFirst()
        } catch let mistake as ShellSyntaxError {
            throw Shell.located(mistake, in: "console")
        }
    }

    private func run(_ words: [String], _ form: CommandConsole.Form) throws {
        if try help(words) { return }
        try ConsoleCommands.check(words)
        let session = served.current
        session.unpin()
        guard let arguments = try Invocation.command(words[...], options: options(form), database: session.path) else {
            throw CommandError(.usage, "unknown command \(words[0])", hint: "help lists the commands")
        }
        // Its commands read no standard input, and none is allowed to write.
        let box = SessionBox(session, readsStandardInput: true, isConfined: true)
        try Session.$shell.withValue(box) {
            try LastTable.$current.withValue(box.lastTable) {
                try ArgumentOrigin.$current.withValue(.shell) { try CommandRunner.perform(arguments) }
            }
        }
    }

    /// Runs a command of the shell itself: prints help, or refuses it. Returns `false` for other commands.
    private func help(_ words: [String]) throws -> Bool {
        let names = Set(RootCommand.configuration.subcommands.map { $0._commandName })
        guard let meta = MetaCommand(word: words[0], commands: names) else { return false }
        guard meta == .help else {
            throw ConsoleCommands.refusal(meta.rawValue, ConsoleCommands.refusedMeta[meta] ?? meta.abstract)
        }
        let text = try ShellHelp.text(Array(words.dropFirst()))
        let output = StandardOutput()
        try output.write(text + "\n")
        try output.flush()
        return true
    }

    private func options(_ form: CommandConsole.Form) throws -> SharedOptions {
        var options = SharedOptions()
        if case .people = form { options.mode = OutputMode.table.rawValue }
        var others = ["--progress", "none"][...]
        _ = try options.take(from: &others)
        return options
    }
}
