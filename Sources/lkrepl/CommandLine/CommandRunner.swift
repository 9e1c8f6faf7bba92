import ArgumentParser

/// Runs one command, and turns each failure into a message and an exit code.
enum CommandRunner {
    /// Parses and runs one command, so that ^C stops it.
    ///
    /// Help and the version are written to standard output and are not failures.
    static func run(_ arguments: [String]) throws {
        try CommandTask.run {
            let outputs = OpenOutputs(command: arguments.first)
            do {
                var command = try RootCommand.parseAsRoot(arguments)
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
                throw UsageError(RootCommand.fullMessage(for: error), within: arguments.first)
            }
        }
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
