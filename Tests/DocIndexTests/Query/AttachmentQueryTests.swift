import DocIndex
import TestSupport
import Testing

/// Conditions, orders and summaries of attachments and of their members.
@Suite struct AttachmentQueryTests {
    private static let indexes: [IndexDefinition] = [
        .value("original", on: "original", cover: ["original.name", "original"]),
        .value("type", on: "original.type", counts: true),
        .value("bytes", on: .field("original.bytes", order: .descending)),
        .value("all", on: "all[].name"),
    ]

    private static let documents: [DocumentObject] = {
        var documents: [DocumentObject] = RandomDocuments.attachments.enumerated().map { position, attachment in
            [
                "id": .int(Int64(position)), "original": .attachment(attachment),
                "all": [.attachment(attachment), .attachment(RandomDocuments.attachments[0])],
            ]
        }
        // An object with the same members is another value, but has the same values at the paths of members.
        let first = RandomDocuments.attachments[1]
        let members: DocumentObject = [
            "bytes": .int(first.byteCount), "sha256": .string(first.digest.description), "type": .string(first.type),
        ]
        documents.append(["id": 100, "original": .object(members)])
        documents += [["id": 101, "original": "a"], ["id": 102, "original": nil], ["id": 103]]
        return documents
    }()

    private func withCollections(_ body: (DocumentCollection, DocumentCollection) throws -> Void) throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: Self.indexes), CollectionDefinition("bare"),
        ])
        try withTemporaryStore(schema: schema) { store in
            try RandomDocuments.addAttachmentContents(to: store)
            try store.write { transaction in
                for document in Self.documents {
                    for collection in ["c", "bare"] { try transaction.put(document, in: collection) }
                }
            }
            try body(try store.collection("c"), try store.collection("bare"))
        }
    }

    private static let literal = "json '\(DocumentValue.attachment(RandomDocuments.attachments[1]))'"

    @Test(arguments: [
        ("original.type = 'image/jpeg'", 3), ("original.type in (a, b)", 13), ("original.type ^= image", 3),
        ("original.bytes > 0", 12), ("original.bytes = 1 and original.type = b", 2), ("original exists", 21),
        ("original.name exists", 12), ("original.name missing", 10), ("original.sha256 ^= ca97", 6),
        ("original is attachment", 18), ("original is object", 1), ("original is (attachment, null)", 19),
        ("original = \(literal)", 1), ("original != \(literal)", 21), ("original in (\(literal), a)", 2),
        ("original >= \(literal)", 5), ("original between \(literal) and \(literal)", 1), ("all has \(literal)", 1),
        ("all any (type = b and bytes = 1)", 2), ("all[].name = a", 3), ("original any key (@ = name)", 12),
    ])
    func `A condition on attachments has the same result with any plan`(condition: String, count: Int) throws {
        let filter = try Filter(parsing: condition)
        let expected = Self.documents.filter { NaiveQuery.holds(filter, for: $0) }.map { $0["id"] }
        #expect(expected.count == count)
        #expect(Self.documents.filter { filter.matches($0) }.map { $0["id"] } == expected)
        try withCollections { (collection: DocumentCollection, bare: DocumentCollection) throws in
            for collection in [collection, bare] {
                for plan in try collection.plans(Query(filter)) {
                    let options = Query.Options(hint: .plan(plan.identity))
                    let found = try collection.find(Query(filter, sort: Query.SortKey.parse("id")), options: options)
                    #expect(found.map { $0.content["id"] } == expected, "\(plan)")
                    #expect(try collection.count(where: filter, options: options) == count, "\(plan)")
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"original": {"$type": "attachment"}}"#, 18), (#"{"original.type": "image/jpeg"}"#, 3),
        (#"{"original": {"type": "image/jpeg"}}"#, 3), (#"{"original.bytes": {"$gt": 0}}"#, 12),
        (#"{"original": {"$in": [\#(DocumentValue.attachment(RandomDocuments.attachments[3]))]}}"#, 1),
        (#"{"original": \#(DocumentValue.attachment(RandomDocuments.attachments[3]))}"#, 1),
    ])
    func `A selector finds attachments`(json: String, count: Int) throws {
        let filter = try Filter(selector: try DocumentValue(json: json, notation: .tagged))
        try withCollections { (collection: DocumentCollection, bare: DocumentCollection) throws in
            let counts = [try collection.count(where: filter), try bare.count(where: filter)]
            #expect(counts == [count, count])
        }
    }

    @Test func `Facets, distinct values and groups of attachments do not depend on the indexes`() throws {
        try withCollections { (collection: DocumentCollection, bare: DocumentCollection) throws in
            for path: FieldPath in [
                "original", "original.type", "original.bytes", "original.sha256", "original.name", "all[]",
                "all[].type",
                "all[].sha256",
            ] {
                let facets = try collection.facets(path)
                #expect(try facets == bare.facets(path) && !facets.isEmpty)
                #expect(try collection.distinct(path) == bare.distinct(path))
                var counts: [DocumentValue: Int] = [:]
                for document in Self.documents {
                    var values: Set<DocumentValue> = []
                    path.forEachElement(in: document) { values.insert($0) }
                    for value in values { counts[value, default: 0] += 1 }
                }
                #expect(Dictionary(uniqueKeysWithValues: facets.map { ($0.value, $0.count) }) == counts, "\(path)")
                let groups = Aggregation(by: [.value(path)], [.count, .sum("original.bytes"), .maximum("original")])
                #expect(try collection.summarize(groups) == bare.summarize(groups), "\(path)")
            }
        }
    }

    @Test func `Attachments are sorted by digest, size, type and name, after bytes and before arrays`() throws {
        try withCollections { (collection: DocumentCollection, bare: DocumentCollection) throws in
            for text in ["original, id", "-original, id", "original.type, -original.name, id", "-original.bytes, id"] {
                let query = Query(sort: try Query.SortKey.parse(text))
                let expected = NaiveQuery.answer(
                    query,
                    among: Self.documents.compactMap { document in
                        document["id"].flatMap { DocumentID($0) }.map { (id: $0, content: document) }
                    })
                for collection in [collection, bare] {
                    for plan in try collection.plans(query) {
                        let found = try collection.find(query, options: Query.Options(hint: .plan(plan.identity)))
                        #expect(found.map(\.id) == expected, "\(text), \(plan)")
                    }
                }
            }
        }
    }

    @Test func `Selected members come from the entries of a covering index or from bodies`() throws {
        try withCollections { (collection: DocumentCollection, bare: DocumentCollection) throws in
            let query = Query(.hasKind("original", .attachment), sort: try Query.SortKey.parse("original, id"))
            let paths: [FieldPath] = ["original.name", "original"]
            let expected = try bare.select(paths, query)
            #expect(expected.count == 18)
            for plan in try collection.plans(query) {
                let options = Query.Options(hint: .plan(plan.identity))
                #expect(try collection.select(paths, query, options: options) == expected, "\(plan)")
            }
        }
    }

    @Test func `A unique index tells attachments apart exactly as equality does`() throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("original", on: "original", unique: true)])
        ])
        try withTemporaryStore(schema: schema) { store in
            try RandomDocuments.addAttachmentContents(to: store)
            let collection = try store.collection("c")
            for document in Self.documents { try collection.put(document) }
            for attachment in RandomDocuments.attachments {
                expectFailure(.duplicateValue) {
                    try collection.put(["id": "new", "original": .attachment(attachment)])
                }
            }
        }
    }
}
