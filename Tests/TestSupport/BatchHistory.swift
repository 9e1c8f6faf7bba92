public import LevelKit

/// A sequence of batches, each determined by its number alone. The content of a database shows how many of them were
/// written and whether each was written completely.
///
/// Batch *n* puts *n* under several marker keys, puts one new key of its own, and deletes the key of an older batch.
public enum BatchHistory {
    private static let markCount = 4
    /// How many batches earlier the key was put that a batch deletes.
    private static let age = 60

    private static func mark(_ index: Int) -> [UInt8] { Array("mark/\(index)".utf8) }
    private static func key(_ number: Int) -> [UInt8] {
        // Spread over the key space so that compactions have work to do.
        Array("key/\(number &* 7919 % 1009)/\(number)".utf8)
    }

    /// The number, plus padding so that log and table files turn over.
    private static func value(_ number: Int) -> [UInt8] {
        Array("\(number) ".utf8) + Array(repeating: UInt8(truncatingIfNeeded: number), count: number % 7 * 150)
    }

    /// Writes batch `number`, counting from 0.
    public static func write(_ number: Int, to database: Database, durability: Durability = .synced) throws {
        try database.write(durability: durability) { batch in
            for index in 0..<markCount / 2 { try batch.put(value(number), forKey: mark(index)) }
            try batch.put(value(number), forKey: key(number))
            if number >= age { try batch.delete(key(number - age)) }
            for index in markCount / 2..<markCount { try batch.put(value(number), forKey: mark(index)) }
        }
    }

    /// Returns how many batches produced the content of a database.
    ///
    /// - Returns: `nil` if no number of complete batches produces this content.
    public static func count(in reader: some KeyValueReader) throws(LevelError) -> Int? {
        var found: [[UInt8]: [UInt8]] = [:]
        var cursor = try reader.cursor()
        while try cursor.advance() { found[cursor.key.copied()] = cursor.value.copied() }
        guard let first = found[mark(0)] else { return found.isEmpty ? 0 : nil }
        guard let last = Int(String(decoding: first.prefix { $0 != 0x20 }, as: UTF8.self)) else { return nil }
        var expected: [[UInt8]: [UInt8]] = [:]
        for index in 0..<markCount { expected[mark(index)] = value(last) }
        for number in max(0, last - age + 1)...last { expected[key(number)] = value(number) }
        return found == expected ? last + 1 : nil
    }
}
