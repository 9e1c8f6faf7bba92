import ArgumentParser

/// Runs one command, and turns each failure into a message and an exit code.
enum CommandRunner {
    /// Parses and runs one command, which ^C stops.
    ///
    /// Help and the version are written to standard output and are not failures.
    static func run(_ arguments: [String]) throws {
        try CommandTask.run { try perform(arguments) }
    }

    /// Parses and runs one command in the current task, whose cancellation stops it.
    static func perform(_ arguments: [String]) throws {
        let outputs = OpenOutputs(command: arguments.first)
        do {
            var command = try command(arguments)
            do {
                try OpenOutputs.$current.withValue(outputs) { try command.run() }
            } catch {
                // Finish the rows that were written so far.
                outputs.endEarly()
                throw outputs.telling(error)
            }
        } catch  where RootCommand.exitCode(for: error) == .success {
            // ArgumentParser throws help and the version as errors, from parsing or from running.
            let output = StandardOutput()
            try output.write(RootCommand.fullMessage(for: error) + "\n")
            try output.flush()
        } catch  where RootCommand.exitCode(for: error) == .validationFailure {
            let text = RootCommand.fullMessage(for: error)
            var usage = UsageError(text, within: arguments.first)
            let (words, rest) = split(arguments)
            usage.hint = UsageAdvice.hint(usage.message, of: words, rest)
            throw usage
        } catch let error as CommandError
            where error.exitCode == .noInput && arguments.first != "init" && !arguments.contains("--create")
        {
            var failure = error
            if let hint = UsageAdvice.hint(forMissingDatabase: split(arguments).rest) {
                failure.hint = arguments.first == "load" ? "\(hint) load --create creates a database" : hint
            }
            throw failure
        }
    }

    /// Parses the arguments.
    ///
    /// The parser of the named command alone is tried first, because the parser of the root creates the arguments of
    /// all commands, which takes longer than most commands. The root's parser handles everything else, such as help and
    /// errors.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        let (words, rest) = split(arguments)
        var type: any ParsableCommand.Type = RootCommand.self
        for word in words {
            type = type.configuration.subcommands.first { $0._commandName == word } ?? type
        }
        if !words.isEmpty, type.configuration.subcommands.isEmpty, let command = parsed(type, Array(rest)) {
            return command
        }
        return try RootCommand.parseAsRoot(arguments)
    }

    /// `nil` if the arguments are not those of the command alone.
    private static func parsed<Command: ParsableCommand>(
        _ type: Command.Type, _ arguments: [String]
    ) -> (any ParsableCommand)? {
        try? SingleCommand<Command>.parse(arguments).command
    }

    /// The name of the command, and the arguments after it.
    private static func split(_ arguments: [String]) -> (words: [String], rest: [String]) {
        var type: any ParsableCommand.Type = RootCommand.self
        var words: [String] = []
        for name in arguments {
            guard let next = type.configuration.subcommands.first(where: { $0._commandName == name }) else { break }
            type = next
            words.append(name)
        }
        return (words, Array(arguments.dropFirst(words.count)))
    }

    /// Runs `body`, and reports errors on standard error.
    static func report(_ body: () throws -> Void) -> ExitCode {
        do {
            try body()
            return .done
        } catch let usage as UsageError {
            ErrorReport.tell(usage)
            return .usage
        } catch {
            var failure = CommandError(error)
            // A signal determines the exit code, whichever call it interrupted.
            if failure.exitCode == .interrupted, let reason = Interruption.reason { failure.exitCode = reason.exitCode }
            ErrorReport.tell(failure)
            return failure.exitCode
        }
    }
}

/// A command that is parsed on its own.
///
/// ArgumentParser first parses the arguments of every root command as a request for a completion script, twice, which
/// takes nearly half of the parsing time. It skips this for a command with a `_superCommandName`.
private struct SingleCommand<Command: ParsableCommand>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Command._commandName, _superCommandName: RootCommand._commandName)
    }

    @OptionGroup var command: Command
}
