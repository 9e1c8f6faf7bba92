import ArgumentParser
import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs the arguments of the process: one command, or the shell.
enum Program {
    /// Runs the arguments of the process.
    static func run() -> ExitCode {
        FileDescriptor.reserveStandardStreams()
        CrashReports.silence()
        if isAskedForVersion { return CommandRunner.report { try Self.printVersion() } }
        guard DescriptorLimit.raise() else {
            // The message is written without using another descriptor.
            try? FileDescriptor.standardError.writeAll(Array(DescriptorLimit.message.utf8))
            return .inputOutput
        }
        Interruption.install()
        return CommandRunner.report {
            let arguments = try processArguments()
            try SharedOptions.applyToProcess(arguments)
            CrashReports.explainAborts()
            let invocation = try Invocation(arguments)
            let services = ServedSession.ServiceMaker { StoreConsole($0).services }
            try ServedSession.$services.withValue(services) { try run(invocation) }
        }
    }

    private static func run(_ invocation: Invocation) throws {
        switch invocation {
        case .command(let arguments):
            let isPaged = !SharedOptions.refusesPager(arguments)
            try PagerGate.run(isPaged ? .auto : .off) { try CommandRunner.run(arguments) }
        case .help(let topic): try PagerGate.run(.auto) { try ShellHelp.show(topic) }
        case .shell(let invocation): try Shell.run(invocation)
        }
    }

    /// Whether the only argument is `--version`, which needs no parser.
    private static var isAskedForVersion: Bool {
        guard CommandLine.argc == 2, let argument = unsafe CommandLine.unsafeArgv[1] else { return false }
        return unsafe strcmp(argument, "--version") == 0
    }

    private static func printVersion() throws {
        let output = StandardOutput()
        try output.write(Version.text + "\n")
        try output.flush()
    }

    /// The arguments of the process, without its name.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8 by U+FFFD. Stored as a key, that would be a
    /// different key.
    private static func processArguments() throws -> [String] {
        try (1..<max(1, Int(CommandLine.argc))).map { index in
            guard let bytes = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: bytes)
            else {
                throw CommandError(
                    .usage, "argument \(index) is not UTF-8", hint: "write other bytes as 0x68 or b64:aA==")
            }
            return text
        }
    }
}
