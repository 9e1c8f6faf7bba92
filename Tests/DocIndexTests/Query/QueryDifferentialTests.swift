import DocIndex
import LevelKit
import TestSupport
import Testing

/// Queries with random indexes against a search through all documents, while documents change.
@Suite struct QueryDifferentialTests {
    /// How often each way to the documents was taken.
    private struct Tally {
        var scans = 0
        var ranges = 0
        var unions = 0
        var walks = 0
        var nonempty = 0
        /// How often an index with a special property was used.
        var properties: [String: Int] = [:]

        mutating func add(_ plan: Plan, indexes: [IndexDefinition]) {
            switch plan.access {
            case .scan: scans += 1
            case .ranges(let name, _, _):
                ranges += 1
                addProperties(of: name, indexes)
            case .union: unions += 1
            case .walk(let name, _):
                walks += 1
                addProperties(of: name, indexes)
            }
        }

        private mutating func addProperties(of name: String, _ indexes: [IndexDefinition]) {
            guard let index = indexes.first(where: { $0.name == name }) else { return }
            let components = index.components
            let properties = [
                ("sparse", index.isSparse), ("partial", index.condition != nil),
                ("descending", components.contains { $0.order == .descending }),
                ("collated", components.contains { $0.collation != .binary }),
                ("dates", components.contains { !$0.dateFormats.isEmpty || $0.part != nil }),
                ("levels", components.contains { $0.separator != nil }),
                ("arrays", components.filter(\.path.hasArrayStep).count > 1),
            ]
            for (name, isThere) in properties where isThere { self.properties[name, default: 0] += 1 }
        }
    }

    @Test func `With any indexes, a query gives the rows of a search through all documents, in the same order`() throws
    {
        var queries = RandomQueries(TestRun.random(stream: 10))
        var tally = Tally()
        for _ in 0..<TestRun.rounds(12, long: 600) {
            try withTemporaryDirectory { directory in
                var model: [DocumentID: DocumentObject] = [:]
                // The same documents under several schemas, one after the other.
                for _ in 0..<3 {
                    let schema = Schema(collections: [CollectionDefinition("c", indexes: queries.indexes())])
                    let store = try DocumentStore.open(at: directory + "/s", schema: schema)
                    let collection = try store.collection("c")
                    for _ in 0..<60 {
                        if queries.documents.random.once(in: 3) {
                            try Self.change(&model, in: store, using: &queries.documents)
                        }
                        try Self.check(queries.query(), in: collection, model: model, tally: &tally)
                    }
                    try expectSound(store)
                    try store.close()
                }
            }
        }
        // Each way must have been taken, else the test compares nothing.
        #expect(tally.scans > 0 && tally.ranges > 0 && tally.unions > 0 && tally.walks > 0, "\(tally)")
        #expect(tally.nonempty > 100, "\(tally)")
        // Seven in all; one may be missed by chance.
        #expect(tally.properties.count >= 6, "\(tally), \(TestRun.repetition)")
    }

    private static func change(
        _ model: inout [DocumentID: DocumentObject], in store: DocumentStore, using documents: inout RandomDocuments
    ) throws {
        let count = documents.random.pick([1, 5, 40])
        try store.write { transaction in
            for _ in 0..<count {
                let id = documents.id()
                if documents.random.once(in: 4) {
                    #expect(try transaction.delete(id, in: "c") == (model[id] != nil), "\(TestRun.repetition)")
                    model[id] = nil
                } else {
                    let content = documents.document(id: id)
                    try transaction.put(content, in: "c")
                    model[id] = content
                }
            }
        }
    }

    private static func check(
        _ query: Query, in collection: DocumentCollection, model: [DocumentID: DocumentObject], tally: inout Tally
    ) throws {
        let expected = NaiveQuery.answer(query, among: model)
        var found: [Document] = []
        let explanation = try collection.forEach(matching: query) {
            found.append($0)
            return true
        }
        let comment: Comment = "\(query), \(explanation.plan), \(collection.definition.indexes), \(TestRun.repetition)"
        #expect(found.map(\.id) == expected, comment)
        #expect(found.allSatisfy { $0.content == model[$0.id] }, comment)
        #expect(explanation.resultCount == expected.count)
        #expect(try collection.plan(query) == explanation.plan)
        var unlimited = query
        unlimited.limit = nil
        unlimited.offset = 0
        #expect(
            try collection.count(where: query.predicate) == NaiveQuery.answer(unlimited, among: model).count, comment)
        tally.add(explanation.plan, indexes: collection.definition.indexes)
        if !expected.isEmpty { tally.nonempty += 1 }
    }

    @Test func `The answers do not depend on the indexes`() throws {
        var queries = RandomQueries(TestRun.random(stream: 11))
        let schema = Schema(
            collections: (0..<4).map { CollectionDefinition("c\($0)", indexes: $0 == 0 ? [] : queries.indexes()) })
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for _ in 0..<150 {
                    let document = queries.documents.document(id: queries.documents.id())
                    for number in 0..<4 { try transaction.put(document, in: "c\(number)") }
                }
            }
            for _ in 0..<TestRun.rounds(100, long: 5000) {
                let query = queries.query()
                let answers = try store.collections.map { try $0.find(query) }
                for answer in answers { #expect(answer == answers[0], "\(query), \(TestRun.repetition)") }
            }
        }
    }
}
