import DocIndex
import TestSupport
import Testing

/// Counts, facets, distinct values and groups, compared with counting every document.
@Suite struct AggregateTests {
    private static let indexes: [IndexDefinition] = [
        .value("kind", on: "kind"), .value("kind, n", on: "kind", "n"), .value("tags", on: "tags[]", counts: true),
        .value("down", on: .field("n", order: .descending)), .value("year", on: "year", sparse: true),
    ]

    private func withDocuments(_ body: (DocumentCollection, [DocumentObject]) throws -> Void) throws {
        var random = TestRun.random(stream: 70)
        var documents: [DocumentObject] = []
        for id in 0..<300 {
            var document: DocumentObject = [
                "id": .int(Int64(id)), "kind": .string("k\(random.number(below: 4))"),
                "n": random.pick([.int(Int64(random.number(below: 9)) - 3), .double(2.0), .double(0.5), .null, "x"]),
                "tags": .array((0..<random.number(below: 4)).map { _ in .string("t\(random.number(below: 5))") }),
                "taken": .string(
                    "20\(10 + random.number(below: 3)):0\(1 + random.number(below: 9)):05 1\(random.number(below: 9)):00:00"
                ),
            ]
            if random.once(in: 2) { document["year"] = .int(Int64(1990 + random.number(below: 20))) }
            documents.append(document)
        }
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: Self.indexes), CollectionDefinition("bare"),
        ])
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for document in documents {
                    for collection in ["c", "bare"] { try transaction.put(document, in: collection) }
                }
            }
            for collection in store.collections { try body(collection, documents) }
        }
    }

    private static let conditions = [
        "", "kind = k1", "n >= 2", "tags has t1 and kind in (k0, k2)", "year missing", "n = 99",
    ]

    private static func values(_ path: FieldPath, _ document: DocumentObject) -> Set<DocumentValue> {
        var values: Set<DocumentValue> = []
        path.forEachElement(in: document) { value in
            if case .double(let number) = value, let whole = Int64(exactly: number) {
                values.insert(.int(whole))
            } else {
                values.insert(value)
            }
        }
        return values
    }

    @Test func `Facets and distinct values match a count over every document`() throws {
        try withDocuments { collection, documents in
            for condition in Self.conditions {
                let filter = try Filter(parsing: condition)
                let matching = documents.filter { NaiveQuery.holds(filter, for: $0) }
                for path: FieldPath in ["kind", "n", "tags[]", "year", "absent"] {
                    var counts: [DocumentValue: Int] = [:]
                    for document in matching {
                        for value in Self.values(path, document) { counts[value, default: 0] += 1 }
                    }
                    let facets = try collection.facets(path, where: filter)
                    #expect(
                        Dictionary(uniqueKeysWithValues: facets.map { ($0.value, $0.count) }) == counts,
                        "\(condition) \(path)")
                    #expect(zip(facets, facets.dropFirst()).allSatisfy { $0.count >= $1.count })
                    #expect(try collection.facets(path, where: filter, limit: 2) == Array(facets.prefix(2)))
                    let distinct = try collection.distinct(path, where: filter)
                    let expected = counts.keys.sorted { ReferenceOrder.compare($0, $1) < 0 }
                    #expect(distinct == expected, "\(condition) \(path)")
                    #expect(try collection.distinct(path, where: filter, limit: 3) == Array(expected.prefix(3)))
                }
                let several = try collection.facets(["kind", "tags[]"], where: filter)
                #expect(try several[1] == collection.facets("tags[]", where: filter))
                #expect(try collection.count(where: filter) == matching.count)
            }
        }
    }

    @Test func `Groups have the sums, averages and extremes of their documents`() throws {
        try withDocuments { collection, documents in
            for condition in Self.conditions {
                let filter = try Filter(parsing: condition)
                let matching = documents.filter { NaiveQuery.holds(filter, for: $0) }
                let groups = try collection.summarize(
                    Aggregation(
                        by: [.value("kind")],
                        [.count, .sum("n"), .average("n"), .minimum("n"), .maximum("n"), .distinctCount("tags[]")]),
                    where: filter)
                let kinds = Set(matching.compactMap { $0["kind"]?.stringValue }).sorted()
                #expect(groups.map { $0.key } == kinds.map { [.string($0)] })
                for group in groups {
                    let members = matching.filter { $0["kind"] == group.key[0] }
                    let numbers = members.compactMap { $0["n"]?.numberValue }
                    let values = members.compactMap { $0["n"] }.sorted { ReferenceOrder.compare($0, $1) < 0 }
                    #expect(group.values[0] == .int(Int64(members.count)))
                    #expect(group.values[1].numberValue == numbers.reduce(0, +))
                    #expect(
                        group.values[2].numberValue
                            == (numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)))
                    #expect(ReferenceOrder.compare(group.values[3], values.first) == 0)
                    #expect(ReferenceOrder.compare(group.values[4], values.last) == 0)
                    let tags = members.reduce(into: Set<DocumentValue>()) { $0.formUnion(Self.values("tags[]", $1)) }
                    #expect(group.values[5] == .int(Int64(tags.count)))
                }
            }
            let whole = try collection.summarize(Aggregation(), where: Filter(parsing: "n = 99"))
            #expect(whole.map { $0.values } == [[0]])
        }
    }

    @Test func `A histogram counts by date parts and by ranges`() throws {
        try withDocuments { collection, documents in
            let months = try collection.summarize(Aggregation(by: [.datePart("taken", .yearMonth)]))
            var counts: [Int64: Int64] = [:]
            for document in documents {
                let digits = (document["taken"]?.stringValue ?? "").split(separator: ":")
                counts[(Int64(digits[0]) ?? 0) * 100 + (Int64(digits[1]) ?? 0), default: 0] += 1
            }
            #expect(months.map { $0.key } == counts.keys.sorted().map { [.int($0)] })
            #expect(months.map { $0.values[0] } == counts.sorted { $0.key < $1.key }.map { .int($0.value) })
            let ranges = try collection.summarize(Aggregation(by: [.range("year", width: 10)]))
            let decades = documents.map { $0["year"]?.intValue.map { $0 / 10 * 10 } }
            for group in ranges {
                let count = decades.count { $0 == group.key[0]?.intValue }
                #expect(group.values == [.int(Int64(count))])
            }
            expectFailure(.invalidQuery) {
                _ = try collection.summarize(Aggregation(by: [.range("year", width: 0)]))
            }
            expectFailure(.queryTooLarge) {
                _ = try collection.summarize(Aggregation(by: [.value("id")], groupLimit: 10))
            }
        }
    }

    @Test func `Counts by one key match a scan of every document, with any indexes`() throws {
        var queries = RandomQueries(TestRun.random(stream: 71))
        queries.documents.hasAttachments = true
        var fromIndexCount = 0
        let rounds = TestRun.rounds(12, long: 600)
        // Further rounds make up for random indexes that answer few of the questions.
        for round in 0..<10 * rounds where round < rounds || fromIndexCount <= 20 {
            let indexes = queries.indexes()
            let schema = Schema(collections: [
                CollectionDefinition("c", indexes: indexes), CollectionDefinition("bare"),
            ])
            try withTemporaryStore(schema: schema) { store in
                try RandomDocuments.addAttachmentContents(to: store)
                try store.write { transaction in
                    for _ in 0..<60 {
                        let document = queries.documents.document(id: queries.documents.id())
                        for collection in ["c", "bare"] { try transaction.put(document, in: collection) }
                    }
                }
                let (collection, bare) = (try store.collection("c"), try store.collection("bare"))
                let paths = Set(indexes.flatMap(\.fields)).union(["a", "tags[]"]).sorted { "\($0)" < "\($1)" }
                for path in paths {
                    for key: Aggregation.GroupKey in [
                        .value(path), .datePart(path, .yearMonth), .datePart(path, .hour), .range(path, width: 2.5),
                    ] {
                        for measures: [Aggregation.Measure] in [[.count], [.count, .count], [], [.sum("a")]] {
                            let aggregation = Aggregation(by: [key], measures)
                            #expect(
                                try collection.summarize(aggregation) == bare.summarize(aggregation),
                                "\(aggregation) \(indexes) \(TestRun.repetition)")
                            if try collection.indexGrouping(aggregation) != nil { fromIndexCount += 1 }
                        }
                    }
                }
            }
        }
        // Otherwise nothing has been compared.
        #expect(fromIndexCount > 20)
    }

    @Test func `A timeline is computed from month counts, and its plan says so`() throws {
        let months = IndexDefinition.Component.field("taken", dates: [.iso8601], part: .yearMonth)
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("month", on: months, counts: true)])
        ])
        let timeline = Aggregation(by: [.datePart("taken", .yearMonth)])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            for (id, taken) in ["2019-07-14", "2019-07-15T10:00:00", "2019-08-01"].enumerated() {
                try collection.put(["id": .int(Int64(id)), "taken": .string(taken)])
            }
            try collection.put(["id": 10])
            try collection.put(["id": 11, "taken": .null])
            #expect(try collection.indexGrouping(timeline) == "month")
            #expect(try collection.indexGrouping(Aggregation(by: [.datePart("taken", .year)])) == nil)
            func groups() throws -> [String] {
                try collection.summarize(timeline).map { "\($0.key[0].map { "\($0)" } ?? "-") \($0.values)" }
            }
            #expect(try groups() == ["- [2]", "201907 [2]", "201908 [1]"])
            // A date in a format unknown to the index is still a date, so the documents decide.
            try collection.put(["id": 12, "taken": "2019:08:03 10:00:00"])
            #expect(try groups() == ["- [2]", "201907 [2]", "201908 [2]"])
        }
    }

    @Test func `Selected fields have the values of the documents`() throws {
        try withDocuments { collection, documents in
            let found = try collection.select(["id", "tags[]", "absent"], Query(limit: 5))
            #expect(found.map { $0["id"] } == documents.prefix(5).map { $0["id"] })
            #expect(found.map { $0["tags[]"] } == documents.prefix(5).map { $0["tags"] })
            #expect(found.allSatisfy { $0["absent"] == nil && $0.count == 2 })
        }
    }
}
