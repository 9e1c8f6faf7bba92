import Foundation
import TestSupport
import Testing

@testable import DocIndex

/// Searches by words and by vectors at once.
@Suite struct VectorFusionTests {
    @Test func `Ranks are merged as in an example that is worked out by hand`() {
        // By words: 4, 2, 9. By vectors: 2, 7, 4, 1.
        // 2: 1/62 + 1/61 = 0.032522; 4: 1/61 + 1/63 = 0.032266; 7: 1/62 = 0.016129; 9: 1/63; 1: 1/64.
        let fused = RankFusion(text: [4, 2, 9], vectors: [2, 7, 4, 1])
        let expected: [(UInt64, Int?, Int?)] = [(2, 2, 1), (4, 1, 3), (7, nil, 2), (9, 3, nil), (1, nil, 4)]
        #expect(fused.best(10).map(\.row) == expected.map(\.0))
        #expect(fused.best(10).map(\.textRank) == expected.map(\.1))
        #expect(fused.best(10).map(\.vectorRank) == expected.map(\.2))
        #expect(abs(fused.best(1)[0].score - 0.032522) < 1e-6)
        // At equal sums, the row decides: 5 and 3 are first in one list each.
        #expect(RankFusion(text: [5], vectors: [3]).best(2).map(\.row) == [3, 5])
        #expect(RankFusion(text: [], vectors: []).best(2).isEmpty)
        #expect(RankFusion(text: [1, 2], vectors: []).best(1).map(\.row) == [1])
    }

    private static let schema = Vectors.schema(
        .vector("v", on: "v", dimensions: 2), .text("text", on: "title"), .value("n", on: "n"))

    @Test func `A search by words and a vector tells both ranks`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "dog", "n": 1, "title": "dog on a beach", "v": [1, 0]])
            try photos.put(["id": "sand", "n": 2, "title": "sand", "v": [10, 1]])
            try photos.put(["id": "word", "n": 3, "title": "beach beach"])
            try photos.put(["id": "cat", "n": 4, "title": "cat", "v": [-1, 0]])
            let words = try TextQuery(parsing: "beach")
            let found = try photos.search(words, nearest: [1, 0], in: "v")
            #expect(found.map(\.document.id) == ["dog", "word", "sand", "cat"])
            #expect(found.map(\.vectorRank) == [1, nil, 2, 3])
            let ranks = try photos.search(words).map(\.document.id)
            #expect(
                found.map(\.textRank)
                    == found.map { match in
                        ranks.firstIndex(of: match.document.id).map { $0 + 1 }
                    })
            let filtered = try photos.search(
                words, nearest: [1, 0], in: "v", where: .compare("n", .greater, 1), limit: 2)
            #expect(filtered.map(\.document.id) == ["sand", "word"] && filtered.map(\.vectorRank) == [1, nil])
            let box = try photos.search(.searchBox(photos.searchBox("beach dog")), nearest: [0, 1], in: "v", limit: 1)
            #expect(box.map(\.document.id) == ["dog"])
            #expect(try photos.search(words, nearest: [1, 0], in: "v", limit: 0).isEmpty)
            expectFailure(.invalidQuery) { try photos.search(words, nearest: [1], in: "v") }
            expectFailure(.unknownIndex) { try photos.search(words, nearest: [1, 0], in: "text") }
        }
    }

    private struct Photo: Codable, Identifiable, Hashable, Sendable {
        var id: String
        var title: String
        var v: [Double]
    }

    @Test func `Typed and asynchronous collections find the same`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("fusion-\(UUID().uuidString)").path
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let photos = try store.collection("photos", of: Photo.self)
        try photos.put(Photo(id: "dog", title: "dog", v: [1, 0]))
        try photos.put(Photo(id: "cat", title: "cat", v: [0, 1]))
        #expect(try photos.nearest(to: [1, 0.1], in: "v").map(\.value.id) == ["dog", "cat"])
        #expect(try photos.nearest(to: [1, 0.1], in: "v", where: "title = cat").map(\.value.id) == ["cat"])
        #expect(try photos.nearest(toDocument: "dog", in: "v").map(\.value.id) == ["cat"])
        let concurrent = photos.asynchronous
        #expect(try await concurrent.nearest(to: [1, 0.1], in: "v").map(\.value.id) == ["dog", "cat"])
        #expect(try await concurrent.nearest(toDocument: "dog", in: "v").map(\.value.id) == ["cat"])
        let documents = photos.documents.asynchronous
        #expect(try await documents.nearest(to: [1, 0.1], in: "v", limit: 1).map(\.document.id) == ["dog"])
        #expect(try await documents.nearest(toDocument: "dog", in: "v").map(\.document.id) == ["cat"])
        let words = try TextQuery(parsing: "cat")
        #expect(try await documents.search(words, nearest: [0, 1], in: "v", limit: 1).map(\.document.id) == ["cat"])
        try expectSound(store)
        try store.close()
    }
}
