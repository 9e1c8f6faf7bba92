import ArgumentParser
import DocIndex
import LevelKit

/// Runs one command line: finds the command or opens the shell, and turns each failure into a message and an exit
/// code.
enum Program {
    /// Runs the arguments of the process.
    static func run() -> ExitCode {
        FileDescriptor.reserveStandardStreams()
        CrashReports.silence()
        guard DescriptorLimit.raise() else {
            // The message is written without using another descriptor.
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
    /// `CommandLine.arguments` replaces bytes that are not UTF-8 by U+FFFD. Stored as a key, that would be a
    /// different key.
    private static func processArguments() throws -> [String] {
        try (1..<max(1, Int(CommandLine.argc))).map { index in
            guard let bytes = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: bytes)
            else {
                throw CommandFailure(
                    .usage, "argument \(index) is not UTF-8", hint: "write other bytes as 0x68 or b64:aA==")
            }
            return text
        }
    }

    /// Parses and runs one command, so that ^C stops it.
    ///
    /// Help and the version are written to standard output and are not failures.
    static func runCommand(_ arguments: [String]) throws {
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
                throw UsageFailure(RootCommand.fullMessage(for: error), within: arguments.first)
            }
        }
    }

    /// Runs `body`, and reports errors on standard error.
    static func report(_ body: () throws -> Void) -> ExitCode {
        do {
            try body()
            return .done
        } catch let usage as UsageFailure {
            ErrorReport.tell(usage)
            return .usage
        } catch {
            var failure = CommandFailure(error)
            // A signal determines the exit code, whichever call it interrupted.
            if failure.exitCode == .interrupted, let reason = Interruption.reason { failure.exitCode = reason.exitCode }
            ErrorReport.tell(failure)
            return failure.exitCode
        }
    }
}

/// Arguments that no command accepts, with ArgumentParser's message.
struct UsageFailure: Error {
    /// The command, preceded by the position in a script if there is one.
    var context: [String]
    /// The error, followed by the expected usage, one line each.
    private let lines: [String]

    /// - Parameters:
    ///   - text: The message of ArgumentParser.
    ///   - command: The command; `nil` if there is none.
    init(_ text: String, within command: String?) {
        let text = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        // The message quotes arguments, which must not control the terminal.
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { VisibleText.singleLine(String($0).replacing(Invocation.protection, with: "")) }
        context = command.map { [VisibleText.singleLine($0)] } ?? []
    }

    /// The error in one line.
    var message: String { lines.first ?? "bad arguments" }

    /// The whole message: `lkrepl: find: Unknown option '--bogus'`, and how the command is used.
    var text: String {
        (["lkrepl"] + context).joined(separator: ": ") + ": " + lines.joined(separator: "\n")
    }
}

/// The root command, which has all others as subcommands.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lkrepl",
        abstract: "Inspect and query LevelDB databases and document stores, and move data in and out.",
        usage: """
            lkrepl DB                             open the shell
            lkrepl DB -c 'COMMAND' -f FILE ...    run shell commands in order
            lkrepl COMMAND DB [ARGUMENTS]         run one command
            """,
        discussion: """
            Nothing is changed or locked without --write: reading works while another process writes, on a full disk \
            and without permission to write. Data goes to standard output, everything else to standard error. \
            With -c and -f the first failure ends the run; --keep-going runs the rest. --no-config ignores the \
            user's configuration, --no-history keeps no history, --color auto|always|never controls colors, \
            --no-pager shows long results without a pager, \
            --untrusted checks every block of a database from an untrusted source, \
            --error-format json reports failures as JSON.
            Exit codes: 0 done, 1 not found or different, 64 usage, 65 bad data, 66 input not found, \
            74 input/output error, 75 locked by another process that writes, 77 --write is needed, 130 interrupted.
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

/// The version of the program, as written to dumps.
enum Version {
    static let text = "0.1.0"
}
