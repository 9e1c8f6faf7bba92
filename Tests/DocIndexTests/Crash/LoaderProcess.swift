import Foundation
import TestSupport

/// A process that makes the commits of ``LoaderHistory``.
struct LoaderProcess {
    /// What it printed before it ended.
    struct Output {
        /// The last commit that was acknowledged; 0 for none.
        var lastCommit = 0
        /// Migrations that were begun; 0 for none.
        var migrationCount = 0
        /// Calls that failed.
        var failures: [String] = []
        /// Whole lines that are none of these.
        var rest: [String] = []

        init(_ text: String) {
            // The end of a line says that it was printed whole.
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
    /// - Parameter outputPath: a file for what it prints.
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

    /// Whether it has printed a whole line that begins with a text.
    func hasPrinted(_ beginning: String) throws -> Bool {
        String(decoding: try TestFiles.bytes(of: outputPath), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().contains { $0.hasPrefix(beginning) }
    }

    /// Kills the process.
    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits for its end, and kills it if it does not come.
    ///
    /// - Returns: how it ended, and whether that came by itself in time.
    func wait(seconds: Int = 60) -> (reason: Process.TerminationReason, status: Int32, isInTime: Bool) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < deadline { usleep(1000) }
        let isInTime = !process.isRunning
        if !isInTime { kill() }
        process.waitUntilExit()
        try? output.close()
        return (process.terminationReason, process.terminationStatus, isInTime)
    }

    /// What it has printed.
    func printed() throws -> Output {
        Output(String(decoding: try TestFiles.bytes(of: outputPath), as: UTF8.self))
    }
}
