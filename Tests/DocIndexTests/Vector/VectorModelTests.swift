import TestSupport
import Testing

@testable import DocIndex

/// Searches by vectors, compared with a naive search.
@Suite struct VectorModelTests {
    /// The expected documents.
    private struct Model {
        struct Item {
            let vector: [Float]?
            let group: Int
        }

        var items: [DocumentID: Item] = [:]

        mutating func put(_ id: DocumentID, _ vector: [Float]?, group: Int) {
            items[id] = Item(vector: vector, group: group)
        }

        /// All similarities, best first.
        func similarities(
            to query: [Float], group: Int? = nil, except excluded: DocumentID? = nil
        ) -> [(id: DocumentID, similarity: Double)] {
            items.compactMap { id, item in
                guard let vector = item.vector, id != excluded, group == nil || item.group == group else { return nil }
                return (id, Vectors.cosine(vector, query))
            }.sorted { $1.similarity < $0.similarity }
        }
    }

    @Test(arguments: [3, 17, 64, 100])
    func `A search finds what a naive search finds, after any changes`(dimensions: Int) throws {
        var random = TestRun.random(stream: 0x7ec + UInt64(dimensions))
        let schema = Vectors.schema(
            .vector("embedding", on: "embedding", dimensions: dimensions), .value("group", on: "group"))
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            var model = Model()
            for round in 0..<TestRun.rounds(6, long: 60) {
                try store.write { transaction in
                    for _ in 0..<80 {
                        let id = DocumentID.int(Int64(random.number(below: 260)))
                        if random.once(in: 4) {
                            try transaction.delete(id, in: "photos")
                            model.items[id] = nil
                            continue
                        }
                        // Equal vectors have the same similarity.
                        let same = random.once(in: 5) ? model.items.values.compactMap(\.vector).first : nil
                        let vector = random.once(in: 6) ? nil : same ?? Vectors.random(dimensions, &random)
                        let group = random.number(below: 5)
                        var document: DocumentObject = ["id": id.value, "group": .int(Int64(group))]
                        if let vector { document["embedding"] = Vectors.value(vector, inBase64: random.once(in: 2)) }
                        if vector == nil, random.once(in: 2) { document["embedding"] = .null }
                        try transaction.put(document, in: "photos")
                        model.put(id, vector, group: group)
                    }
                }
                if round == 3 { try store.rebuildIndex("embedding", of: "photos") }
                try expectSameResults(photos, model, dimensions, &random)
            }
        }
    }

    private func expectSameResults(
        _ photos: DocumentCollection, _ model: Model, _ dimensions: Int, _ random: inout SplitMix64
    ) throws {
        let query = Vectors.random(dimensions, &random).map { $0 * 3 }
        for limit in [0, 1, 10, 1000] {
            let exact = try photos.nearest(to: query, in: "embedding", limit: limit, exact: true)
            try expect(exact, are: model.similarities(to: query), limit: limit, photos)
            let found = try photos.nearest(to: query, in: "embedding", limit: limit)
            try expect(found, are: model.similarities(to: query), limit: limit, photos)
            for group in 0..<2 {
                let filter = Filter.compare("group", .equal, .int(Int64(group)))
                let found = try photos.nearest(
                    to: query, in: "embedding", where: filter, limit: limit, exact: random.once(in: 2))
                try expect(found, are: model.similarities(to: query, group: group), limit: limit, photos)
            }
        }
        let id = try #require(model.items.filter { $0.value.vector != nil }.keys.first)
        let vector = try #require(model.items[id]?.vector)
        let found = try photos.nearest(toDocument: id, in: "embedding", limit: 7)
        try expect(found, are: model.similarities(to: vector, except: id), limit: 7, photos)
        // The worst estimate of a hundred or more is not among the five best.
        let candidates = try photos.nearest(to: query, in: "embedding", limit: 5, candidates: photos.count() - 1)
        if model.similarities(to: query).count > 100, dimensions >= 64 {
            try expect(candidates, are: model.similarities(to: query), limit: 5, photos)
        }
        // With few candidates, other documents may be missed, but similarities are exact and there are enough results.
        let few = try photos.nearest(to: query, in: "embedding", limit: 5, candidates: 5)
        #expect(few.count == min(5, model.similarities(to: query).count), "\(TestRun.repetition)")
        for match in few {
            let vector = try #require(model.items[match.document.id]?.vector)
            #expect(abs(match.similarity - Vectors.cosine(vector, query)) < 1e-5, "\(TestRun.repetition)")
        }
    }

    /// Expects the best documents in order. Similarities that differ by less than a rounding error may be exchanged.
    private func expect(
        _ found: [DocumentCollection.VectorMatch],
        are expected: [(id: DocumentID, similarity: Double)], limit: Int, _ photos: DocumentCollection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let reader = try photos.reader()
        #expect(found.count == min(limit, expected.count), "\(TestRun.repetition)", sourceLocation: sourceLocation)
        let all = Dictionary(uniqueKeysWithValues: expected.map { ($0.id, $0.similarity) })
        for (match, wanted) in zip(found, expected) {
            let own = all[match.document.id] ?? .infinity
            #expect(
                abs(match.similarity - wanted.similarity) < 1e-5 && abs(match.similarity - own) < 1e-5,
                "\(TestRun.repetition)", sourceLocation: sourceLocation)
        }
        for (match, next) in zip(found, found.dropFirst()) {
            let rows = try [match, next].map { try reader.row(of: $0.document.id) ?? 0 }
            #expect(
                match.similarity > next.similarity || match.similarity == next.similarity && rows[0] < rows[1],
                "\(TestRun.repetition)", sourceLocation: sourceLocation)
        }
    }
}

/// Vectors for tests.
enum Vectors {
    static func schema(_ indexes: IndexDefinition...) -> Schema {
        Schema(collections: [CollectionDefinition("photos", indexes: indexes)])
    }

    static func random(_ dimensions: Int, _ random: inout SplitMix64) -> [Float] {
        (0..<dimensions).map { _ in Float(random.number(below: 2001) - 1000) / 1000 + 0.0001 }
    }

    /// The value of the field: an array, or the base64 of the numbers.
    static func value(_ vector: [Float], inBase64: Bool = false) -> DocumentValue {
        guard inBase64 else { return .array(vector.map { .double(Double($0)) }) }
        let bytes = vector.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
        }
        return .string(base64(bytes))
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            var letters: [Character] = []
            for _ in 0..<4 {
                letters.insert(digits[bits & 63], at: 0)
                bits >>= 6
            }
            text += String(letters.prefix(group.count + 1)) + String(repeating: "=", count: 3 - group.count)
        }
        return text
    }

    static func cosine(_ a: [Float], _ b: [Float]) -> Double {
        func product(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
    }
}
