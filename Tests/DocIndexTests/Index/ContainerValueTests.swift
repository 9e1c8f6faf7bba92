import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Arrays and objects are compared by content: in conditions, unique indexes and lists of values, with and without an
/// index.
@Suite struct ContainerValueTests {
    private static let values: [DocumentValue] = [
        .array([1.0]), .array([1]), .array([1, 2]), .array([0.0]), .array([-0.0]), .object(["x": 1, "y": 2]),
        .object(["y": 2.0, "x": 1]), .object(["x": 1]), .array([]), .object([:]), 1,
    ]

    /// Conditions on `v`, and the positions in ``values`` that satisfy them.
    private static let selectors: [(String, [Int64])] = [
        (#"{"v": [1]}"#, [0, 1]), (#"{"v": [1.0]}"#, [0, 1]), (#"{"v": {"$eq": [0]}}"#, [3, 4]),
        (#"{"v": {"$gte": [1], "$lte": [1.0]}}"#, [0, 1]), (#"{"v": {"$ne": [1]}}"#, [2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (#"{"v": {"$eq": {"x": 1, "y": 2}}}"#, [5, 6]), (#"{"v": {"$eq": {"y": 2, "x": 1.0}}}"#, [5, 6]),
        (#"{"v": []}"#, [8]), (#"{"v": {"$eq": {}}}"#, [9]),
    ]

    @Test func `Equal arrays and objects are found whatever the types of their numbers and the order of their members`()
        throws
    {
        for indexes: [IndexDefinition] in [
            [], [.value("v", on: "v")], [.value("v", on: .field("v", order: .descending))],
        ] {
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c", indexes: indexes)])) {
                store in
                let collection = try store.collection("c")
                for (id, value) in Self.values.enumerated() {
                    try collection.put(["id": .int(Int64(id)), "v": value])
                }
                for (selector, ids) in Self.selectors {
                    let query = Query(try Filter(selector: selector))
                    #expect(try collection.find(query).map(\.id) == ids.map { .int($0) }, "\(selector), \(indexes)")
                }
                let any = Filter.isIn("v", [.array([1]), .object(["y": 2, "x": 1]), .array([9]), "a", "b", "c"])
                #expect(try collection.find(Query(any)).map(\.id) == [0, 1, 5, 6])
                let distinct: [DocumentValue] = [
                    1, .array([]), .array([0]), .array([1]), .array([1, 2]), .object([:]), .object(["x": 1]),
                    .object(["x": 1, "y": 2]),
                ]
                #expect(try collection.distinct("v") == distinct)
                #expect(try collection.facets("v").first { $0.value == .array([1]) }?.count == 2)
                // Sorted by content.
                let sorted = try collection.find(Query(sort: [Query.SortKey("v")])).map(\.id)
                #expect(sorted == [10, 8, 3, 4, 0, 1, 2, 9, 7, 5, 6])
            }
        }
    }

    @Test func `An index answers conditions on whole arrays and objects without reading documents`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("v", on: "v")])])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            for id in 0..<100 { try collection.put(["id": .int(Int64(id)), "v": .array([.int(Int64(id % 10))])]) }
            let plan = try collection.plan(Query(.compare("v", .equal, .array([3.0]))))
            guard case .ranges(let scan) = plan.access else {
                Issue.record("\(plan)")
                return
            }
            #expect(scan.estimatedEntryCount == 10)
            #expect(try collection.indexCounting("v") == "v")
        }
    }

    @Test func `A unique index distinguishes arrays and objects by content`() throws {
        let index = IndexDefinition.value("k", on: "k", unique: true)
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c", indexes: [index])])) { store in
            let collection = try store.collection("c")
            let different: [DocumentValue] = [
                .object(["x": 1]), .object(["y": 2]), .object(["x": 2]), .array([]), .array([1]), .array([1, 1]),
                .array([.object(["x": 1])]), .object([:]),
            ]
            for (id, value) in different.enumerated() { try collection.put(["id": .int(Int64(id)), "k": value]) }
            let equal: [DocumentValue] = [
                .object(["x": 1.0]), .array([1.0]), .array([]), .array([.object(["x": 1.0])]), .object([:]),
            ]
            for value in equal {
                expectFailure(.duplicateValue) { try collection.put(["id": "new", "k": value]) }
            }
            #expect(try collection.count() == different.count)
        }
    }

    @Test func `BETWEEN requires a single element within both bounds`() throws {
        for indexes: [IndexDefinition] in [[], [.value("k", on: "k[]")], [.value("xs", on: "a[].xs[]")]] {
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c", indexes: indexes)])) {
                store in
                let collection = try store.collection("c")
                try collection.put(["id": 1, "k": [1, 9], "a": [["xs": [1, 9]]], "n": [[1, 9]]])
                try collection.put(["id": 2, "k": [1, 5, 9], "a": [["xs": [1]], ["xs": [5.0]]], "n": [[1], [5]]])
                try collection.put(["id": 3, "k": 6, "a": ["xs": 4], "n": [6]])
                let conditions = [
                    "k[] between 4 and 6", "k any (@ between 4 and 6)", "a[].xs[] between 4 and 6",
                    "n[][] between 4 and 6",
                ]
                for condition in conditions {
                    for plan in try collection.plans(Query(try Filter(parsing: condition))) {
                        let found = try collection.find(
                            Query(try Filter(parsing: condition)),
                            options: Query.Options(hint: .plan(plan.identity)))
                        #expect(found.map(\.id) == [2, 3], "\(condition), \(plan)")
                    }
                }
            }
        }
    }

    @Test func `The deepest document fits a small stack, and deeper keys are not values`() throws {
        let isRight = withSmallStack { () -> Bool in
            var (first, second): (DocumentValue, DocumentValue) = (1, 1.0)
            for level in 0..<DocumentValue.maximumDepth - 1 {
                first = level % 2 == 0 ? .array([first]) : .object(["a": first])
                second = level % 2 == 0 ? .array([second]) : .object(["a": second])
            }
            return ValueOrder.compare(first, second) == 0 && ValueOrder.collate(first, second) == 0
                && OrderedValue.canonical(second) == first
        }
        #expect(isRight == true)
        for opening: UInt8 in [0x13, 0x15] {
            let nested = Array(repeating: opening, count: 100_000) + Array(repeating: 0, count: 100_000)
            #expect(OrderedValue.decoded(nested.span) == nil)
        }
    }

    @Test func `A value decoded from a key is the canonical form of the one written`() {
        var documents = RandomDocuments(TestRun.random(stream: 41))
        documents.hasAttachments = true
        for _ in 0..<TestRun.rounds(5000, long: 500_000) {
            let value = documents.random.once(in: 2) ? documents.container() : documents.value(depth: 3)
            let bytes = OrderedValue.encoded(value)
            guard case .value(let canonical)? = OrderedValue.decoded(bytes.span) else {
                Issue.record("\(value), \(TestRun.repetition)")
                continue
            }
            #expect(OrderedValue.canonical(value) == canonical, "\(value), \(TestRun.repetition)")
            #expect(OrderedValue.encoded(canonical) == bytes, "\(value), \(TestRun.repetition)")
            #expect(ReferenceOrder.compare(value, canonical) == 0, "\(value), \(TestRun.repetition)")
            let descending = bytes.map { ~$0 }
            guard case .value(canonical)? = OrderedValue.decoded(descending.span, isDescending: true) else {
                Issue.record("\(value), \(TestRun.repetition)")
                continue
            }
        }
    }

    // MARK: - Stores of earlier versions

    /// Creates a store as format 3 wrote it: entries contain only the kind of an array or object.
    private static func makeEarlierStore(at path: String) throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("v", on: "v"), .value("year", on: "year")])
        ])
        let store = try DocumentStore.open(at: path, schema: schema)
        let collection = try store.collection("c")
        for (id, value) in values.enumerated() {
            try collection.put(["id": .int(Int64(id)), "v": value, "year": .int(Int64(1930 + id))])
        }
        try store.close()
        let database = try Database.open(at: path)
        let prefix = StoreKey.values.prefix(1)
        for pair in try allPairs(in: database) where pair.key.starts(with: prefix) {
            let kind = pair.key[prefix.count]
            guard kind == OrderedValue.Kind.array.rawValue || kind == OrderedValue.Kind.object.rawValue,
                let end = OrderedValue.skip(in: pair.key.span, from: prefix.count)
            else { continue }
            try database.delete(pair.key)
            try database.put(pair.value, forKey: prefix + [kind - 1] + pair.key[end...])
        }
        let catalog = try #require(try database.value(forKey: StoreKey.catalogKey))
        let text = String(decoding: catalog, as: UTF8.self).replacing(#"{"docindex":4"#, with: #"{"docindex":3"#)
        try database.putCatalog(Array(text.utf8))
        try database.close()
    }

    @Test func `In an older store, only indexes with arrays or objects are rebuilt`()
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            try Self.makeEarlierStore(at: path)
            let equal = Query(.compare("v", .equal, .array([1])))
            // A read-only open gets the right answer from the documents.
            for mode in [Database.Mode.readOnly, .readWrite] {
                let store = try DocumentStore.open(
                    at: path, options: DocumentStore.Options(finishesSchemaChange: false), mode: mode)
                #expect(try store.collection("c").find(equal).map(\.id) == [0, 1])
                let problems = try store.verify().problems
                #expect(problems.count == 1 && problems[0].contains("c.v: the index was built by an earlier version"))
                try store.close()
            }
            let store = try DocumentStore.open(at: path)
            let collection = try store.collection("c")
            #expect(try collection.find(equal, options: Query.Options(hint: .index("v"))).map(\.id) == [0, 1])
            let year = Query(.compare("year", .equal, 1932))
            #expect(try collection.find(year, options: Query.Options(hint: .index("year"))).map(\.id) == [2])
            try expectSound(store)
            try store.close()
            let database = try Database.open(at: path)
            let text = try #require(try database.value(forKey: StoreKey.catalogKey))
            let catalog = try Catalog(encoded: text)
            // Numbers are never reused: 2 is the index that was kept.
            #expect(catalog.collections[0].indexes.map(\.number) == [3, 2])
            try database.close()
        }
    }
}
