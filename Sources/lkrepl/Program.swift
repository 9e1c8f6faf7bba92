import ArgumentParser
import DocIndex
import LevelKit

/// Runs one command line: finds the command, or opens the shell, and turns every failure into a text and an exit code.
enum Program {
    /// Runs the arguments of a process.
    static func run(arguments: [String]) -> ExitCode {
        report {
            switch try Invocation(arguments) {
            case .command(let arguments): try runCommand(arguments)
            case .shell(let invocation): try Shell.run(invocation)
            }
        }
    }

    /// Parses and runs one command.
    ///
    /// Help and the version go to standard output and are no failure.
    static func runCommand(_ arguments: [String]) throws {
        var command: any ParsableCommand
        do {
            command = try RootCommand.parseAsRoot(arguments)
        } catch {
            let text = RootCommand.fullMessage(for: error)
            guard RootCommand.exitCode(for: error) != .success else {
                let output = StandardOutput()
                try output.write(text + "\n")
                try output.flush()
                return
            }
            throw UsageFailure(text: text)
        }
        try command.run()
    }

    /// Runs `body`; tells on standard error what went wrong.
    static func report(_ body: () throws -> Void) -> ExitCode {
        do {
            try body()
            return .done
        } catch let usage as UsageFailure {
            StandardError.shared.write(usage.text + "\n")
            return .usage
        } catch {
            let failure = CommandFailure(error)
            if let text = failure.text { StandardError.shared.write(text) }
            return failure.exitCode
        }
    }
}

/// Arguments that fit no command, with the text that says so.
struct UsageFailure: Error {
    let text: String
}

/// The command that has all others below it.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lkrepl",
        abstract: "Look into LevelDB databases and document stores, query them, and move data in and out.",
        usage: """
            lkrepl DB                      open the shell
            lkrepl DB -c 'COMMAND' ...     run commands as the shell does
            lkrepl COMMAND DB [ARGUMENTS]  run one command
            """,
        discussion: """
            Nothing is changed without --write. Data goes to standard output, everything else to standard error.
            Exit codes: 0 done, 1 no (not found), 64 usage, 65 bad data, 66 no such input, 74 input/output error,
            75 locked by another process, 77 --write is needed.
            """,
        version: Version.text,
        subcommands: [
            InitCommand.self, ImportCommand.self, FindCommand.self, SearchCommand.self, DocCommand.self,
            CollectionsCommand.self, StatsCommand.self, VerifyCommand.self, DumpCommand.self, LoadCommand.self,
            GetCommand.self, PutCommand.self, DelCommand.self, ScanCommand.self, CountCommand.self,
        ]
    )
}

/// The version of the program, and what dumps say of it.
enum Version {
    static let text = "0.1.0"
}
