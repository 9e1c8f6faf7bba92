import DocIndex
import TestSupport
import Testing

/// When indexes of the special kinds are used, and when they must not be.
@Suite struct IndexKindPlanTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let index: IndexDefinition
        let condition: String
        var sort: String?
        let plan: String

        init(_ index: IndexDefinition, _ condition: String, sort: String? = nil, _ plan: String) {
            self.index = index
            self.condition = condition
            self.sort = sort
            self.plan = plan
        }

        var testDescription: String { "\(index.name): \(condition), \(sort ?? "no order")" }
    }

    private static let partial = IndexDefinition.value("i", on: "n", where: "kind >= 2 and tags exists")
    private static let sparse = IndexDefinition.value("i", on: "year", sparse: true)
    private static let descending = IndexDefinition.value("i", on: .field("n", order: .descending))
    private static let mixed = IndexDefinition.value("i", on: "kind", .field("n", order: .descending))
    private static let levels = IndexDefinition.value("i", on: .field("place", split: "|"))
    private static let folded = IndexDefinition.value("i", on: .field("title", collation: .caseAndAccentInsensitive))
    private static let natural = IndexDefinition.value(
        "i", on: .field("title", order: .descending, collation: .natural))
    private static let dates = IndexDefinition.value("i", on: .field("taken", dates: [.exif]))
    private static let month = IndexDefinition.value("i", on: .field("taken", dates: [.exif], part: .month))
    private static let people = IndexDefinition.value("i", on: "people[].role", "people[].name")
    private static let product = IndexDefinition.value("i", on: "tags[]", "people[].name")

    static let examples: [Example] = [
        // A partial index: only if the conditions of the query imply its condition.
        Example(partial, "n = 7", "scan"), Example(partial, "n = 7 and kind >= 2", "scan"),
        Example(partial, "n = 7 and kind >= 2 and tags exists", "index i (n = 7)"),
        Example(partial, "n = 7 and kind = 2 and tags in (t1, t2)", "index i (n = 7)"),
        Example(partial, "n = 7 and kind > 2 and tags = t1", "index i (n = 7)"),
        Example(partial, "n = 7 and kind >= 1 and tags exists", "scan"),
        Example(partial, "n = 7 and (kind >= 2 or kind = 0) and tags exists", "scan"),
        Example(partial, "kind = 2 and tags exists", sort: "n", "index i in order"),
        Example(partial, "kind = 2", sort: "n", "scan"),
        // A sparse index: only if a value is required.
        Example(sparse, "year = 1910", "index i (year = 1910)"), Example(sparse, "year missing", "scan"),
        Example(sparse, "year < 1902", "index i (year < 1902)"), Example(sparse, "not year = 1910", "scan"),
        Example(sparse, "", sort: "year", "scan"), Example(sparse, "year exists", sort: "year", "index i in order"),
        // Directions.
        Example(descending, "n < 5", "index i (n < 5)"),
        Example(descending, "n between 5 and 9", "index i (n >= 5, n <= 9)"),
        Example(descending, "", sort: "-n", "index i in order"),
        Example(descending, "", sort: "n", "index i in order, backwards"),
        Example(mixed, "", sort: "kind,-n", "index i in order"),
        Example(mixed, "", sort: "-kind,n", "index i in order, backwards"),
        Example(mixed, "", sort: "kind,n", "scan"), Example(mixed, "", sort: "kind", "index i in order"),
        // Levels: a complete keyword, and a string that starts with one.
        Example(levels, "place = 'Places|P1|x'", #"index i (place = "Places|P1|x")"#),
        Example(levels, "place ^= 'Places|P1|'", #"index i (place ^= "Places|P1|")"#),
        Example(levels, "place ^= 'Places|P12'", #"index i (place ^= "Places|P12")"#),
        Example(levels, "place < 'Places|P1'", "scan"),
        // A folding collation answers equality, and its order is that of a sort key with the same collation.
        Example(folded, "title = 'title 7'", #"index i (title = "title 7")"#),
        Example(folded, "title < 'title 2'", "scan"),
        Example(folded, "title ^= 'title 19'", "scan"), Example(folded, "", sort: "title", "scan"),
        Example(folded, "ci-ai(title) = 'TITLE 7'", #"index i (ci-ai(title) = "TITLE 7")"#),
        Example(folded, "ci-ai(title) in ('TITLE 7', 'title 8')", #"index i (ci-ai(title) IN ("TITLE 7", "title 8"))"#),
        Example(folded, "ci-ai(title) ^= 'Title 19'", #"index i (ci-ai(title) ^= "Title 19")"#),
        Example(
            folded, "ci-ai(title) between 'TITLE 1' and 'TITLE 10'",
            #"index i (ci-ai(title) >= "TITLE 1", ci-ai(title) <= "TITLE 10")"#),
        Example(
            folded, "ci-ai(title) ^= 'Title 19'", sort: "ci-ai(title)",
            #"index i in order (ci-ai(title) ^= "Title 19")"#),
        Example(folded, "ci(title) = 'TITLE 7'", "scan"), Example(folded, "not ci-ai(title) = 'TITLE 7'", "scan"),
        Example(natural, "ci(title) = 'TITLE 7'", "scan"),
        Example(natural, "title = 'title 7'", #"index i (title = "title 7")"#),
        Example(natural, "", sort: "title", "scan"),
        Example(natural, "title ^= 'title 12'", #"index i (title ^= "title 12")"#),
        Example(natural, "title ^= 'title 12'", sort: "-natural(title)", #"index i in order (title ^= "title 12")"#),
        Example(natural, "", sort: "-natural(title)", "index i in order"),
        Example(natural, "", sort: "natural(title)", "index i in order, backwards"),
        Example(natural, "", sort: "ci(title)", "scan"), Example(folded, "", sort: "ci-ai(title)", "index i in order"),
        Example(folded, "", sort: "ci-ai(title),title", "scan"),
        Example(folded, "", sort: "ci-ai(title),-ci-ai(title)", "index i in order"),
        Example(dates, "taken = '2012:06:08 18:02:07'", #"index i (taken = "2012:06:08 18:02:07")"#),
        Example(dates, "taken < '2012:06:08 18:02:07'", "scan"), Example(dates, "", sort: "taken", "scan"),
        Example(month, "taken missing", "index i (taken MISSING)"), Example(month, "taken = 6", "index i (taken = 6)"),
        Example(month, "taken < 6", "scan"),
        // Conditions on one array may be met by different elements; those on two arrays are combined.
        Example(people, "people[].role = r1 and people[].name = n1", #"index i (people[].role = "r1")"#),
        Example(product, "tags[] = t1 and people[].name = n1", #"index i (tags[] = "t1", people[].name = "n1")"#),
    ]

    @Test(arguments: examples) func `An index is used only if it contains every matching document`(example: Example)
        throws
    {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [example.index]), CollectionDefinition("bare"),
        ])
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for id in 0..<400 {
                    var document: DocumentObject = [
                        "id": .int(Int64(id)), "n": .int(Int64(id % 100)), "kind": .int(Int64(id % 5)),
                        "tags": id % 3 == 0 ? nil : [.string("t\(id % 30)"), .string("t\(id % 31)")],
                        "title": .string("\(id % 2 == 0 ? "Title" : "title") \(id % 200)"),
                        "place": .string("Places|P\(id % 40)|\(id % 2 == 0 ? "x" : "y|z")"),
                        "taken": .string("2012:06:08 18:02:\(10 + id % 50)"),
                        "people": [
                            ["role": .string("r\(id % 40)"), "name": .string("n\(id % 7)")],
                            ["role": .string("r\(id % 41)"), "name": .string("n\(id % 40)")],
                        ],
                    ]
                    if id % 3 != 1 { document["year"] = .int(Int64(1900 + id % 90)) }
                    if id % 50 == 0 { document["taken"] = nil }
                    if document["tags"] == .null { document["tags"] = nil }
                    for collection in ["c", "bare"] { try transaction.put(document, in: collection) }
                }
            }
            let query = Query(
                try Filter(parsing: example.condition), sort: try example.sort.map(Query.SortKey.parse) ?? [],
                limit: example.sort == nil ? nil : 10)
            let collection = try store.collection("c")
            let plan = try collection.plan(query)
            #expect(plan.description.hasPrefix(example.plan), "\(plan)")

            #expect(try collection.find(query) == store.collection("bare").find(query))
        }
    }

    @Test(arguments: [IndexDefinition.Component.Order.ascending, .descending])
    func `Strings with a common prefix are found in natural order, whatever numbers follow`(
        order: IndexDefinition.Component.Order
    )
        throws
    {
        let names = [
            "IMG_12", "IMG_120", "img_12", "IMG_0012", "IMG_1", "IMG_2", "IMG_12a", "IMG_12_3", "IMG_1200",
            "IMG_129999999",
            "IMG_12345678901234567890", "IMG_130", "IMG_", "IMG", "IMG_\u{301}", "IMG\u{301}_12", "IMG_12\u{301}", "I",
            "", "0", "00",
            "012", "12", "1<2", "1<\u{338}2", "a\0b12", "a\0b123", "a\0", "\u{e9}12", "e\u{301}12", "IMG_00", "IMG_0",
        ]
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [.value("i", on: .field("name", order: order, collation: .natural), "n")])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                // Others, so that a full scan is too expensive.
                for id in 0..<3000 { try transaction.put(["name": .string("other \(id)")], in: "c") }
                for name in names { try transaction.put(["name": .string(name)], in: "c") }
            }
            var prefixes: Set<String> = []
            for name in names {
                let scalars = Array(name.unicodeScalars)
                for count in scalars.indices.map({ $0 + 1 }) {
                    prefixes.insert(String(String.UnicodeScalarView(scalars.prefix(count))))
                }
            }
            var used = 0
            for prefix in prefixes {
                let query = Query(.hasPrefix("name", prefix))
                let expected = try collection.find(query, options: Query.Options(hint: .scan)).map(\.id)
                #expect(expected.count == names.count { Array($0.utf8).starts(with: prefix.utf8) }, "\(prefix)")
                for plan in try collection.plans(query) {
                    let found = try collection.find(query, options: Query.Options(hint: .plan(plan.identity))).map(\.id)
                    #expect(found == expected, "\(prefix.debugDescription), \(plan)")
                    used += plan.identity == "index(i)" ? 1 : 0
                }
            }
            #expect(used > prefixes.count / 2, "\(used) of \(prefixes.count)")
        }
    }

    @Test func `Indexes find what a scan finds, also through lists within lists and for repeated or ancient months`()
        throws
    {
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .value("tags", on: "people[].tags[]"),
                    .value("pets", on: "people[].pets[].name", "people[].pets[].age"),
                    .value("people", on: "people[].name", "people[].age"),
                    .value("month", on: .field("text", dates: [.exif, .iso8601], part: .month)),
                    .value("counted", on: .field("text", dates: [.exif, .iso8601], part: .month), counts: true),
                    .value("taken", on: "taken"),
                ])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            let ancient = DocumentDate(milliseconds: -719_575 * 86_400_000)
            try collection.put([
                "id": 1, "text": "2019-06-08T18:02:11Z", "taken": .date(ancient),
                "people": [
                    [
                        "name": "a", "age": 3, "tags": ["a", "z"],
                        "pets": [["name": "x", "age": 3], ["name": "y", "age": 5]],
                    ]
                ],
            ])
            let conditions: [(Filter, index: String)] = [
                (
                    .anyElement("people", .and([.compare("tags[]", .greater, "m"), .compare("tags[]", .less, "c")])),
                    "tags"
                ),
                (
                    .anyElement(
                        "people", .and([.compare("pets[].name", .equal, "x"), .compare("pets[].age", .equal, 5)])),
                    "pets"
                ),
                (.anyElement("people", .and([.compare("name", .equal, "a"), .compare("age", .equal, 3)])), "people"),
                (.hasDatePart("text", .month, [6...6, 6...6]), "month"),
                (.hasDatePart("text", .month, [6...6, 6...6]), "counted"),
                (.hasDatePart("taken", .yearMonth, [-89 ... -89]), "taken"),
            ]
            for (filter, index) in conditions {
                for hint in [.scan, .index(index), nil] as [Query.Options.Hint?] {
                    var options = Query.Options()
                    options.hint = hint
                    #expect(try collection.find(Query(filter), options: options).count == 1, "\(filter), \(index)")
                    #expect(try collection.count(where: filter, options: options) == 1, "\(filter), \(index)")
                }
            }
        }
    }
}
