internal import DocIndex
internal import LevelKit

/// The keys of a store below a prefix, as one level of a tree.
struct KeyLevel: Sendable {
    /// A key, or all keys with a prefix.
    struct Node: Sendable {
        let prefix: [UInt8]
        /// Whether there are keys below it.
        let isBranch: Bool
        /// The meaning of the key; `nil` if unknown.
        let meaning: String?
        /// The approximate size in tables.
        let byteCount: UInt64
    }

    /// The largest number of nodes.
    static let limit = 200
    /// The longest value that is shown, in bytes.
    static let valueLimit = 4096

    /// The prefix of all keys.
    let prefix: [UInt8]
    /// The meaning of the prefix.
    let meaning: String?
    private(set) var nodes: [Node] = []
    /// The first key that is left out; `nil` if there is none.
    private(set) var next: [UInt8]?
    /// The value, if the prefix is a key.
    let value: [UInt8]?

    /// Reads a level.
    ///
    /// - Parameter start: where to begin; `nil` for the first key with the prefix.
    /// - Complexity: one seek for each node.
    init(of store: ReadableStore, below prefix: [UInt8], from start: [UInt8]?) throws {
        self.prefix = prefix
        let keys = store.keys
        let describer = try KeyDescriber(keys) { String(decoding: $0, as: UTF8.self) }
        meaning = describer.description(of: prefix) ?? describer.description(ofPrefix: prefix)
        value = try keys.value(forKey: prefix)
        var cursor = try keys.cursor(in: .prefix(prefix), cache: .bypass)
        if let start, start.starts(with: prefix) { cursor.seek(to: start) }
        while try cursor.advance() {
            try Task.checkCancellation()
            let key = cursor.key.copied()
            let end = StoreKeyParts(key)?.levelEnd(behind: prefix.count) ?? key.count
            let isBranch = end < key.count
            guard nodes.count < Self.limit else {
                next = key
                break
            }
            let node = Array(key[..<end])
            let upper = isBranch ? KeyRange.successor(ofPrefix: node) : node + [0]
            nodes.append(
                Node(
                    prefix: node, isBranch: isBranch,
                    meaning: isBranch ? describer.description(ofPrefix: node) : describer.description(of: node),
                    byteCount: try store.approximateByteCount(in: .range(from: node, to: upper))))
            guard isBranch else { continue }
            guard let upper else { break }
            cursor.seek(to: upper)
        }
    }
}

extension KeyLevel {
    static let parameters = ["prefix", "from"]

    /// Reads the prefix and the beginning of a level.
    static func place(_ parameters: Parameters) throws -> (prefix: [UInt8], from: [UInt8]?) {
        func bytes(_ name: String) throws -> [UInt8]? {
            try parameters.reading(name) { text in
                guard let bytes = HexBytes.bytes(text) else {
                    throw Problem(.badRequest, "\(name) must be an even number of hexadecimal digits.")
                }
                return bytes
            }
        }
        return (try bytes("prefix") ?? [], try bytes("from"))
    }
}

/// Bytes in hexadecimal, as parameters.
enum HexBytes {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads digits, optionally after `0x`; `nil` for other text.
    static func bytes(_ text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        for byte in text.utf8.dropFirst(text.hasPrefix("0x") ? 2 : 0) where byte != UInt8(ascii: " ") {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
