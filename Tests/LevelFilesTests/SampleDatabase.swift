import LevelFiles
import LevelKit
import TestSupport

/// A database of random operations, and a record of everything written to it.
struct SampleDatabase {
    /// An operation, with the sequence number that LevelDB assigned.
    struct Operation: Hashable {
        let sequence: UInt64
        let key: [UInt8]
        /// `nil` for a deletion.
        let value: [UInt8]?
    }

    let path: String
    private(set) var operations: [Operation] = []

    /// The value that a read returns for each key.
    var content: [[UInt8]: [UInt8]] {
        var content: [[UInt8]: [UInt8]] = [:]
        for operation in operations { content[operation.key] = operation.value }
        return content
    }

    /// Writes `count` operations on `keyCount` keys in batches, and closes the database.
    ///
    /// - Parameters:
    ///   - reopens: Whether the database is reopened in between, at least once, which turns logs into tables.
    ///   - compacts: Whether tables are compacted occasionally, at least once.
    init(
        at path: String, count: Int, keyCount: Int, reopens: Bool, compacts: Bool,
        options: DatabaseOptions = DatabaseOptions(), random: inout SplitMix64
    ) throws {
        self.path = path
        var database = try Database.open(at: path, options: options)
        var hasTables = false
        while operations.count < count {
            let batch = WriteBatch()
            for _ in 0..<1 + random.number(below: 5) {
                let key = Array("key/\(random.number(below: keyCount))".utf8)
                if random.once(in: 4) {
                    try batch.delete(key)
                    operations.append(Operation(sequence: UInt64(operations.count) + 1, key: key, value: nil))
                } else {
                    let value = (0..<random.number(below: 200)).map { _ in UInt8(random.number(below: 26)) + 0x61 }
                    try batch.put(value, forKey: key)
                    operations.append(Operation(sequence: UInt64(operations.count) + 1, key: key, value: value))
                }
            }
            try database.write(batch)
            if compacts, random.once(in: 200) || !hasTables && operations.count > count / 2 {
                try database.compact()
                hasTables = true
            }
            if reopens, random.once(in: 300) || !hasTables && operations.count > count / 2 {
                hasTables = true
                try database.close()
                database = try Database.open(at: path, options: options)
            }
        }
        try database.close()
    }

    /// Returns every stored version, from all live tables and logs.
    static func stored(at path: String) throws -> [Operation] {
        let files = try DatabaseFiles(at: path)
        var stored: [Operation] = []
        for file in files.files where files.use(of: file).use == .live {
            switch file.kind {
            case .table:
                try Table(at: files.path(of: file.name)).forEachEntry { entry throws(FileError) in
                    stored.append(Operation(entry.key, entry.value))
                }
            case .log:
                var log = try WriteLog(at: files.path(of: file.name))
                while let item = try log.next() {
                    guard case .batch(let batch, _) = item else { continue }
                    stored += batch.operations.map { Operation($0.key, $0.value) }
                }
            default: break
            }
        }
        return stored
    }
}

extension SampleDatabase.Operation {
    init(_ key: InternalKey, _ value: ArraySlice<UInt8>) {
        self.init(sequence: key.sequence, key: key.userKey, value: key.kind == .put ? Array(value) : nil)
    }
}
