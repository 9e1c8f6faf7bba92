internal import DocIndex
internal import LevelFiles

/// The records of the database of a ``RenditionFolder``. Whatever is not understood is treated as missing, since every
/// rendition can be made again.
///
///     52 name 00 digest            → an ``Entry``: what is stored
///     42 number                    → the bytes of a small rendition
///     55 name 00 time digest       → (empty), for each entry, the least recently used first
///     54 name 00                   → the number of entries and their size
///     4e                           → the next number
///
/// Numbers rise, so that small renditions are appended and compactions do not move them much. Numbers and times in keys
/// have eight bytes, the most significant first.
enum FolderRecords {
    /// The version of the rules by which renditions are made. A new one makes all of them again.
    static let ruleVersion: UInt64 = 1

    static let nextNumber: [UInt8] = [0x4e]

    static func entry(_ key: RenditionKey) -> [UInt8] { prefix(0x52, key.specification.name) + key.digest.bytes }

    /// The beginning of the keys of all entries with a name.
    static func entries(_ name: String) -> [UInt8] { prefix(0x52, name) }

    /// Reads the key of an entry.
    static func digest(ofEntry key: [UInt8], _ name: String) -> Attachment.Digest? {
        Attachment.Digest(Array(key.dropFirst(entries(name).count)).span)
    }

    static func bytes(_ number: UInt64) -> [UInt8] { [0x42] + big(number) }

    static func totals(_ name: String) -> [UInt8] { prefix(0x54, name) }

    static func use(_ key: RenditionKey, _ time: UInt64) -> [UInt8] {
        uses(key.specification.name) + big(time) + key.digest.bytes
    }

    /// The beginning of the keys that list the uses.
    static func uses(_ name: String) -> [UInt8] { prefix(0x55, name) }

    /// Reads the key of a use.
    static func digest(ofUse key: [UInt8], _ name: String) -> Attachment.Digest? {
        let rest = key.dropFirst(uses(name).count + 8)
        return Attachment.Digest(Array(rest).span)
    }

    /// Reads the name from the key of totals.
    static func name(ofTotals key: [UInt8]) -> String? {
        guard key.count > 2, key.first == 0x54, key.last == 0 else { return nil }
        return String(validating: key.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func prefix(_ letter: UInt8, _ name: String) -> [UInt8] { [letter] + name.utf8 + [0] }

    private static func big(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    // MARK: - Values

    /// The record of a rendition.
    struct Entry: Hashable {
        var specification: RenditionSpecification
        /// Where the bytes are in the database; `nil` if they are in a file.
        var number: UInt64?
        var byteCount: Int
        var checksum: UInt32
        var width: Int
        var height: Int
        /// When it was last used, in milliseconds since 1970.
        var time: UInt64

        var encoded: [UInt8] {
            var bytes: [UInt8] = []
            let fields: [UInt64] = [
                ruleVersion, UInt64(specification.longEdge ?? 0), UInt64(specification.quality),
                number.map { $0 &+ 1 } ?? 0, UInt64(byteCount), UInt64(checksum), UInt64(width), UInt64(height), time,
            ]
            for field in fields { LevelFiles.Varint.append(field, to: &bytes) }
            return bytes
        }
    }

    /// Reads an entry; `nil` if it was made by another rule or for a different size.
    static func entry(_ bytes: [UInt8], for specification: RenditionSpecification) -> Entry? {
        guard let fields = numbers(bytes, count: 9), fields[0] == ruleVersion,
            fields[1] == UInt64(specification.longEdge ?? 0), fields[2] == UInt64(specification.quality),
            let byteCount = Int(exactly: fields[4]), let checksum = UInt32(exactly: fields[5]),
            1...65_535 ~= fields[6], 1...65_535 ~= fields[7]
        else { return nil }
        return Entry(
            specification: specification, number: fields[3] == 0 ? nil : fields[3] - 1, byteCount: byteCount,
            checksum: checksum, width: Int(fields[6]), height: Int(fields[7]), time: fields[8])
    }

    /// The size, number and time of an entry of any rule; `nil` if it is damaged.
    static func size(ofEntry bytes: [UInt8]) -> (number: UInt64?, byteCount: Int, time: UInt64)? {
        guard let fields = numbers(bytes, count: 9), let byteCount = Int(exactly: fields[4]) else { return nil }
        return (fields[3] == 0 ? nil : fields[3] - 1, byteCount, fields[8])
    }

    /// Reads numbers of variable length.
    static func numbers(_ bytes: [UInt8], count: Int) -> [UInt64]? {
        var reader = FieldReader(bytes)
        var numbers: [UInt64] = []
        for _ in 0..<count {
            guard let number = try? reader.readVarint64() else { return nil }
            numbers.append(number)
        }
        return reader.isAtEnd ? numbers : nil
    }

    static func encoded(_ numbers: UInt64...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { LevelFiles.Varint.append(number, to: &bytes) }
        return bytes
    }
}
