import DocIndex
import GRDB
import Harness

/// The queries that are compared.
struct Questions {
    let store: QueryStore
    let tables: QueryTables
    let values: AskedValues

    func all() throws -> [Question] {
        [
            equality, rangeSorted, rangeSortedByAnother, compound, membership, anyOfForty, either, countOfRange,
            facets, facetsOfAll, keywordFacets, keywordFacetsOfAll, box, nearest, missing, try page37(),
        ]
    }

    private var number: Int { values.creators.count }

    private func question(
        _ name: String, sql: String, _ arguments: @escaping (Int) -> StatementArguments,
        _ query: @escaping (Int) -> Query
    ) -> Question {
        Question(
            name: name, count: number, ours: { try store.find(query($0), $1) },
            peer: { try tables.find($1, sql, arguments($0)) })
    }

    private static func between(_ range: ClosedRange<Int>) -> Filter {
        .between("year", .int(Int64(range.lowerBound)), .int(Int64(range.upperBound)))
    }

    // MARK: - Values and ranges

    private var equality: Question {
        question("equality", sql: "picture p WHERE creator = ? ORDER BY row", { [values.creators[$0]] }) {
            Query(.compare("creator", .equal, .string(values.creators[$0])))
        }
    }

    private var rangeSorted: Question {
        question(
            "range, sorted by it, 20",
            sql: "picture p WHERE year BETWEEN ? AND ? ORDER BY year DESC, row LIMIT 20",
            { [values.years[$0].lowerBound, values.years[$0].upperBound] }
        ) {
            Query(Self.between(values.years[$0]), sort: [.descending("year")], limit: 20)
        }
    }

    private var rangeSortedByAnother: Question {
        question(
            "range, sorted by another field, 20",
            sql: "picture p WHERE year BETWEEN ? AND ? ORDER BY width, row LIMIT 20",
            { [values.years[$0].lowerBound, values.years[$0].upperBound] }
        ) {
            Query(Self.between(values.years[$0]), sort: [.ascending("width")], limit: 20)
        }
    }

    private var compound: Question {
        question(
            "compound, sorted",
            sql: "picture p WHERE creator = ? AND year BETWEEN 1800 AND 1950 ORDER BY year DESC, row LIMIT 50",
            { [values.creators[$0]] }
        ) {
            Query(
                .compare("creator", .equal, .string(values.creators[$0])) && Self.between(1800...1950),
                sort: [.descending("year")], limit: 50)
        }
    }

    // MARK: - Arrays and alternatives

    private var membership: Question {
        question(
            "keyword, newest 20",
            sql: """
                keyword k JOIN picture p ON p.row = k.row WHERE k.keyword = ?
                ORDER BY k.year DESC, k.row LIMIT 20
                """, { [values.keywords[$0]] }
        ) {
            Query(
                .compare("keywords[]", .equal, .string(values.keywords[$0])), sort: [.descending("year")], limit: 20)
        }
    }

    private var anyOfForty: Question {
        let places = repeatElement("?", count: 40).joined(separator: ", ")
        return question(
            "any of 40 keywords",
            sql: "picture p WHERE row IN (SELECT row FROM keyword WHERE keyword IN (\(places))) ORDER BY row",
            { StatementArguments(values.keywordLists[$0]) }
        ) {
            Query(.isIn("keywords[]", values.keywordLists[$0].map { .string($0) }))
        }
    }

    private var either: Question {
        question(
            "creator or keyword",
            sql: """
                picture p WHERE row IN (
                    SELECT row FROM picture WHERE creator = ? UNION SELECT row FROM keyword WHERE keyword = ?)
                ORDER BY row
                """, { [values.creators[$0], values.keywords[$0]] }
        ) {
            Query(
                .compare("creator", .equal, .string(values.creators[$0]))
                    || .compare("keywords[]", .equal, .string(values.keywords[$0])))
        }
    }

    // MARK: - Numbers

    private var countOfRange: Question {
        Question(
            name: "count of a range", hasDocuments: false, count: number,
            ours: { number, _ in ["\(try store.pictures.count(where: Self.between(values.years[number])))"] },
            peer: { number, _ in
                let years = values.years[number]
                return try tables.read(
                    "SELECT count(*) FROM picture WHERE year BETWEEN ? AND ?", [years.lowerBound, years.upperBound]
                ) { "\($0[0] as Int)" }
            })
    }

    private var facets: Question {
        Question(
            name: "facets of 3 fields, one range", hasDocuments: false, count: max(1, number / 4),
            ours: { number, _ in
                try store.facets(
                    ["creator", "kind", "year"], where: Self.between(values.years[number]), limit: 20)
            },
            peer: { number, _ in
                let years = values.years[number]
                return try ["creator", "kind", "year"].flatMap {
                    try tables.facets(
                        $0, "picture WHERE year BETWEEN ? AND ?", [years.lowerBound, years.upperBound], limit: 20)
                }
            })
    }

    private var facetsOfAll: Question {
        Question(
            name: "facets of 3 fields, all", hasDocuments: false, count: 1,
            ours: { _, _ in try store.facets(["creator", "width", "year"], where: .all, limit: 20) },
            peer: { _, _ in
                try ["creator", "width", "year"].flatMap { try tables.facets($0, "picture WHERE 1", [], limit: 20) }
            })
    }

    private var keywordFacets: Question {
        Question(
            name: "facets of keywords, one range", hasDocuments: false, count: max(1, number / 4),
            ours: { number, _ in
                try store.facets(["keywords[]"], where: Self.between(values.years[number]), limit: 20)
            },
            peer: { number, _ in
                let years = values.years[number]
                return try tables.facets(
                    "keyword", "keyword WHERE year BETWEEN ? AND ?", [years.lowerBound, years.upperBound], limit: 20)
            })
    }

    private var keywordFacetsOfAll: Question {
        Question(
            name: "facets of keywords, all", hasDocuments: false, count: 1,
            ours: { _, _ in try store.facets(["keywords[]"], where: .all, limit: 20) },
            peer: { _, _ in try tables.facets("keyword", "keyword WHERE 1", [], limit: 20) })
    }

    // MARK: - Places

    private var box: Question {
        func box(_ number: Int) -> (south: Double, west: Double, north: Double, east: Double) {
            let center = values.points[number]
            return (
                center.latitude - 0.004, center.longitude - 0.004, center.latitude + 0.004, center.longitude + 0.004
            )
        }
        return question(
            "box of a map",
            // Coordinates in the tree are rounded outward, so the exact ones are asked as well.
            sql: """
                place JOIN picture p ON p.row = place.row
                WHERE south <= ?3 AND north >= ?1 AND west <= ?4 AND east >= ?2
                    AND p.lat BETWEEN ?1 AND ?3 AND p.lon BETWEEN ?2 AND ?4 ORDER BY p.row
                """,
            {
                let box = box($0)
                return [box.south, box.west, box.north, box.east]
            }
        ) { number in
            let box = box(number)
            return Query(
                GeoBox(south: box.south, west: box.west, north: box.north, east: box.east)
                    .map { .isWithin(.location("gps"), $0) } ?? .none)
        }
    }

    private var nearest: Question {
        Question(
            name: "nearest 50", count: number,
            ours: {
                try store.find(
                    Query(sort: [.nearest(.location("gps"), to: values.points[$0])], limit: 50), $1)
            },
            peer: { try tables.nearest(50, to: values.points[$0], $1) })
    }

    // MARK: - What is not there, and pages

    private var missing: Question {
        question(
            "year missing, by title, 50",
            sql: "picture p WHERE year IS NULL AND creator IS NOT NULL ORDER BY title, row LIMIT 50", { _ in [] }
        ) { _ in
            Query(.not(.exists("year")) && .exists("creator"), sort: [.ascending("title")], limit: 50)
        }
    }

    private func page37() throws -> Question {
        let query = Query(Self.between(1820...1940), sort: [.descending("year")], limit: 50)
        var token: DocumentCollection.Page.Token?
        var last: Document?
        for _ in 0..<36 {
            let page = try store.pictures.page(query, after: token)
            guard let next = page.next else { break }
            token = next
            last = page.documents.last
        }
        let key = try tables.read("SELECT year, row FROM picture WHERE id = ?", [QueryStore.text(last?["id"])]) {
            (year: $0[0] as Int, row: $0[1] as Int64)
        }
        guard let token, let key = key.first else { throw BenchmarkError("there are not enough records for pages") }
        return Question(
            name: "page 37 of 50", count: 20,
            ours: { _, _ in try store.pictures.page(query, after: token).documents.map { QueryStore.text($0["id"]) } },
            peer: { _, form in
                // A page says whether there is a next one, so one more is looked at.
                try tables.find(
                    form,
                    """
                    picture p WHERE year BETWEEN 1820 AND ?1 AND (year < ?1 OR row > ?2)
                    ORDER BY year DESC, row LIMIT 51
                    """, [key.year, key.row]
                ).prefix(50).map { $0 }
            })
    }
}
