import DocIndex
import Foundation
import GRDB
import Harness

/// The thirty questions of a photo catalogue: the time of each beside its target, and beside SQLite for those that plain SQL
/// can say with the same indexes.
struct Acceptance {
    let directory: String
    let records: Records
    let count: Int
    /// The number of the only question that is asked; `nil` for all.
    var only: Int?

    func run(rounds: Int) throws {
        let store = try DocumentStore.open(
            at: directory + "/photos", schema: Schema(collections: [PhotoCatalogue.collection]))
        let photos = try store.collection("photos")
        let tables = try DatabaseQueue(path: directory + "/photos.sqlite")
        if try photos.count() != count { try load(store, tables) }
        // Neither those of half of all pictures, nor those of none.
        let usual = try photos.facets("keywords[]").drop { $0.count > count / 100 }.prefix(40).compactMap {
            $0.value.stringValue
        }
        let queries = try AcceptanceQuery.all(keywords: usual, lastImport: (count - 1) / 500)
        say("\(count) photos\n")
        say("question                                      target ms   DocIndex ms    SQLite ms   results")
        for query in queries where only == nil || only == query.number {
            var resultCount = 0
            func median(_ body: () throws -> Int) throws -> Double {
                resultCount = try body()
                return try (0..<rounds).map { _ in try Cost { _ = try body() }.elapsed / 1e6 }.sorted()[rounds / 2]
            }
            let question = try query.question(in: photos)
            let ours = try median(question)
            let oursCount = resultCount
            var peer = "-"
            if only == nil, let (sql, arguments) = sql(query.number, usual) {
                let time = try median {
                    try tables.unsafeRead { database in
                        let statement = try database.cachedStatement(sql: sql)
                        statement.setUncheckedArguments(arguments)
                        return try Row.fetchAll(statement).count
                    }
                }
                guard resultCount == oursCount else {
                    throw BenchmarkError("question \(query.number) has \(oursCount) and \(resultCount) results")
                }
                peer = String(format: "%.2f", time)
            }
            say(
                "\(query.number) \(query.name)".padding(toLength: 46, withPad: " ", startingAt: 0)
                    + String(
                        format: "%9.0f %13.2f %12@ %9d", query.targetMilliseconds, ours, peer as NSString, oursCount)
                    + (ours > query.targetMilliseconds ? "  above" : ""))
        }
        try store.close()
    }

    private func load(_ store: DocumentStore, _ tables: DatabaseQueue) throws {
        let reader = try LineReader(path: records.path, count: count)
        try tables.write { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = OFF;
                    CREATE TABLE photo (
                        row INTEGER PRIMARY KEY, id, taken, rating, rejected, pick, album, albumPlace, imported, make, model,
                        lens, iso, aperture, focal, orientation, file, checksum, json);
                    CREATE TABLE keyword (keyword, taken, row);
                    CREATE UNIQUE INDEX byKeyword ON keyword (keyword, taken DESC, row);
                    CREATE INDEX byTaken ON photo (taken DESC);
                    CREATE INDEX byAlbum ON photo (album, rating, albumPlace);
                    CREATE INDEX byImport ON photo (imported, rating);
                    CREATE INDEX byMake ON photo (make, lens);
                    CREATE INDEX byModel ON photo (model, iso);
                    CREATE INDEX byFocal ON photo (focal);
                    CREATE INDEX byFile ON photo (file);
                    CREATE INDEX byChecksum ON photo (checksum);
                    """)
            var number = 0
            var isAtEnd = false
            while !isAtEnd {
                try store.write { transaction in
                    while transaction.changeCount < 1000 {
                        guard let line = reader.next() else {
                            isAtEnd = true
                            return
                        }
                        let photo = PhotoCatalogue.photo(try QueryStore.content(line), number: number)
                        number += 1
                        try transaction.put(photo, in: "photos")
                        try Self.put(photo, in: database)
                    }
                }
            }
            try database.execute(sql: "ANALYZE")
        }
        try store.flush()
    }

    private static func put(_ photo: DocumentObject, in database: GRDB.Database) throws {
        let camera = photo["camera"]?.objectValue
        let values: [DocumentValue?] = [
            photo["id"], photo["taken"], photo["rating"], photo["rejected"], photo["pick"], photo["album"],
            photo["albumPlace"], photo["imported"], camera?["make"], camera?["model"], camera?["lens"], camera?["iso"],
            camera?["aperture"], camera?["focal"], photo["orientation"], photo["file"], photo["checksum"],
            .string(DocumentValue.object(photo).description),
        ]
        let places = repeatElement("?", count: values.count).joined(separator: ", ")
        let insert = try database.cachedStatement(sql: "INSERT INTO photo VALUES (NULL, \(places))")
        insert.setUncheckedArguments(StatementArguments(values.map(QueryTables.column)))
        try insert.execute()
        let row = database.lastInsertedRowID
        let keyword = try database.cachedStatement(sql: "INSERT OR IGNORE INTO keyword VALUES (?, ?, ?)")
        for text in Set(photo["keywords"]?.arrayValue?.compactMap(\.stringValue) ?? []) {
            keyword.setUncheckedArguments([text, QueryTables.column(photo["taken"]), row])
            try keyword.execute()
        }
    }

    /// A question in SQL, with the documents' texts as results; `nil` for those that need a tree of places, a full-text index,
    /// functions of dates or a natural order.
    private func sql(_ number: Int, _ keywords: [String]) -> (String, StatementArguments)? {
        func has(_ place: Int) -> String {
            "EXISTS (SELECT 1 FROM keyword k WHERE k.keyword = ?\(place) AND k.taken IS p.taken AND k.row = p.row)"
        }
        let json = "SELECT json FROM photo p"
        switch number {
        case 1: return ("\(json) ORDER BY taken DESC, row LIMIT 200", [])
        case 2: return ("SELECT substr(taken, 1, 7), count(*) FROM photo GROUP BY 1", [])
        case 4:
            return (
                """
                SELECT json FROM keyword k JOIN photo p ON p.row = k.row WHERE k.keyword = ?1 AND rating >= 4
                ORDER BY k.taken DESC, k.row LIMIT 200
                """, [keywords[0]]
            )
        case 5: return ("\(json) WHERE rating = 3 AND album = 'album 7' ORDER BY albumPlace, row", [])
        case 6:
            return (
                "\(json) WHERE rating IS NULL AND rejected IS NOT 1 AND imported = ?1 ORDER BY row", [(count - 1) / 500]
            )
        case 9:
            return (
                """
                SELECT json FROM keyword k1 JOIN photo p ON p.row = k1.row
                WHERE k1.keyword = ?1 AND \(has(2)) AND NOT \(has(3)) ORDER BY p.row LIMIT 200
                """, [keywords[0], keywords[1], keywords[2]]
            )
        case 10:
            let places = (1...keywords.count).map { "?\($0)" }.joined(separator: ", ")
            return (
                """
                \(json) WHERE row IN (SELECT row FROM keyword WHERE keyword IN (\(places)))
                ORDER BY taken DESC, row LIMIT 200
                """, StatementArguments(keywords)
            )
        case 11:
            return (
                """
                \(json) WHERE model = 'EOS R5' AND lens LIKE '%70-200%' AND iso BETWEEN 1600 AND 6400 AND aperture <= 2.8
                ORDER BY row LIMIT 200
                """, []
            )
        case 12:
            return ("\(json) WHERE focal BETWEEN 28 AND 35 AND orientation = 'landscape' ORDER BY row LIMIT 200", [])
        case 14: return ("SELECT lens, count(*) FROM photo WHERE make = 'Fuji' GROUP BY lens LIMIT 20", [])
        case 28: return ("SELECT checksum, count(*) FROM photo GROUP BY checksum ORDER BY 2 DESC, 1 LIMIT 20", [])
        default: return nil
        }
    }
}
