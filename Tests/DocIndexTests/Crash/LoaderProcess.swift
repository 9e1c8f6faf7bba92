import Foundation
import TestSupport

/// A process that performs the commits of ``LoaderHistory``.
struct LoaderProcess {
    /// The output of the process.
    struct Output {
        /// The last acknowledged commit; 0 if there is none.
        var lastCommit = 0
        /// The number of migrations that were started.
        var migrationCount = 0
        /// Failed calls.
        var failures: [String] = []
        /// Complete lines of any other kind.
        var rest: [String] = []

        init(_ text: String) {
            // A line break shows that the line was printed completely.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let words = line.split(separator: " ")
                if let number = Int(line) {
                    lastCommit = number
                } else if words.first == "migration", let number = words.last.flatMap({ Int($0) }) {
                    migrationCount = number
                } else if words.first == "failed" {
                    failures.append(String(line))
                } else {
                    rest.append(String(line))
                }
            }
        }
    }

    private let process = Process()
    private let outputPath: String
    private let output: FileHandle

    /// Starts the process.
    ///
    /// - Parameter outputPath: A file for its output.
    init(_ arguments: [String], printingTo outputPath: String, environment: [String: String] = [:]) throws {
        self.outputPath = outputPath
        try TestFiles.write([], to: outputPath)
        output = try FileHandle(forWritingTo: URL(filePath: outputPath))
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "docindex-loader")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// Returns whether the process has printed a complete line with a prefix.
    func hasPrinted(_ beginning: String) throws -> Bool {
        String(decoding: try TestFiles.bytes(of: outputPath), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().contains { $0.hasPrefix(beginning) }
    }

    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits for the process to end, and kills it on timeout.
    ///
    /// - Returns: How it ended, and whether it did so on its own within the time limit.
    func wait(seconds: Int = 60) -> (reason: Process.TerminationReason, status: Int32, isInTime: Bool) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < deadline { usleep(1000) }
        let isInTime = !process.isRunning
        if !isInTime { kill() }
        process.waitUntilExit()
        try? output.close()
        return (process.terminationReason, process.terminationStatus, isInTime)
    }

    /// Returns the output so far.
    func printed() throws -> Output {
        Output(String(decoding: try TestFiles.bytes(of: outputPath), as: UTF8.self))
    }
}
