import DocIndex
import TestSupport
import Testing

/// Two thousand real image records, from a museum and a city archive.
@Suite(
    .enabled(if: SharedTestData.has("catalog-2000.jsonl"), "the file ../shared/data/catalog-2000.jsonl is not there"))
struct CatalogDataTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "pictures",
            indexes: [
                .value("year", on: "year"), .value("creator", on: "creator", "year"),
                .value("keywords", on: "keywords[]"),
                .value("gps", on: "gps.lat", "gps.lon"), .value("source", on: "source"),
                .text("text", on: "title", "caption", "medium", "keywords[]"),
            ])
    ])

    static let conditions: [(condition: String, sort: String?, limit: Int?)] = [
        ("year = 1834", nil, nil), ("year between 1920 and 1929", "year,-title", nil),
        ("year < 1800 or year > 1990", "-year", 50),
        ("keywords has landscape", nil, nil), ("keywords has landscape and keywords has hill", "creator", nil),
        ("keywords[] ^= 'Bronx'", "id", nil), ("keywords missing", nil, 10), ("keywords in ('x', 'people')", nil, nil),
        ("keywords[] in ('wheelbarrow', 'castle', 'none')", "-title", nil),
        ("gps.lat between 40.8 and 40.85", "gps.lon", nil), ("gps.lat > 40.84 gps.lon < -73.9", "gps.lat,gps.lon", nil),
        ("gps exists", "-id", 20),
        ("gps.lat missing source = oldnyc", nil, nil),
        ("creator = 'Joseph Mallord William Turner'", "creator,year", 100),
        ("creator ^= 'J'", "creator", nil), ("creator exists", "creator", 40), ("", "creator", 25),
        ("", "-creator", 25), ("", "-year", 25),
        ("creator = 'Joseph Mallord William Turner' year > 1830", "year", nil), ("title *= church", nil, nil),
        ("not source = tate", nil, nil),
        ("place.boro = Manhattan (year = 1930 or year = 1931)", "title", nil),
        ("width > 500 height < 400", "-width,height", 30),
        ("year = 1925 or keywords has castle or gps.lat > 40.88", nil, nil),
    ]

    /// Stores the first records in batches of 100.
    private static func load(_ count: Int, into store: DocumentStore) throws -> ExpectedDocuments {
        let records = try SharedTestData.lines(of: "catalog-2000.jsonl").prefix(count).map { line in
            try #require(try JSONParser().parse(line).objectValue)
        }
        var model = ExpectedDocuments()
        for start in stride(from: 0, to: records.count, by: 100) {
            try store.write { transaction in
                for record in records[start..<min(start + 100, records.count)] {
                    model[try transaction.insert(record, in: "pictures")] = record
                }
            }
        }
        return model
    }

    @Test func `Queries over real records match an exhaustive search`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let pictures = try store.collection("pictures")
            var model = try Self.load(2000, into: store)
            #expect(try pictures.count() == 2000 && model.count == 2000)
            try check(pictures, model)
            // Every third document is changed, every seventh deleted.
            try store.write { transaction in
                for (position, id) in model.ids.sorted().enumerated() {
                    if position % 7 == 0 {
                        try transaction.delete(id, in: "pictures")
                        model[id] = nil
                    } else if position % 3 == 0 {
                        var content = try #require(model[id])
                        content["year"] = position % 2 == 0 ? .none : 1834
                        content["keywords"] = ["landscape", "castle"]
                        model[id] = content
                        try transaction.put(content, in: "pictures")
                    }
                }
            }
            try check(pictures, model)
        }
    }

    private func check(_ pictures: DocumentCollection, _ model: ExpectedDocuments) throws {
        var found = 0
        for (condition, sort, limit) in Self.conditions {
            let query = Query(
                try Filter(parsing: condition), sort: try sort.map(Query.SortKey.parse) ?? [], limit: limit)
            let expected = NaiveQuery.answer(query, among: model)
            #expect(try pictures.find(condition, sort: sort, limit: limit).map(\.id) == expected, "\(condition)")
            found += expected.count
        }
        #expect(found > 1000)
    }

    @Test func `Words of real records are found where they occur`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let pictures = try store.collection("pictures")
            let model = try Self.load(500, into: store)
            for word in ["church", "bridge", "street", "graphite", "179th"] {
                let expected = model.documents.filter { document in
                    let keywords = document.content["keywords"]?.arrayValue ?? []
                    return (["title", "caption", "medium"].map { document.content[$0] } + keywords).contains { value in
                        (value?.stringValue ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }.contains(
                            Substring(word))
                    }
                }
                let hits = try pictures.search(word, limit: nil)
                #expect(Set(hits.map(\.document.id)) == Set(expected.map(\.id)), "\(word)")
                #expect(!hits.isEmpty)
                let tate = Filter.compare("source", .equal, "tate")
                #expect(
                    try pictures.search(word, where: tate, limit: nil)
                        == hits.filter { $0.document["source"] == "tate" })
            }
        }
    }
}
