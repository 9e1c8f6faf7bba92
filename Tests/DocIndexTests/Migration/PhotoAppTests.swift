import DocIndex
import Foundation
import TestSupport
import Testing

/// The example program, through four releases.
@Suite struct PhotoAppTests {
    @Test func `Each release of the example reads what earlier releases stored`() throws {
        try withTemporaryDirectory { directory in
            let store = directory + "/photos.store"
            let outputs = try [["1"], ["2"], ["3"], ["4"], []].map { try Self.run([store] + $0) }
            let pictures =
                "IMG_0003 thumbnail 10894 bytes unchanged\nIMG_0003 original 2795537 bytes unchanged\n"
            let answer = "IMG_0001 Fog 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n" + pictures
            let changed =
                "IMG_0001 Fog over the old bridge 5 river fog\nIMG_0003 Harbour 4 sea fog\nfirst\n" + pictures
            #expect(outputs == ["", "", "", answer, changed])
            let photos = try DocumentStore.open(at: store)
            let expected: [DocumentObject] = [
                [
                    "id": "IMG_0001", "title": "Fog over the old bridge", "note": "first", "rating": 5,
                    "keywords": ["river", "fog"],
                ], ["id": "IMG_0002", "title": "Snow", "rating": 3, "keywords": ["winter"]],
                ["id": "IMG_0004", "title": "Pier", "rating": 2, "keywords": ["sea"]],
            ]
            for content in expected {
                let id = try #require(content["id"].flatMap(DocumentID.init))
                let found = try photos.collection("photos").document(id)?.content
                #expect(found?.sorted { $0.name < $1.name } == content.sorted { $0.name < $1.name })
            }
            // The migration moved the reference, and both attachments are there: one in the database, one in a file.
            let photo = try #require(try photos.collection("photos").document("IMG_0003"))
            #expect(photo.content["picture"] == nil)
            #expect(photo.content["width"] == 2048)
            for (name, byteCount, isFile) in [("thumbnail", 10_894, false), ("original", 2_795_537, true)] {
                guard case .attachment(let attachment)? = photo.content[name] else {
                    Issue.record("\(name) is no attachment")
                    continue
                }
                #expect(try photos.attachments.info(attachment.digest)?.isFile == isFile)
                #expect(try photos.attachments.info(attachment.digest)?.referenceCount == 1)
                #expect(try photos.attachments.bytes(of: attachment).count == byteCount)
            }
            #expect(try photos.attachments.collectGarbage(olderThan: .zero).digests == [])
            #expect(try photos.verify(attachments: .full).problems == [])
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
