import ArgumentParser
import DocIndex
import LevelKit

/// Runs one command line: finds the command, or opens the shell, and turns every failure into a text and an exit code.
enum Program {
    /// Runs the arguments of the process.
    static func run() -> ExitCode {
        FileDescriptor.reserveStandardStreams()
        CrashReports.silence()
        guard DescriptorLimit.raise() else {
            // Nothing that may need a descriptor is used to say so.
            try? FileDescriptor.standardError.writeAll(Array(DescriptorLimit.message.utf8))
            return .inputOutput
        }
        Interruption.install()
        return report {
            let arguments = try processArguments()
            try SharedOptions.applyToProcess(arguments)
            CrashReports.explainAborts()
            switch try Invocation(arguments) {
            case .command(let arguments):
                let isPaged = !SharedOptions.refusesPager(arguments)
                try PagerGate.run(isPaged ? .auto : .off) { try runCommand(arguments) }
            case .shell(let invocation): try Shell.run(invocation)
            }
        }
    }

    /// The arguments of the process, without its name.
    ///
    /// `CommandLine.arguments` puts U+FFFD in place of bytes that are not UTF-8; stored as a key, that would be another
    /// key.
    private static func processArguments() throws -> [String] {
        try (1..<max(1, Int(CommandLine.argc))).map { index in
            guard let bytes = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: bytes)
            else {
                throw CommandFailure(
                    .usage, "argument \(index) is not UTF-8", hint: "write bytes as 0x68 or b64:aA==")
            }
            return text
        }
    }

    /// Parses and runs one command, so that ^C stops it.
    ///
    /// Help and the version go to standard output and are no failure.
    static func runCommand(_ arguments: [String]) throws {
        try CommandTask.run {
            let outputs = OpenOutputs(command: arguments.first)
            do {
                var command = try RootCommand.parseAsRoot(arguments)
                do {
                    try OpenOutputs.$current.withValue(outputs) { try command.run() }
                } catch {
                    // What was found until then is whole.
                    outputs.endEarly()
                    throw outputs.telling(error)
                }
            } catch  where RootCommand.exitCode(for: error) == .success {
                // Help and the version come as errors, from parsing or from running.
                let output = StandardOutput()
                try output.write(RootCommand.fullMessage(for: error) + "\n")
                try output.flush()
            } catch  where RootCommand.exitCode(for: error) == .validationFailure {
                throw UsageFailure(RootCommand.fullMessage(for: error), within: arguments.first)
            }
        }
    }

    /// Runs `body`; tells on standard error what went wrong.
    static func report(_ body: () throws -> Void) -> ExitCode {
        do {
            try body()
            return .done
        } catch let usage as UsageFailure {
            ErrorReport.tell(usage)
            return .usage
        } catch {
            var failure = CommandFailure(error)
            // Whichever wait a signal has ended, the exit code tells of the signal.
            if failure.exitCode == .interrupted, let reason = Interruption.reason { failure.exitCode = reason.exitCode }
            ErrorReport.tell(failure)
            return failure.exitCode
        }
    }
}

/// Arguments that fit no command, with the text that says so.
struct UsageFailure: Error {
    /// The command, and before it the place in a script.
    var context: [String]
    /// What is wrong, and behind it what was expected, each a line.
    private let lines: [String]

    /// - Parameters:
    ///   - text: what ArgumentParser tells.
    ///   - command: the command; `nil` where there is none.
    init(_ text: String, within command: String?) {
        let text = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        // Arguments are quoted, and must not act on a terminal.
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { VisibleText.singleLine(String($0).replacing(Invocation.protection, with: "")) }
        context = command.map { [VisibleText.singleLine($0)] } ?? []
    }

    /// What is wrong, in one line.
    var message: String { lines.first ?? "bad arguments" }

    /// What is told: `lkrepl: find: Unknown option '--bogus'`, and how the command is used.
    var text: String {
        (["lkrepl"] + context).joined(separator: ": ") + ": " + lines.joined(separator: "\n")
    }
}

/// The command that has all others below it.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lkrepl",
        abstract: "Look into LevelDB databases and document stores, query them, and move data in and out.",
        usage: """
            lkrepl DB                             open the shell
            lkrepl DB -c 'COMMAND' -f FILE ...    run commands as the shell does, in order
            lkrepl COMMAND DB [ARGUMENTS]         run one command
            """,
        discussion: """
            Nothing is changed or locked without --write: reading works while another process writes, on a full disk \
            and without permission to write. Data goes to standard output, everything else to standard error. \
            With -c and -f the first failure ends the run; --keep-going tries the rest. --no-config leaves out the \
            user's configuration, --no-history remembers nothing, --color auto|always|never decides on colours, \
            --no-pager shows long results on a terminal as they are, \
            --untrusted checks every block of a database that somebody else made, \
            --error-format json tells failures as JSON.
            Exit codes: 0 done, 1 no (not found), 64 usage, 65 bad data, 66 no such input, 74 input/output error, \
            75 locked by another process that writes, 77 --write is needed, 130 interrupted.
            """,
        version: Version.text,
        subcommands: [
            InitCommand.self, ImportCommand.self, ExportCommand.self, FindCommand.self, SearchCommand.self,
            DocCommand.self,
            CollectionsCommand.self, StatsCommand.self, VerifyCommand.self, DumpCommand.self, LoadCommand.self,
            GetCommand.self, MgetCommand.self, PutCommand.self, DelCommand.self, DelrangeCommand.self,
            BatchCommand.self, ScanCommand.self, KeysCommand.self, ValuesCommand.self, CountCommand.self,
            FirstCommand.self, LastCommand.self, SeekCommand.self, TreeCommand.self, BigkeysCommand.self,
            ApproxSizeCommand.self, DigestCommand.self, DiffCommand.self, KeyfmtCommand.self,
            PropertiesCommand.self, LevelsCommand.self, SSTCommand.self, WALCommand.self, ManifestCommand.self,
            VersionsCommand.self, CompactCommand.self, SnapshotCommand.self, RepairCommand.self, DestroyCommand.self,
            FacetsCommand.self, DistinctCommand.self, ExplainCommand.self, DescribeCommand.self, SchemaCommand.self,
            IndexesCommand.self, IndexCommand.self, MigrateCommand.self, GenerateCommand.self,
        ]
    )
}

/// The version of the program, and what dumps say of it.
enum Version {
    static let text = "0.1.0"
}
