import DocIndex
import LevelKit

/// DocIndex with the options that it has by itself.
final class DocIndexSide: Side {
    private let database: Database
    private let store: DocumentStore
    private let records: DocumentCollection

    /// Records written together in a load, as the shell's import does.
    private static let batchCount = 1000

    private static let schema = Schema(collections: [
        CollectionDefinition(
            "records",
            indexes: [
                .value("year", on: "year"),
                .value("acquired", on: "acquired"),
                .value("creator", on: "creator", "year"),
                .value("keywords", on: "keywords[]", sparse: true),
            ])
    ])

    convenience init(directory: String) throws { try self.init(directory: directory, mode: .readWrite) }

    init(directory: String, mode: Database.Mode) throws {
        // Opened in two steps, so that the database can be compacted.
        database = try Database.open(at: directory, options: DocumentStore.Options().database, mode: mode)
        store = try DocumentStore.open(on: database, schema: Self.schema)
        records = try store.collection("records")
    }

    func close() throws { try store.close() }

    static func prepare(_ text: [UInt8]) throws -> DocumentObject {
        guard case .object(let content) = try JSONParser().parse(text) else { fatalError("a record is no object") }
        return content
    }

    func load(texts next: () throws -> [UInt8]?) throws {
        var isAtEnd = false
        while !isAtEnd {
            try store.write { transaction in
                while transaction.changeCount < Self.batchCount {
                    guard let text = try next() else {
                        isAtEnd = true
                        return
                    }
                    try transaction.put(try Self.prepare(text), in: "records")
                }
            }
        }
        try store.flush()
    }

    func load(prepared: [DocumentObject]) throws {
        for start in stride(from: 0, to: prepared.count, by: Self.batchCount) {
            try store.write { transaction in
                for content in prepared[start..<min(start + Self.batchCount, prepared.count)] {
                    try transaction.put(content, in: "records")
                }
            }
        }
        try store.flush()
    }

    func commit(_ record: DocumentObject) throws { try records.put(record) }

    func commitSynced(_ record: DocumentObject) throws { try records.put(record, durability: .synced) }

    func get(_ id: String) throws -> UInt64 {
        try records.document(.string(id)).map { UInt64($0.content.count) } ?? 0
    }

    func get(_ ids: [String]) throws -> UInt64 {
        try records.documents(ids.lazy.map { .string($0) }).reduce(0) {
            $0 + ($1.map { UInt64($0.content.count) } ?? 0)
        }
    }

    func updateIndexed(_ id: String, year: Int) throws {
        try records.update(.string(id)) { $0["year"] = .int(Int64(year)) }
    }

    func updateUnindexed(_ id: String, title: String) throws {
        try records.update(.string(id)) { $0["title"] = .string(title) }
    }

    func delete(_ id: String) throws { try records.delete(.string(id)) }

    func updateManyUnindexed(from year: Int, rating: Int) throws -> UInt64 {
        try updateMany(from: year, .set("rating", .int(Int64(rating))))
    }

    func updateManyIndexed(from year: Int, acquired: Int) throws -> UInt64 {
        try updateMany(from: year, .set("acquired", .int(Int64(acquired))))
    }

    private func updateMany(from year: Int, _ assignment: DocumentUpdate.Assignment) throws -> UInt64 {
        var options = BulkChange.Options()
        // One commit, as on the other side.
        options.commitByteCount = 512 << 20
        options.splitting = .never
        let filter = Filter.compare("year", .greaterOrEqual, .int(Int64(year)))
        return UInt64(try records.update(where: filter, DocumentUpdate([assignment]), options: options).changedCount)
    }

    func json(_ id: String) throws -> [UInt8]? {
        try records.document(.string(id)).map { document in
            var text: [UInt8] = []
            DocumentValue.object(document.content).writeJSON(to: &text)
            return text
        }
    }

    func count() throws -> Int { try records.count() }

    func counts(_ probe: Probe) throws -> [Int] {
        let year = DocumentValue.int(Int64(probe.year))
        return try [
            .compare("year", .equal, year),
            .compare("acquired", .equal, .int(Int64(probe.acquired))),
            .compare("keywords[]", .equal, .string(probe.keyword)),
            .and([
                .compare("creator", .equal, .string(probe.creator)), .compare("year", .greaterOrEqual, year),
            ]),
        ].map { try records.count(where: $0) }
    }

    func compact() throws { try database.compact(includingDeepestLevel: true) }
}
