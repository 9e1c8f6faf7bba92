public import LevelKit

/// A sequence of single puts and deletions, each determined by its index alone, so that the state after any number of
/// them is known.
///
/// The same keys are written again and again in scattered order, which keeps compactions busy.
public enum WriterHistory {
    static let keyCount: UInt64 = 5_003
    private static let step: UInt64 = 1_979

    private static func slot(_ index: UInt64) -> UInt64 { index * step % keyCount }

    /// A deletion removes the value that was put this many operations earlier and not touched since. Every operation
    /// therefore changes the content, and the content shows how many operations there were.
    private static let age: UInt64 = 1_502

    private static func isDeletion(_ index: UInt64) -> Bool { index >= age && index % 5 == 4 }

    private static func key(_ slot: UInt64) -> [UInt8] { Array("key/\(String(slot + 1_000_000))".utf8) }

    /// The index in decimal, plus padding that depends on it.
    private static func value(_ index: UInt64) -> [UInt8] {
        var bytes = Array("\(index) ".utf8)
        var state = index
        while bytes.count < 100 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: state >> 56))
        }
        return bytes
    }

    /// Performs one operation.
    public static func perform(_ index: UInt64, on database: Database) throws(LevelError) {
        if isDeletion(index) {
            try database.delete(key(slot(index - age)))
        } else {
            try database.put(value(index), forKey: key(slot(index)))
        }
    }

    /// Returns how many operations produced the content of a database, or `nil` if no prefix of the sequence does.
    public static func prefix(of reader: some KeyValueReader) throws(LevelError) -> UInt64? {
        var last: UInt64?
        var entries: [[UInt8]: UInt64] = [:]
        var cursor = try reader.cursor()
        while try cursor.advance() {
            let value = cursor.value.copied()
            guard let index = UInt64(String(decoding: value.prefix { $0 != 0x20 }, as: UTF8.self)),
                value == self.value(index)
            else { return nil }
            entries[cursor.key.copied()] = index
            last = max(last ?? 0, index)
        }
        guard let last else { return 0 }
        // The last operation of the prefix may be a deletion, which leaves no value to identify it.
        if isState(entries, after: last + 1) { return last + 1 }
        return isDeletion(last + 1) && isState(entries, after: last + 2) ? last + 2 : nil
    }

    private static func isState(_ entries: [[UInt8]: UInt64], after count: UInt64) -> Bool {
        var expected: [UInt64: UInt64] = [:]
        // In any two rounds over all keys, each key is put at least once.
        for index in (count < 2 * keyCount ? 0 : count - 2 * keyCount)..<count {
            if isDeletion(index) {
                expected[slot(index - age)] = nil
            } else {
                expected[slot(index)] = index
            }
        }
        return expected.count == entries.count && expected.allSatisfy { entries[key($0.key)] == $0.value }
    }
}
