import DocIndex
import Foundation
import GRDB
import Harness

/// SQLite through GRDB, as a program would use it that wants speed: plain columns for what is asked and listed, the JSON
/// text behind them in the same row, a table of keywords, and an R*Tree of locations.
///
/// One connection, WAL, prepared statements, unchecked arguments, `ANALYZE` after the load, reads without a transaction
/// around a single statement. Columns have no type, so that they keep numbers and texts as they come.
final class QueryTables {
    private let queue: DatabaseQueue

    init(directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // As much as the other side has: 88 MiB, in kibibytes.
            try database.execute(sql: "PRAGMA cache_size = -90112")
        }
        queue = try DatabaseQueue(path: directory + "/pictures.sqlite", configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS picture (
                        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title, year, creator, kind, width, lat, lon,
                        json TEXT NOT NULL);
                    CREATE INDEX IF NOT EXISTS pictureYear ON picture (year DESC);
                    CREATE INDEX IF NOT EXISTS pictureCreator ON picture (creator, year DESC);
                    CREATE INDEX IF NOT EXISTS pictureWidth ON picture (width);
                    CREATE TABLE IF NOT EXISTS keyword (
                        keyword TEXT NOT NULL, year, row INTEGER NOT NULL);
                    CREATE UNIQUE INDEX IF NOT EXISTS keywordYear ON keyword (keyword, year DESC, row);
                    CREATE VIRTUAL TABLE IF NOT EXISTS place USING rtree (row, south, north, west, east);
                    """)
        }
    }

    func close() throws { try queue.close() }

    func load(texts next: () throws -> [UInt8]?) throws {
        try queue.write { database in
            while let text = try next() { try Self.put(text, in: database) }
            try database.execute(sql: "ANALYZE")
        }
    }

    private static func put(_ text: [UInt8], in database: GRDB.Database) throws {
        let content = try QueryStore.content(text)
        func column(_ name: String) -> DatabaseValue { Self.column(content[name]) }
        let gps = content["gps"]?.objectValue
        let (latitude, longitude) = (gps?["lat"]?.numberValue, gps?["lon"]?.numberValue)
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO picture (id, title, year, creator, kind, width, lat, lon, json)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        insert.setUncheckedArguments([
            column("id"), column("title"), column("year"), column("creator"), column("kind"), column("width"),
            latitude?.databaseValue ?? .null, longitude?.databaseValue ?? .null, String(decoding: text, as: UTF8.self),
        ])
        try insert.execute()
        let row = database.lastInsertedRowID
        let keyword = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO keyword (keyword, year, row) VALUES (?, ?, ?)")
        for text in Set(content["keywords"]?.arrayValue?.compactMap(\.stringValue) ?? []) {
            keyword.setUncheckedArguments([text, column("year"), row])
            try keyword.execute()
        }
        if let latitude, let longitude {
            let place = try database.cachedStatement(sql: "INSERT INTO place VALUES (?, ?, ?, ?, ?)")
            place.setUncheckedArguments([row, latitude, latitude, longitude, longitude])
            try place.execute()
        }
    }

    static func column(_ value: DocumentValue?) -> DatabaseValue {
        switch value {
        case .string(let text): text.databaseValue
        case .int(let number): number.databaseValue
        case .double(let number): number.databaseValue
        case .bool(let flag): (flag ? 1 : 0).databaseValue
        default: .null
        }
    }

    // MARK: - Answers

    /// The ids of the results of a statement over `picture AS p`, each of which is made into what the form says.
    func find(_ form: AnswerForm, _ rest: String, _ arguments: StatementArguments) throws -> [String] {
        switch form {
        case .columns:
            try read("SELECT p.id, p.title, p.year FROM \(rest)", arguments) { row in
                ListedPicture(id: row[0], title: row[1] as String? ?? "", year: row[2] as String? ?? "").id
            }
        case .documents:
            try read("SELECT p.json FROM \(rest)", arguments) { row in
                let object = try JSONSerialization.jsonObject(with: row[0] as Data) as? [String: Any]
                return object?["id"] as? String ?? ""
            }
        }
    }

    /// What `body` makes of each row of a statement.
    func read<R>(_ sql: String, _ arguments: StatementArguments, _ body: (Row) throws -> R) throws -> [R] {
        try queue.unsafeRead { database in
            let statement = try database.cachedStatement(sql: sql)
            statement.setUncheckedArguments(arguments)
            let cursor = try Row.fetchCursor(statement)
            var results: [R] = []
            while let row = try cursor.next() { results.append(try body(row)) }
            return results
        }
    }

    /// Values of a column with their counts, the most frequent first.
    func facets(_ column: String, _ rest: String, _ arguments: StatementArguments, limit: Int) throws -> [String] {
        try read(
            """
            SELECT \(column), count(*) FROM \(rest) AND \(column) IS NOT NULL
            GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT \(limit)
            """, arguments
        ) { "\(($0[0] as String?) ?? ""): \($0[1] as Int)" }
    }

    /// The nearest pictures to a point: candidates from ever larger boxes of the R*Tree, put in order by the program, as
    /// SQLite has no such search.
    func nearest(_ count: Int, to center: GeoPoint, _ form: AnswerForm) throws -> [String] {
        var radius = 500.0
        while true {
            let latitude = radius / 111_195
            let longitude = latitude / max(0.01, cos(center.latitude * .pi / 180))
            let candidates = try read(
                """
                SELECT p.row, p.lat, p.lon FROM place JOIN picture p ON p.row = place.row
                WHERE south <= ? AND north >= ? AND west <= ? AND east >= ?
                """,
                [
                    center.latitude + latitude, center.latitude - latitude, center.longitude + longitude,
                    center.longitude - longitude,
                ]
            ) { row -> (distance: Double, row: Int64) in
                guard let point = GeoPoint(latitude: row[1], longitude: row[2]) else { return (.infinity, row[0]) }
                return (center.distance(to: point), row[0])
            }
            let inside = candidates.filter { $0.distance <= radius }
            if inside.count >= count || radius > 2e7 {
                let rows = (radius > 2e7 ? candidates : inside).sorted { $0 < $1 }.prefix(count).map(\.row)
                return try rows.flatMap { try find(form, "picture p WHERE row = ?", [$0]) }
            }
            radius *= 4
        }
    }
}
