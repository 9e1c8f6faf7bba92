import DocIndex
import TestSupport
import Testing

/// Visits of documents whose IDs lie in a range.
@Suite struct IDRangeTests {
    static let schema = Schema(collections: [
        CollectionDefinition("before"), CollectionDefinition("photos"), CollectionDefinition("behind"),
    ])

    private static let texts = [
        "", "\0", "a", "a\0", "a\0b", "a\u{1}", "ab", "b", "e\u{301}", "\u{e9}", "\u{ffff}", "\u{10ffff}",
    ]
    private static let numbers: [Int64] = [.min, -65_536, -256, -255, -1, 0, 1, 255, 256, 65_536, .max]

    /// IDs at the limits of encodings, in order.
    private static let edges: [DocumentID] = texts.map { .string($0) } + numbers.map { .int($0) }

    /// Runs `body` with a collection in which every third ID is a deleted document, between two collections with the
    /// same IDs.
    private func withDocuments(_ body: (DocumentCollection, _ ids: [DocumentID]) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var random = TestRun.random(stream: 40)
            try store.write { transaction in
                for id in Self.edges.shuffled(using: &random) {
                    for collection in ["before", "photos", "behind"] {
                        try transaction.put(["id": id.value, "c": .string(collection)], in: collection)
                    }
                }
            }
            var kept: [DocumentID] = []
            for (position, id) in Self.edges.enumerated() {
                if position % 3 == 1 {
                    try store.collection("photos").delete(id)
                } else {
                    kept.append(id)
                }
            }
            try body(try store.collection("photos"), kept)
        }
    }

    private func expect(
        _ range: DocumentID.Interval, in collection: DocumentCollection, gives expected: [DocumentID],
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for isReversed in [false, true] {
            var visited: [DocumentID] = []
            try collection.forEach(in: range, order: isReversed ? .descending : .ascending) { document in
                visited.append(document.id)
                #expect(document["c"] == "photos", sourceLocation: sourceLocation)
            }
            #expect(visited == (isReversed ? expected.reversed() : expected), comment, sourceLocation: sourceLocation)
        }
    }

    @Test func `A visit of all IDs returns every document in order, and no deleted one`() throws {
        try withDocuments { photos, ids in try expect(.all, in: photos, gives: ids, "all") }
    }

    @Test func `A range returns what lies between its bounds, whether these exist, are deleted or unknown`() throws {
        let bounds = (Self.edges + ["a\0a", "zz", "\u{e8}", -2, 2, 300]).sorted()
        try withDocuments { photos, ids in
            for lower in bounds {
                try expect(.from(lower), in: photos, gives: ids.filter { $0 >= lower }, "from \(lower)")
                for upper in bounds where lower <= upper {
                    let half = ids.filter { $0 >= lower && $0 < upper }
                    try expect(.range(lower..<upper), in: photos, gives: half, "\(lower)..<\(upper)")
                    let closed = ids.filter { $0 >= lower && $0 <= upper }
                    try expect(.range(lower...upper), in: photos, gives: closed, "\(lower)...\(upper)")
                }
            }
        }
    }

    @Test(arguments: texts + ["c", "a\0b\0", "e", "A"])
    func `A prefix returns the strings that start with its bytes, and no numbers`(
        prefix: String
    ) throws {
        try withDocuments { photos, ids in
            let expected = ids.filter { id in
                guard case .string(let text) = id else { return false }
                return text.utf8.starts(with: prefix.utf8)
            }
            try expect(.prefix(prefix), in: photos, gives: expected, "prefix \(prefix)")
        }
    }

    @Test func `Several documents are read in request order, with nil for missing or deleted ones`()
        throws
    {
        try withDocuments { photos, ids in
            var random = TestRun.random(stream: 41)
            let asked = (Self.edges + ["unknown", 77, "a", "a"]).shuffled(using: &random)
            let documents = try photos.documents(asked)
            #expect(documents.map { $0?.id } == asked.map { ids.contains($0) ? $0 : nil })
            #expect(try photos.documents([]).isEmpty)
            for id in Self.edges { #expect(try photos.contains(id) == ids.contains(id)) }
        }
    }

    @Test func `A visit of a range shows a single point in time`() throws {
        try withDocuments { photos, ids in
            var visited: [DocumentID] = []
            try photos.forEach(in: .from("a")) { document in
                visited.append(document.id)
                for id in ids { try photos.delete(id) }
            }
            #expect(visited == ids.filter { $0 >= "a" })
            #expect(try photos.count() == 0)
        }
    }
}
