import DocIndex
import Foundation
import TestSupport
import Testing

/// The example of typed collections.
@Suite struct BirdListTests {
    @Test func `The example runs with a new store and with one that it has written`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/birds.store"
            let first = try Self.run([path])
            #expect(first.hasPrefix("added 81 birds; the list has 81\n"), "\(first)")
            for line in ["  Great Egret, one of the herons", "  Snowy Owl 2019, Barn Owl 2021", "  \"finches\": 10"] {
                #expect(first.contains(line + "\n"), "\(first)")
            }
            #expect(try Self.run([path]).split(separator: "\n").first == "added 0 birds; the list has 81")
            let store = try DocumentStore.open(at: path)
            try expectSound(store)
            try store.close()
        }
        #expect(try Self.run([]).contains("Owls seen, live:\n  none yet\n  Barn Owl 2021\n"))
    }

    /// Returns the output of the program.
    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "bird-list")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // A program that waits for ever fails the test instead of stopping the test run.
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "time limit"))
        timer.schedule(deadline: .now() + 120)
        timer.setEventHandler { process.terminate() }
        timer.resume()
        defer { timer.cancel() }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }
}
