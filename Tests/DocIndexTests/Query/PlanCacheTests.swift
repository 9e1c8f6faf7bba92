import TestSupport
import Testing

@testable import DocIndex

/// Plans that are kept in memory.
@Suite struct PlanCacheTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year"), .text("text", on: "title")])
    ])

    private static func withPhotos(_ body: (DocumentStore, DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            for number in 0..<50 {
                try photos.put(["id": .int(Int64(number)), "year": .int(Int64(1950 + number % 5)), "title": "fog"])
            }
            try body(store, photos)
        }
    }

    private static func known(
        _ query: Query, _ purpose: Planner.Purpose = .documents, in photos: DocumentCollection
    ) throws -> Plan? {
        try photos.reader().knownPlan(for: PlanCache.Key(query: query, purpose: purpose))
    }

    @Test func `A plan is kept until a document changes`() throws {
        try Self.withPhotos { store, photos in
            let query = Query(.compare("year", .equal, 1951), limit: 20)
            #expect(try Self.known(query, in: photos) == nil)
            let plan = try photos.plan(query)
            #expect(try Self.known(query, in: photos) == plan)
            #expect(try Self.known(query, .count, in: photos) == nil)
            #expect(try photos.find(query).count == 10)

            let snapshot = try store.snapshot().collections[0]
            try photos.delete(1)
            #expect(try Self.known(query, in: photos) == nil)
            #expect(try photos.find(query).count == 9)
            #expect(try Self.known(query, in: photos) != nil)
            // The snapshot neither uses the newer plan nor replaces it.
            #expect(try Self.known(query, in: snapshot) == nil)
            #expect(try snapshot.find(query).count == 10)
            #expect(try Self.known(query, in: photos) != nil)
        }
    }

    @Test func `A change of the schema forgets all plans`() throws {
        try Self.withPhotos { store, photos in
            let query = Query(.compare("year", .equal, 1951))
            #expect(try photos.plan(query).indexNames == ["year"])
            try store.adopt(Schema(collections: [CollectionDefinition("photos")]))
            #expect(try Self.known(query, in: photos) == nil)
            #expect(try photos.plan(query).identity == "scan")
            #expect(try photos.find(query).count == 10)
        }
    }

    @Test func `A plan that was kept answers the next page, and an invalid query is refused each time`() throws {
        try Self.withPhotos { _, photos in
            let query = Query(.compare("year", .greater, 1950), sort: [.ascending("year")], limit: 7)
            var ids: [DocumentID] = []
            var token: DocumentCollection.Page.Token?
            repeat {
                let page = try photos.page(query, after: token)
                ids += page.documents.map(\.id)
                token = page.next
            } while token != nil
            #expect(try ids == photos.find(Query(query.filter, sort: query.sort)).map(\.id))
            for _ in 0..<2 {
                #expect(throws: DocIndexError.self) { try photos.find(Query(limit: -1)) }
            }
        }
    }

    @Test func `Searches, and conditions with large constants, are not kept`() throws {
        try Self.withPhotos { _, photos in
            let search = Query(try Filter(parsing: "SEARCH \"fog\""))
            let many = Query(.isIn("year", (0..<2000).map { .int($0) }))
            let long = Query(.compare("title", .equal, .string(String(repeating: "x", count: 20_000))))
            let places = Query(sort: [.init(.place("year", in: [1951, 1950]))])
            let folded = Query(try Filter(parsing: "ci(title) = 'FOG'"))
            for query in [search, many, long, places, folded] {
                for _ in 0..<2 { _ = try photos.find(query) }
                #expect(try Self.known(query, in: photos) == nil)
            }
        }
    }

    @Test func `The last plans are kept`() throws {
        try Self.withPhotos { _, photos in
            func query(_ year: Int) -> Query { Query(.compare("year", .equal, .int(Int64(year)))) }
            for year in 0..<100 { #expect(try photos.find(query(year)).isEmpty) }
            let kept = try (0..<100).filter { try Self.known(query($0), in: photos) != nil }
            #expect(kept == Array(36..<100))
        }
    }

    @Test func `Queries with equal constants are kept beside each other`() throws {
        try Self.withPhotos { _, photos in
            let queries = [
                Query(.compare("year", .equal, 1951)), Query(.compare("rating", .equal, 1951)),
                Query(.compare("year", .less, 1951)), Query(.not(.compare("year", .equal, 1951))),
                Query(.compare("year", .equal, 1951), sort: [.ascending("year")]),
                Query(.compare("year", .equal, 1951), sort: [.descending("year")]),
                Query(.compare("year", .equal, 1951), offset: 1), Query(), Query(.exists("year")),
            ]
            for query in queries { _ = try photos.find(query) }
            let kept = try queries.filter { try Self.known($0, in: photos) != nil }
            #expect(kept == queries)
        }
    }

    // MARK: - Identity

    private static let conditions: [Filter] = {
        let center = GeoPoint(latitude: 1, longitude: 2)!
        let other = GeoPoint(latitude: 1, longitude: 3)!
        let a: Filter = .exists("a")
        let b: Filter = .exists("b")
        return [
            .all, a, b, .exists("a[]"), .not(a), .not(b), .and([a, b]), .and([b, a]), .or([a, b]), .or([a]), .and([a]),
            .or([]), .and([]), .not(.not(a)), .anyElement("a", b), .anyElement("b", b), .anyElement("a", a),
            .compare("a", .equal, 1), .compare("a", .equal, 1.0), .compare("a", .less, 1), .compare("b", .equal, 1),
            .collates("a", .equal, 1), .compare("a", .equal, 0.0), .compare("a", .equal, -0.0),
            .compare("a", .equal, "\u{e9}"), .compare("a", .equal, "e\u{301}"), .compare("\u{e9}", .equal, 1),
            .compare("e\u{301}", .equal, 1), .compare("a", .equal, .null), .compare("a", .equal, .double(.nan)),
            .compare("a", .equal, []), .compare("a", .equal, [1]),
            .isIn("a", [1, 2]), .isIn("a", [2, 1]), .isIn("a", [1]), .isIn("b", [1, 2]), .isIn("a", []),
            .isDated("a", .init(from: 1, to: 2)), .isDated("a", .init(from: 1, to: 3)),
            .isDated("b", .init(from: 1, to: 2)), .hasPrefix("a", "x"), .hasPrefix("a", "y"), .contains("a", "x"),
            .hasPrefix("a", "\u{e9}"),
            .hasPrefix("a", "e\u{301}"), .isBelow("a", "x", separator: "|"), .isBelow("a", "x", separator: "/"),
            .isBelow("a", "y", separator: "|"),
            .isNear(.location("a"), center, meters: 5), .isNear(.location("a"), center, meters: 6),
            .isNear(.location("b"), center, meters: 5), .isNear(.location("a"), other, meters: 5),
            .isWithin(.location("a"), GeoBox(around: center, radius: 5)),
            .isWithin(.location("a"), GeoBox(around: other, radius: 5)),
        ]
    }()

    @Test func `Conditions are identical to themselves only`() {
        for (place, left) in Self.conditions.enumerated() {
            for (otherPlace, right) in Self.conditions.enumerated() {
                #expect(left.isIdentical(to: right) == (place == otherPlace), "\(left) and \(right)")
                #expect(
                    Filter.and([a, left]).isIdentical(to: .and([a, right])) == (place == otherPlace),
                    "\(left) and \(right), in a conjunction")
            }
        }
    }

    private let a: Filter = .exists("z")

    @Test func `Queries that differ in one part are not identical`() {
        let base = Query(a, sort: [.ascending("a")], limit: 1, offset: 2)
        let keys: [PlanCache.Key] = [
            .init(query: base, purpose: .documents), .init(query: base, purpose: .count),
            .init(query: base, purpose: .fields(["a"])), .init(query: base, purpose: .fields(["b"])),
            .init(query: Query(a, sort: [.ascending("a")], limit: 2, offset: 2), purpose: .documents),
            .init(query: Query(a, sort: [.ascending("a")], limit: nil, offset: 2), purpose: .documents),
            .init(query: Query(a, sort: [.ascending("a")], limit: 1, offset: 1), purpose: .documents),
            .init(query: Query(a, sort: [.descending("a")], limit: 1, offset: 2), purpose: .documents),
            .init(query: Query(a, sort: [], limit: 1, offset: 2), purpose: .documents),
            .init(
                query: Query(a, sort: [.ascending("a", collation: .natural)], limit: 1, offset: 2), purpose: .documents),
            .init(query: Query(.all, sort: [.ascending("a")], limit: 1, offset: 2), purpose: .documents),
        ]
        for (place, left) in keys.enumerated() {
            for (otherPlace, right) in keys.enumerated() {
                #expect(left.isIdentical(to: right) == (place == otherPlace), "\(place) and \(otherPlace)")
            }
        }
    }
}
