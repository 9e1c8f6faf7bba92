import DocIndex
import LevelKit
import TestSupport
import Testing

/// Queries with random indexes, compared with an exhaustive search while documents change.
@Suite struct QueryDifferentialTests {
    /// How often each access path was taken.
    private struct Tally {
        var ways: [String: Int] = [:]
        var nonempty = 0
        /// How often an index with a special property was used.
        var properties: [String: Int] = [:]

        /// Whether enough was compared: all but one of nine access paths and of seven properties.
        var isComplete: Bool {
            let all = [
                "scan", "ranges", "ids", "union", "intersection", "ordered", "filtered ordered", "nearest", "nothing",
            ]
            return Set(all).subtracting(ways.keys).count <= 1 && nonempty > 50 && properties.count >= 6
        }

        mutating func add(_ plan: Plan, indexes: [IndexDefinition]) {
            add(plan.access, indexes)
        }

        private mutating func add(_ access: Plan.Access, _ indexes: [IndexDefinition]) {
            ways[access.way, default: 0] += 1
            switch access {
            case .ranges(let scan): addProperties(of: scan.index, indexes)
            case .union(let parts), .intersection(let parts): for part in parts { add(part, indexes) }
            case .ordered(let scan, let filter):
                addProperties(of: scan.index, indexes)
                if let filter { add(filter, indexes) }
            case .ranked(_, let filter): if let filter { add(filter, indexes) }
            case .nothing, .scan, .nearest, .search, .ids: break
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

    @Test func `With any indexes, a query returns the rows of an exhaustive search in the same order`() throws {
        var queries = RandomQueries(TestRun.random(stream: 10))
        queries.documents.hasAttachments = true
        var tally = Tally()
        let rounds = TestRun.rounds(5, long: 600)
        // Further rounds make up for what a few miss; an access path that is never taken fails.
        for round in 0..<10 * rounds where round < rounds || !tally.isComplete {
            try withTemporaryDirectory { directory in
                var model = ExpectedDocuments()
                // The same documents under several schemas in succession.
                for _ in 0..<3 {
                    let schema = Schema(collections: [CollectionDefinition("c", indexes: queries.indexes())])
                    // Plans of one query read the same documents: from the database, and then from memory.
                    var options = DocumentStore.Options()
                    options.documentCacheByteCount = queries.documents.random.pick([0, 8_000, 1 << 20])
                    options.columnByteCount = queries.documents.random.pick([0, 20_000, 1 << 20])
                    options.cachesDocumentsAtFirstUse = true
                    let store = try DocumentStore.open(at: directory + "/s", schema: schema, options: options)
                    try RandomDocuments.addAttachmentContents(to: store)
                    let collection = try store.collection("c")
                    for _ in 0..<40 {
                        if queries.documents.random.once(in: 3) {
                            try Self.change(&model, in: store, using: &queries.documents)
                        }
                        let query = queries.query()
                        try Self.check(query, in: collection, model: model, tally: &tally)
                        try Self.checkFields(queries.selection(), of: query, in: collection, model: model)
                    }
                    try expectSound(store)
                    try store.close()
                }
            }
        }
        // Otherwise the test compares nothing.
        #expect(tally.isComplete, "\(tally), \(TestRun.repetition)")
    }

    private static func change(
        _ model: inout ExpectedDocuments, in store: DocumentStore, using documents: inout RandomDocuments
    ) throws {
        let count = documents.random.pick([1, 5, 40])
        try store.write { transaction in
            // Each once: a document deleted and restored in one transaction keeps its position.
            var touched: Set<DocumentID> = []
            for _ in 0..<count {
                let id = documents.id()
                guard touched.insert(id).inserted else { continue }
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
        _ query: Query, in collection: DocumentCollection, model: ExpectedDocuments, tally: inout Tally
    ) throws {
        let expected = NaiveQuery.answer(query, among: model)
        let plans = try collection.plans(query)
        #expect(try collection.plan(query) == plans[0])
        for plan in plans {
            var found: [Document] = []
            let explanation = try collection.forEach(
                matching: query, options: Query.Options(hint: .plan(plan.identity))
            ) {
                found.append($0)
                return true
            }
            let comment: Comment =
                "\(query.filter), \(query), \(explanation.plan), \(collection.definition.indexes), \(TestRun.repetition)"
            #expect(found.map(\.id) == expected, comment)
            #expect(found.allSatisfy { $0.content == model[$0.id] }, comment)
            #expect(explanation.resultCount == expected.count)
            tally.add(explanation.plan, indexes: collection.definition.indexes)
        }
        // Without a hint, columns answer.
        #expect(try collection.find(query).map(\.id) == expected, "\(query), \(TestRun.repetition)")
        var unlimited = query
        unlimited.limit = nil
        unlimited.offset = 0
        let count = NaiveQuery.answer(unlimited, among: model).count
        for plan in try collection.plans(Query(query.filter)) {
            let found = try collection.count(
                where: query.filter, options: Query.Options(hint: .plan(plan.identity)))
            #expect(
                found == count, "\(query.filter), \(plan), \(collection.definition.indexes), \(TestRun.repetition)")
        }
        if !expected.isEmpty { tally.nonempty += 1 }
    }

    /// Checks that selected fields match the documents under every plan, whether they come from entries or from bodies.
    private static func checkFields(
        _ paths: [FieldPath], of query: Query, in collection: DocumentCollection, model: ExpectedDocuments
    ) throws {
        var selections = [paths]
        // Those that an index covers, so that entries are read often.
        selections += collection.definition.indexes.filter { !$0.covered.isEmpty }.map(\.covered)
        let contents = NaiveQuery.answer(query, among: model).compactMap { model[$0] }
        for paths in selections {
            let expected = contents.map { NaiveQuery.fields(paths, of: $0) }
            for plan in try collection.plans(query) {
                let found = try collection.select(
                    paths, query, options: Query.Options(hint: .plan(plan.identity)))
                #expect(
                    found == expected,
                    "\(paths), \(query), \(plan), \(collection.definition.indexes), \(TestRun.repetition)")
            }
            let selected = try collection.select(paths, query)
            #expect(
                selected == expected, "\(paths), \(query), \(collection.definition.indexes), \(TestRun.repetition)")
        }
    }

    @Test func `Results do not depend on the indexes`() throws {
        var queries = RandomQueries(TestRun.random(stream: 11))
        queries.documents.hasAttachments = true
        let schema = Schema(
            collections: (0..<4).map { CollectionDefinition("c\($0)", indexes: $0 == 0 ? [] : queries.indexes()) })
        try withTemporaryStore(schema: schema) { store in
            try RandomDocuments.addAttachmentContents(to: store)
            try store.write { transaction in
                for _ in 0..<150 {
                    let document = queries.documents.document(id: queries.documents.id())
                    for number in 0..<4 { try transaction.put(document, in: "c\(number)") }
                }
            }
            for _ in 0..<TestRun.rounds(60, long: 5000) {
                let query = queries.query()
                let answers = try store.collections.map { try $0.find(query) }
                for answer in answers { #expect(answer == answers[0], "\(query), \(TestRun.repetition)") }
            }
        }
    }
}

extension Plan.Access {
    /// The access path.
    fileprivate var way: String {
        switch self {
        case .nothing: "nothing"
        case .scan: "scan"
        case .ranges: "ranges"
        case .ids: "ids"
        case .union: "union"
        case .intersection: "intersection"
        case .ordered(_, nil): "ordered"
        case .ordered: "filtered ordered"
        case .nearest: "nearest"
        case .search: "search"
        case .ranked(_, nil): "ranked"
        case .ranked: "filtered ranked"
        }
    }
}
