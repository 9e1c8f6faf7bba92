internal import LevelKit

/// Counts the entries of each distinct value of an index.
///
/// `G index value…` → varint, never zero. A document with several elements counts once for each distinct one.
struct IndexCounters {
    let index: ValueIndex

    /// Returns the counter key of a value, given the encoding of its components.
    func key(_ value: some Sequence<UInt8>) -> [UInt8] {
        StoreKey.valueCounts.prefix(index.number) + value
    }

    /// Returns the number of entries with a value.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if the counter is unreadable.
    func count(_ value: [UInt8], in reader: some KeyValueReader) throws -> UInt64 {
        guard let bytes = try reader.value(forKey: key(value)) else { return 0 }
        guard let values = Varint.readAll(bytes), values.count == 1 else { throw damaged }
        return values[0]
    }

    /// Decodes a counter.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if the bytes are not a valid counter.
    func count(_ bytes: Span<UInt8>) throws -> UInt64 {
        var offset = 0
        guard let count = Varint.read(bytes, &offset), offset == bytes.count else { throw damaged }
        return count
    }

    /// Adds differences to the stored counts.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if a count would become negative.
    func add(_ differences: [[UInt8]: Int64], to batch: WriteBatch, reading reader: some KeyValueReader) throws {
        for (value, difference) in differences where difference != 0 {
            let old = try count(value, in: reader)
            guard let old = Int64(exactly: old), old <= 1 << 62, old + difference >= 0 else { throw damaged }
            let new = old + difference
            if new == 0 {
                try batch.delete(key(value))
            } else {
                try batch.put(Self.encoded(UInt64(new)), forKey: key(value))
            }
        }
    }

    /// Counts the entries of the index, and calls `body` with the key and the encoding of each count in the order of
    /// keys.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    func forEachCount(
        in reader: some KeyValueReader, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        let prefixCount = index.entryPrefix.count
        var value: [UInt8] = []
        var count: UInt64 = 0
        var cursor = try reader.cursor(in: .prefix(index.entryPrefix))
        while try cursor.advance() {
            let key = cursor.key
            guard let end = index.rowOffset(in: key) else { continue }
            let next = key.extracting(prefixCount..<end).copied()
            if next != value {
                if count > 0 { try body(self.key(value), Self.encoded(count)) }
                value = next
                count = 0
            }
            count += 1
        }
        if count > 0 { try body(self.key(value), Self.encoded(count)) }
    }

    /// Recounts all entries and replaces the existing counts.
    func rebuild(in database: Database) throws {
        let batch = WriteBatch()
        var cursor = try database.cursor(in: .prefix(StoreKey.valueCounts.prefix(index.number)))
        while try cursor.advance() {
            try batch.delete(cursor.key.copied())
            try Self.writeIfFull(batch, to: database)
        }
        try forEachCount(in: database) { key, value in
            try batch.put(value, forKey: key)
            try Self.writeIfFull(batch, to: database)
        }
        try database.write(batch)
    }

    private static func writeIfFull(_ batch: WriteBatch, to database: Database) throws {
        guard batch.count >= 4096 else { return }
        try database.write(batch)
        batch.removeAll()
    }

    private static func encoded(_ count: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(count, to: &bytes)
        return bytes
    }

    var damaged: DocIndexError {
        DocIndexError(
            .corruption, "a counter of the index \(index.definition.name) is incorrect; run verify or restore a backup")
    }
}

extension DocumentCollection {
    /// Returns the number of index entries with these values, read from a counter; 0 if there are none.
    ///
    /// - Parameters:
    ///   - indexName: The name of the index.
    ///   - values: One value for each component; `nil` for a missing value.
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the index does not exist or keeps no counters, or with
    ///   `invalidQuery` for a wrong number of values.
    /// - Complexity: One lookup.
    public func entryCount(of values: [DocumentValue?], in indexName: String) throws -> Int {
        let rows = try reader()
        guard let index = rows.index(named: indexName) as? ValueIndex, index.definition.countsValues else {
            throw DocIndexError(
                .unknownIndex, "\(name) has no index \(indexName) that counts its values; declare it with count")
        }
        guard values.count == index.definition.components.count else {
            throw DocIndexError(
                .invalidQuery,
                "the index \(indexName) has \(index.definition.components.count) components; specify a value for each")
        }
        let value = Array(index.prefix(of: values).dropFirst(index.entryPrefix.count))
        return Int(clamping: try IndexCounters(index: index).count(value, in: rows.snapshot))
    }
}
