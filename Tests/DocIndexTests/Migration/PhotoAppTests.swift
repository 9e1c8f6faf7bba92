import DocIndex
import Foundation
import TestSupport
import Testing

/// The example program, through three releases.
@Suite struct PhotoAppTests {
    @Test func `Each release of the example reads what earlier releases stored`() throws {
        try withTemporaryDirectory { directory in
            let store = directory + "/photos.store"
            let outputs = try [["1"], ["2"], ["3"], []].map { try Self.run([store] + $0) }
            let answer = "IMG_0001 Fog 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n"
            let changed = "IMG_0001 Fog over the old bridge 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n"
            #expect(outputs == ["", "", answer, changed])
            let photos = try DocumentStore.open(at: store)
            let expected: [DocumentObject] = [
                [
                    "id": "IMG_0001", "title": "Fog over the old bridge", "note": "first", "rating": 5,
                    "keywords": ["river", "fog"],
                ], ["id": "IMG_0002", "title": "Snow", "rating": 3, "keywords": ["winter"]],
                ["id": "IMG_0003", "title": "Harbour", "rating": 4, "keywords": ["sea", "fog"]],
            ]
            for content in expected {
                let id = try #require(content["id"].flatMap(DocumentID.init))
                let found = try photos.collection("photos").document(id)?.content
                #expect(found?.sorted { $0.name < $1.name } == content.sorted { $0.name < $1.name })
            }
            try expectSound(photos)
            try photos.close()
        }
    }

    /// Returns the output of the program.
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
