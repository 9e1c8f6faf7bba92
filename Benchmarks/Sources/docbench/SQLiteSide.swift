import Foundation
import GRDB

/// SQLite through GRDB, as a program would use it that wants speed: the documents as JSON text in one table, beside it
/// plain columns that the program fills from what it has decoded, with an index for each, and a table of keywords.
///
/// One connection, WAL, prepared statements, reads without a transaction around a single statement.
final class SQLiteSide: Side {
    struct Row {
        let id: String
        let text: String
        let year: DatabaseValue
        let acquired: DatabaseValue
        let creator: DatabaseValue
        let keywords: [String]
    }

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
        queue = try DatabaseQueue(path: directory + "/records.sqlite", configuration: configuration)
        try queue.write { database in
            // Without a type, a column keeps numbers and texts as they come.
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS record (
                        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, year, acquired, creator);
                    CREATE INDEX IF NOT EXISTS recordYear ON record (year);
                    CREATE INDEX IF NOT EXISTS recordAcquired ON record (acquired);
                    CREATE INDEX IF NOT EXISTS recordCreator ON record (creator, year);
                    CREATE TABLE IF NOT EXISTS keyword (
                        keyword TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (keyword, row)) WITHOUT ROWID;
                    """)
        }
    }

    func close() throws { try queue.close() }

    /// The version of SQLite that is linked.
    static func version() throws -> String {
        "SQLite \(try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "?")"
    }

    /// What the program needs of a record: decoding into a type is quicker than decoding everything.
    private struct Indexed: Decodable {
        let id: String
        let year: Scalar?
        let acquired: Scalar?
        let creator: String?
        let keywords: [String]?
    }

    /// A number, or a text in its place.
    private enum Scalar: Decodable {
        case int(Int)
        case double(Double)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let int = try? container.decode(Int.self) {
                self = .int(int)
            } else if let double = try? container.decode(Double.self) {
                self = .double(double)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var databaseValue: DatabaseValue {
            switch self {
            case .int(let int): int.databaseValue
            case .double(let double): double.databaseValue
            case .text(let text): text.databaseValue
            }
        }
    }

    private static let decoder = JSONDecoder()

    static func prepare(_ text: [UInt8]) throws -> Row {
        let record = try decoder.decode(Indexed.self, from: Data(text))
        return Row(
            id: record.id, text: String(decoding: text, as: UTF8.self), year: record.year?.databaseValue ?? .null,
            acquired: record.acquired?.databaseValue ?? .null, creator: record.creator?.databaseValue ?? .null,
            keywords: record.keywords ?? [])
    }

    func load(texts next: () throws -> [UInt8]?) throws {
        // A commit of this size is followed by a checkpoint, which makes it survive the loss of power.
        try queue.write { database in
            while let text = try next() { try Self.put(try Self.prepare(text), in: database) }
        }
    }

    func load(prepared: [Row]) throws {
        try queue.write { database in
            for row in prepared { try Self.put(row, in: database) }
        }
    }

    func commit(_ record: Row) throws { try queue.write { try Self.put(record, in: $0) } }

    func commitSynced(_ record: Row) throws {
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.inTransaction {
                try Self.put(record, in: database)
                return .commit
            }
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
    }

    private static func put(_ record: Row, in database: GRDB.Database) throws {
        let insert = try database.cachedStatement(
            sql: "INSERT INTO record (id, json, year, acquired, creator) VALUES (?, ?, ?, ?, ?)")
        insert.setUncheckedArguments([record.id, record.text, record.year, record.acquired, record.creator])
        try insert.execute()
        if record.keywords.isEmpty { return }
        let row = database.lastInsertedRowID
        let keyword = try database.cachedStatement(sql: "INSERT OR IGNORE INTO keyword (keyword, row) VALUES (?, ?)")
        for text in record.keywords {
            keyword.setUncheckedArguments([text, row])
            try keyword.execute()
        }
    }

    private func text(_ id: String) throws -> Data? {
        try queue.unsafeRead { database in
            let statement = try database.cachedStatement(sql: "SELECT json FROM record WHERE id = ?")
            statement.setUncheckedArguments([id])
            return try Data.fetchOne(statement)
        }
    }

    private func texts(_ ids: [String]) throws -> [Data] {
        try queue.unsafeRead { database in
            let places = repeatElement("?", count: ids.count).joined(separator: ", ")
            let statement = try database.cachedStatement(sql: "SELECT json FROM record WHERE id IN (\(places))")
            statement.setUncheckedArguments(StatementArguments(ids))
            return try Data.fetchAll(statement)
        }
    }

    private static func memberCount(_ text: Data) throws -> UInt64 {
        UInt64((try JSONSerialization.jsonObject(with: text) as? [String: Any])?.count ?? 0)
    }

    func get(_ id: String) throws -> UInt64 { try text(id).map(Self.memberCount) ?? 0 }

    func get(_ ids: [String]) throws -> UInt64 { try texts(ids).reduce(0) { $0 + (try Self.memberCount($1)) } }

    /// 1 if there is such a document, whose text is fetched and not decoded.
    func getText(_ id: String) throws -> UInt64 { try text(id) == nil ? 0 : 1 }

    /// The number of documents, whose texts are fetched and not decoded.
    func getTexts(_ ids: [String]) throws -> UInt64 { UInt64(try texts(ids).count) }

    // SQLite changes the text itself: quicker than decoding and encoding it here.

    func updateIndexed(_ id: String, year: Int) throws {
        try execute("UPDATE record SET json = json_set(json, '$.year', ?1), year = ?1 WHERE id = ?2", [year, id])
    }

    func updateUnindexed(_ id: String, title: String) throws {
        try execute("UPDATE record SET json = json_set(json, '$.title', ?1) WHERE id = ?2", [title, id])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: sql)
            statement.setUncheckedArguments(arguments)
            try statement.execute()
        }
    }

    func delete(_ id: String) throws {
        try queue.write { database in
            // The keywords to delete are read from the document, so the table needs no second index.
            for sql in [
                """
                DELETE FROM keyword WHERE (keyword, row) IN (
                    SELECT value, record.row FROM record, json_each(record.json, '$.keywords') WHERE record.id = ?)
                """, "DELETE FROM record WHERE id = ?",
            ] {
                let statement = try database.cachedStatement(sql: sql)
                statement.setUncheckedArguments([id])
                try statement.execute()
            }
        }
    }

    func updateManyUnindexed(from year: Int, rating: Int) throws -> UInt64 {
        try updateMany(
            "UPDATE record SET json = json_set(json, '$.rating', ?1) WHERE year >= ?2 AND typeof(year) <> 'text'",
            [rating, year])
    }

    func updateManyIndexed(from year: Int, acquired: Int) throws -> UInt64 {
        try updateMany(
            """
            UPDATE record SET json = json_set(json, '$.acquired', ?1), acquired = ?1
            WHERE year >= ?2 AND typeof(year) <> 'text'
            """, [acquired, year])
    }

    private func updateMany(_ sql: String, _ arguments: StatementArguments) throws -> UInt64 {
        try queue.write { database in
            try database.execute(sql: sql, arguments: arguments)
            return UInt64(database.changesCount)
        }
    }

    /// The year from which on there are `count` documents; the first one if there are fewer.
    func year(ofLast count: Int) throws -> Int {
        let sql = "SELECT year FROM record WHERE typeof(year) = 'integer' ORDER BY year DESC"
        return try queue.read { database in
            try Int.fetchOne(database, sql: sql + " LIMIT 1 OFFSET \(count - 1)")
                ?? Int.fetchOne(database, sql: "SELECT min(year) FROM record WHERE typeof(year) = 'integer'") ?? 0
        }
    }

    func json(_ id: String) throws -> [UInt8]? { try text(id).map { [UInt8]($0) } }

    func count() throws -> Int {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM record") ?? 0 }
    }

    func counts(_ probe: Probe) throws -> [Int] {
        try queue.read { database in
            let questions: [(String, StatementArguments)] = [
                ("record WHERE year = ?", [probe.year]),
                ("record WHERE acquired = ?", [probe.acquired]),
                ("keyword WHERE keyword = ?", [probe.keyword]),
                ("record WHERE creator = ? AND year >= ? AND typeof(year) <> 'text'", [probe.creator, probe.year]),
            ]
            return try questions.map {
                try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0.0)", arguments: $0.1) ?? 0
            }
        }
    }

    func compact() throws {
        try queue.vacuum()
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
}
