import Foundation
import TestSupport
import Testing

/// The example that goes through three releases.
@Suite struct PhotoAppTests {
    @Test func `Each release of the example reads what the ones before have stored`() throws {
        try withTemporaryDirectory { directory in
            let store = directory + "/photos.store"
            let outputs = try [["1"], ["2"], ["3"], []].map { try Self.run([store] + $0) }
            let answer = "IMG_0001 Fog 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n"
            let changed = "IMG_0001 Fog over the old bridge 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n"
            #expect(outputs == ["", "", answer, changed])
        }
    }

    /// What the program prints.
    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "photo-app")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }
}
