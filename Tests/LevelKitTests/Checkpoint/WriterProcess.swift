import Foundation
import LevelKit
import Synchronization

/// A running `levelkit-writer` fixture.
final class WriterProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    struct Failure: Error {
        let output: String
    }

    /// Starts the process and waits until its database is open.
    init(database: String) throws {
        // The test bundle and the fixture are built into the same directory.
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = bundle.appending(path: "levelkit-writer")
        process.arguments = [database]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard line.hasPrefix("open\n") else { throw Failure(output: line) }
    }

    deinit { kill() }

    /// Starts the process and waits until its database has tables.
    static func withTables(database: String) throws -> WriterProcess {
        let writer = try WriterProcess(database: database)
        while try Manifest(ofDatabaseAt: database).tables.isEmpty {
            Thread.sleep(forTimeInterval: 0.01)
        }
        return writer
    }

    var processIdentifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Stops the process.
    ///
    /// - Returns: The number of operations that it performed.
    func stop() throws -> UInt64 {
        try input.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let count = UInt64(text.filter(\.isNumber)) else {
            throw Failure(output: text)
        }
        return count
    }

    /// Kills the process without letting it close anything.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
