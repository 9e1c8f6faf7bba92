import DocIndex
import TestSupport
import Testing

/// Conditions that ignore case, or case and accents.
@Suite struct FoldedConditionTests {
    private struct Place: QueryableDocument {
        var city: String
        var tags: [String]
        static var fields: [PartialKeyPath<Place>: FieldPath] { [\.city: "city", \.tags: "tags"] }
    }

    private static let cities: [(Int64, DocumentValue, DocumentValue)] = [
        (1, "München", ["Sea", "fog"]), (2, "MUNCHEN", ["SEA"]), (3, "munchen", "sea"), (4, "Łódź", []),
        (5, "Münster", ["Sée"]), (6, 5, nil), (7, ["München"], [5]),
    ]

    /// Conditions in each notation with the IDs that satisfy them.
    private static let table: [(String, Filter, [Int64])] = [
        ("ci(city) = MÜNCHEN", (\Place.city).ignoringCase == "MÜNCHEN", [1]),
        ("ci-ai(city) = munchen", (\Place.city).ignoringCaseAndAccents == "munchen", [1, 2, 3]),
        ("ci-ai(city) == LODZ", .folded("city", .caseAndAccentInsensitive, .compare(.equal, "LODZ")), [4]),
        ("CI(city) in (munchen, 'łódź')", (\Place.city).ignoringCase.isIn("munchen", "łódź"), [2, 3, 4]),
        ("ci-ai(city) ^= mun", (\Place.city).ignoringCaseAndAccents.hasPrefix("mun"), [1, 2, 3, 5]),
        ("ci-ai(city) *= STE", (\Place.city).ignoringCaseAndAccents.contains("STE"), [5]),
        ("ci(city) *= 'ÜNS'", (\Place.city).ignoringCase.contains("ÜNS"), [5]),
        (
            "ci-ai(city) between LODZ and munchen",
            .between("city", "LODZ", "munchen", collation: .caseAndAccentInsensitive), [1, 2, 3, 4]
        ),
        ("ci-ai(city) > munchen", .folded("city", .caseAndAccentInsensitive, .compare(.greater, "munchen")), [5]),
        ("ci-ai(city) != munchen", (\Place.city).ignoringCaseAndAccents != "munchen", [4, 5, 6, 7]),
        ("not ci(city) = munchen", .not((\Place.city).ignoringCase == "munchen"), [1, 4, 5, 6, 7]),
        ("ci(tags) has sea", (\Place.tags).ignoringCase.has("sea"), [1, 2, 3]),
        ("ci-ai(tags[]) = see", .folded("tags[]", .caseAndAccentInsensitive, .compare(.equal, "see")), [5]),
        (
            "ci-ai(city[]) = munchen", .folded("city[]", .caseAndAccentInsensitive, .compare(.equal, "munchen")),
            [1, 2, 3, 7]
        ),
        ("ci(city) in ()", .folded("city", .caseInsensitive, .isIn([])), []),
        (
            "tags any (ci(@) = fog)", .anyElement("tags", .folded(.element, .caseInsensitive, .compare(.equal, "fog"))),
            [1]
        ),
    ]

    @Test func `All notations of a case-insensitive condition give equal results, with and without an index`() throws {
        let indexes: [[IndexDefinition]] = [
            [], [.value("city", on: .field("city", collation: .caseInsensitive))],
            [
                .value("city", on: .field("city", order: .descending, collation: .caseAndAccentInsensitive)),
                .value("tags", on: .field("tags[]", collation: .caseInsensitive)),
            ],
            [
                .value("city", on: "city", .field("tags[]", collation: .caseAndAccentInsensitive)),
                .value("cities", on: .field("city[]", collation: .caseAndAccentInsensitive)),
            ],
        ]
        let schema = Schema(
            collections: indexes.enumerated().map { CollectionDefinition("c\($0)", indexes: $1) })
        try withTemporaryStore(schema: schema) { store in
            for collection in store.collections {
                for (id, city, tags) in Self.cities {
                    try collection.put(["id": .int(id), "city": city, "tags": tags])
                }
                for (text, filter, ids) in Self.table {
                    let parsed = try Filter(parsing: text)
                    #expect(parsed == filter, "\(text)")
                    #expect(try Filter(parsing: parsed.description) == parsed, "\(text)")
                    for plan in try collection.plans(Query(filter)) {
                        let found = try collection.find(
                            Query(filter), options: Query.Options(hint: .plan(plan.identity)))
                        #expect(found.map(\.id) == ids.map { .int($0) }, "\(text), \(plan)")
                    }
                }
            }
        }
    }

    @Test func `A bound value is compared like a literal`() throws {
        let (city, cities) = ("munchen", ["munchen", "lodz"])
        #expect(try Filter("ci-ai(city) = \(city)") == Filter(parsing: "ci-ai(city) = munchen"))
        #expect(try Filter("ci(city) in \(cities)") == Filter(parsing: "ci(city) in (munchen, lodz)"))
        expectFailure(.invalidQuery, containing: "strings") { try Filter("ci(city) in \([5])") }
        expectFailure(.invalidQuery, containing: "string") { try Filter("ci(city) = \(5)") }
    }

    @Test(arguments: ["natural(city) = a", "ci(city) exists", "ci(city) is number", "ci(city) ~ a", "ci(city)"])
    func `A condition that a collation does not support is rejected`(text: String) {
        expectFailure(.invalidQuery) { try Filter(parsing: text) }
    }

    @Test func `A field may have the name of a collation`() throws {
        #expect(try Filter(parsing: "ci = 5") == .compare("ci", .equal, 5))
        #expect(try Filter(parsing: "ci(ci) = a") == .folded("ci", .caseInsensitive, .compare(.equal, "a")))
    }

    @Test func `A member name can satisfy a condition`() throws {
        let filter = try Filter(parsing: "places any key (ci(@) = home)")
        #expect(filter == .anyKey("places", .folded(.element, .caseInsensitive, .compare(.equal, "home"))))
        #expect(filter.matches(["places": ["Home": 1]]) && !filter.matches(["places": ["work": 1]]))
        #expect(!filter.matches(["places": "home"]) && !filter.matches(["places": ["home"]]))
        #expect(try Filter(parsing: filter.description) == filter)
        #expect(try Filter(parsing: "places[] any key ()").matches(["places": [["a": 1]]]))
        expectFailure(.invalidQuery, containing: "search") {
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) {
                try $0.collection("c").find(Query(.anyKey("a", .search("x"))))
            }
        }
    }

    @Test func `An inline flag makes an expression ignore case`() throws {
        #expect(try Filter(parsing: "a matches /(?i)fog/") == Filter(parsing: "a matches /fog/i"))
        #expect(try Filter.TextPattern("(?i)FOG").hasMatch(in: "a fog"))
        expectFailure(.invalidQuery) { try Filter.TextPattern("a(?i)b") }
    }
}
