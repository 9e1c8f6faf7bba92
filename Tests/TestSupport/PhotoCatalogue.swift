public import DocIndex

/// A photo catalog for acceptance tests: image records with the fields that photo applications add, the indexes that
/// such an application declares, and the thirty queries its users run most.
///
/// Tests run the queries on a few thousand photos; `querybench`, which shares this file, runs them on any number.
public enum PhotoCatalogue {
    /// The collection that an application declares.
    public static let collection = CollectionDefinition(
        "photos",
        indexes: [
            .value("taken", on: .field("taken", order: .descending, dates: [.iso8601])),
            .value("timeline", on: .field("taken", order: .descending)),
            .value("month", on: .field("taken", dates: [.iso8601], part: .yearMonth), counts: true),
            .value("day", on: .field("taken", dates: [.iso8601], part: .monthDay)),
            .value("rating", on: "rating", .field("taken", order: .descending)),
            .value("keywords", on: "keywords[]", .field("taken", order: .descending)),
            .value("subjects", on: .field("subjects[]", split: "|")),
            .value("album", on: "album", "rating", "albumPlace"),
            .value("imported", on: "imported", "rating"),
            .value("picked", on: "keywords[]", where: "pick = true"),
            .value("camera", on: "camera.make", "camera.lens", counts: true),
            .value("model", on: "camera.model", "camera.iso"),
            .value("focal", on: "camera.focal"),
            .value("file", on: "file"), .value("names", on: .field("file", collation: .natural)),
            .value("checksum", on: "checksum", counts: true),
            .value("city", on: "place.city"), .value("year", on: "year", counts: true),
            .geo("gps", on: "gps"), .text("words", on: "title", "caption", "keywords[]", "note"),
        ])

    private static let lenses = ["EF 70-200 f/2.8", "EF 24-70 f/2.8", "XF 23 f/2", "XF 70-200 f/4", "Elmar 50 f/3.5"]
    private static let subjects = [
        "Places|Italy|Venice", "Places|Italy", "Places|France|Paris", "People|Crowd", "Places",
    ]

    /// Returns a photo built from a record and its number, the same each time.
    public static func photo(_ record: DocumentObject, number: Int) -> DocumentObject {
        var draws = Draws(seed: UInt64(number) &* 0x9e37_79b9_7f4a_7c15 &+ 77)
        func below(_ limit: Int) -> Int { draws.number(below: limit) }
        var photo = record
        func set(_ name: String, _ value: DocumentValue) { photo[name] = value }
        if below(3) > 0 { set("rating", .int(Int64(below(6)))) }
        if below(20) == 0 { set("rejected", true) }
        set("pick", .bool(below(10) == 0))
        set("album", .string("album \(below(60))"))
        set("albumPlace", .int(Int64(below(10_000))))
        set("imported", .int(Int64(number / 500)))
        let year = record["year"]?.intValue ?? Int64(1890 + below(60))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if (1000...2100).contains(year) {
            let day = "\(year)-\(two(1 + below(12)))-\(two(1 + below(28)))"
            set("taken", .string("\(day)T\(two(below(24))):\(two(below(60))):\(two(below(60)))"))
        }
        let lens = below(lenses.count)
        set(
            "camera",
            [
                "make": .string(lens < 2 ? "Canon" : lens < 4 ? "Fuji" : "Leica"),
                "model": .string(["EOS R5", "EOS 5D", "X100V", "X-T4", "M3"][lens]), "lens": .string(lenses[lens]),
                "iso": .int(Int64(100 << below(8))), "aperture": .double([1.4, 2, 2.8, 4, 8][below(5)]),
                "focal": .int(Int64(20 + below(180))),
            ])
        set("orientation", .string(below(3) > 0 ? "landscape" : "portrait"))
        set("subjects", .array((0..<below(3)).map { _ in .string(subjects[below(subjects.count)]) }))
        set("file", .string("IMG_\(1 + below(20_000)).JPG"))
        // One in forty is a duplicate.
        set("checksum", .string("sum \(below(40) == 0 ? number / 2 : number)\(below(40) == 0 ? "" : "x")"))
        var place = record["place"]?.objectValue ?? DocumentObject()
        if below(3) == 0 { place["city"] = .string(["New York", "London", "Venice"][below(3)]) }
        set("place", .object(place))
        if number % 200 == 0 { set("note", "外滩和上海的老桥") }
        return photo
    }

    private static let words = [
        "brooklyn", "bridge", "broadway", "theatre", "1928", "fire", "street", "harbour", "church", "wedding", "fog",
        "river", "old", "the", "new", "york", "tower", "market", "boat", "people",
    ]

    /// Returns a synthetic record like those of the catalog.
    public static func record(number: Int) -> DocumentObject {
        var draws = Draws(seed: UInt64(number) &+ 5)
        func text(_ count: Int) -> String {
            (0..<count).map { _ in words[min(draws.number(below: 20), draws.number(below: 20))] }.joined(separator: " ")
        }
        var record: DocumentObject = [
            "id": .string("made-\(number)"), "title": .string(text(4)), "caption": .string(text(12)),
            "keywords": .array((0..<draws.number(below: 5)).map { _ in .string(words[draws.number(below: 20)]) }),
        ]
        if draws.number(below: 12) > 0 { record["year"] = .int(Int64(1860 + draws.number(below: 90))) }
        if draws.number(below: 3) > 0 {
            record["gps"] = [
                "lat": .double(40.5 + Double(draws.number(below: 4000)) / 10_000),
                "lon": .double(-74.2 + Double(draws.number(below: 4000)) / 10_000),
            ]
            record["place"] = ["boro": .string(["Manhattan", "Brooklyn", "Queens"][draws.number(below: 3)])]
        }
        return record
    }

    /// Random numbers that are identical in every version of Swift (SplitMix64; Steele, Lea and Flood, 2014).
    private struct Draws {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func number(below limit: Int) -> Int {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return Int((z ^ (z >> 31)) % UInt64(limit))
        }
    }
}

/// One of the thirty queries.
public struct AcceptanceQuery: Sendable {
    /// The kind of request.
    public enum Form: Sendable {
        /// Finds documents.
        case find(Query)
        /// Fetches one page of documents, counting from 1.
        case page(Query, number: Int)
        /// Counts the documents that satisfy each of several conditions.
        case count([Filter])
        /// Returns the most frequent values with their counts.
        case facets([FieldPath], Filter, limit: Int)
        /// Returns groups.
        case summarize(Aggregation, Filter)
    }

    /// The number in the list.
    public let number: Int
    /// The description of the query.
    public let name: String
    /// The maximum duration in milliseconds.
    public let targetMilliseconds: Double
    /// The kind of request.
    public let form: Form

    /// Returns the requests that are queries: all but 29, changes of a live result, and 30, an edit of many photos.
    ///
    /// - Parameters:
    ///   - keywords: Forty keywords in use, the most common ones first.
    ///   - lastImport: The number of the last import.
    public static func all(keywords: [String], lastImport: Int) throws -> [AcceptanceQuery] {
        var parameters: [String: DocumentValue] = [:]
        for (position, keyword) in keywords.enumerated() { parameters["k\(position + 1)"] = .string(keyword) }
        func condition(_ text: String) throws -> Filter { try Filter(parsing: text, parameters: parameters) }
        func query(_ text: String, _ sort: String = "", limit: Int? = nil) throws -> Query {
            Query(try condition(text), sort: sort.isEmpty ? [] : try Query.SortKey.parse(sort), limit: limit)
        }
        func find(_ text: String, _ sort: String = "", limit: Int? = nil) throws -> Form {
            .find(try query(text, sort, limit: limit))
        }
        let fourth = "rating >= 4 and keywords has :k1"
        let near = GeoPoint(latitude: 40.71, longitude: -73.99)
        let nearest = near.map {
            Query(
                .isNear(.location("gps"), $0, meters: 5000), sort: [.nearest(.location("gps"), to: $0)], limit: 50)
        }
        let list: [(Int, String, Double, Form)] = [
            (1, "newest 200", 1, try find("", "-taken", limit: 200)),
            (
                2, "timeline: count per month", 1,
                .summarize(Aggregation(by: [.datePart("taken", .yearMonth)]), .all)
            ),
            (
                3, "some years, newest first, page 37", 2,
                .page(try query("taken between '1890' and '1940'", "-taken", limit: 20), number: 37)
            ),
            (4, "rating >= 4 and a keyword, newest first", 5, try find(fourth, "-taken", limit: 200)),
            (5, "rating 3 in an album, its order", 3, try find("rating = 3 and album = 'album 7'", "albumPlace")),
            (
                6, "unrated, not rejected, last import", 3,
                try find("rating missing not rejected = true imported = \(lastImport)")
            ),
            (7, "picked and without keywords", 5, try find("pick = true and keywords[] missing")),
            (8, "a keyword or below it", 5, try find("subjects[] below 'Places|Italy'", limit: 200)),
            (
                9, "keywords all of, none of", 5,
                try find("keywords has :k1 keywords has :k2 not keywords has :k3", limit: 200)
            ),
            (
                10, "any of 40 keywords", 10,
                .find(
                    Query(.isIn("keywords[]", keywords.map { .string($0) }), sort: [.descending("taken")], limit: 200))
            ),
            (
                11, "camera, lens, ISO, aperture", 10,
                try find(
                    "camera.model = 'EOS R5' camera.lens *= '70-200' camera.iso between 1600 and 6400 camera.aperture <= 2.8",
                    limit: 200)
            ),
            (
                12, "focal length, landscape", 10,
                try find("camera.focal between 28 and 35 and orientation = landscape", limit: 200)
            ),
            (
                13, "facets under question 4", 10,
                .facets(
                    ["camera.model", "camera.lens", "camera.iso", "rating", "year"], try condition(fourth), limit: 20)
            ),
            (14, "lenses of a make", 2, .facets(["camera.lens"], try condition("camera.make = Fuji"), limit: 20)),
            (
                15, "box of a map, clustered", 10,
                .summarize(
                    Aggregation(by: [.range("gps.lat", width: 0.02), .range("gps.lon", width: 0.02)]),
                    try condition("gps within 40.70,-74.02,40.76,-73.96"))
            ),
            (16, "within 5 km, nearest 50", 5, .find(nearest ?? Query(.none))),
            (
                17, "location without city; no location", 5,
                .count([
                    try condition("gps exists and place.city missing"), try condition("gps missing"),
                ])
            ),
            (18, "this day in all years", 2, try find("monthDay(taken) = 704", limit: 200)),
            (
                19, "evenings and nights of a summer", 10,
                try find("taken between date 1931-06 and date 1931-08 and hour(taken) in (18..23, 0..5)", limit: 200)
            ),
            (20, "some words, the best 20", 2, try find("search 'broadway OR theatre OR 1928'", "-@score", limit: 20)),
            (21, "a phrase, the best 20", 5, try find("search '\"brooklyn bridge\"'", "-@score", limit: 20)),
            (22, "as typed", 10, try find("search 'brookl*'", "-@score", limit: 20)),
            (23, "with slips", 20, try find("search 'brooklin~ brige~'", "-@score", limit: 20)),
            (24, "one word", 2, try find("search 'harbour'", "-@score", limit: 20)),
            (25, "two characters of Chinese", 5, try find("search '\"上海\"'", "-@score", limit: 20)),
            (
                26, "words, filters, newest first", 10,
                try find(
                    "search 'fire' and year between 1900 and 1940 and place.boro = Brooklyn and rating >= 3", "-taken",
                    limit: 50)
            ),
            (27, "file names, as people count", 3, try find("file ^= 'IMG_12'", "natural(file)", limit: 200)),
            (28, "duplicates", 100, .facets(["checksum"], .all, limit: 20)),
        ]
        return list.map { AcceptanceQuery(number: $0.0, name: $0.1, targetMilliseconds: $0.2, form: $0.3) }
    }

    /// Returns the plans for the query, one line each.
    public func plans(in photos: DocumentCollection) throws -> [String] {
        switch form {
        case .find(let query), .page(let query, _): [try photos.plan(query).description]
        case .count(let filters): try filters.map { try photos.plan(Query($0)).description }
        case .facets(_, let filter, _), .summarize(_, let filter):
            [try photos.plan(Query(filter)).description]
        }
    }

    /// Returns a prepared closure that runs the query and returns the result count. For pages, the preceding pages have
    /// already been read.
    public func question(in photos: DocumentCollection) throws -> () throws -> Int {
        switch form {
        case .find(let query): return { try photos.find(query).count }
        case .page(let query, let number):
            let before = try token(of: query, before: number, in: photos)
            return { try photos.page(query, after: before).documents.count }
        case .count(let filters): return { try filters.map { try photos.count(where: $0) }.count }
        case .facets(let paths, let filter, let limit):
            return { try photos.facets(paths, where: filter, limit: limit).joined().count }
        case .summarize(let aggregation, let filter):
            return { try photos.summarize(aggregation, where: filter).count }
        }
    }

    /// Returns the token of a page, or `nil` for the first page and for pages past the end.
    private func token(
        of query: Query, before number: Int, in photos: DocumentCollection
    ) throws -> DocumentCollection.Page.Token? {
        var token: DocumentCollection.Page.Token?
        for _ in 1..<number { token = try photos.page(query, after: token).next }
        return token
    }

    /// Returns the results as lines: IDs, counts, or values with counts.
    public func answer(in photos: DocumentCollection) throws -> [String] {
        switch form {
        case .find(let query): return try photos.find(query).map { "\($0.id)" }
        case .page(let query, let number):
            let before = try token(of: query, before: number, in: photos)
            return try photos.page(query, after: before).documents.map { "\($0.id)" }
        case .count(let filters): return try filters.map { "\(try photos.count(where: $0))" }
        case .facets(let paths, let filter, let limit):
            return try photos.facets(paths, where: filter, limit: limit).joined().map { "\($0.value) \($0.count)" }
        case .summarize(let aggregation, let filter):
            return try photos.summarize(aggregation, where: filter).map { group in
                group.key.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ") + " \(group.values)"
            }
        }
    }
}
