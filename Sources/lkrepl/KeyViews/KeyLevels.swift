import DocIndex
import LevelKit

/// The boundaries of key levels, which define the tree of keys.
enum KeyLevels: Equatable {
    /// Each of these bytes ends a level.
    case delimiters(Set<UInt8>)
    /// Each element of a tuple is a level.
    case tuples
    /// The layout of a document store: the kind of record, the collection or index, then numbers, IDs or values.
    case store

    /// The end of the first level after `depth`; `nil` if there is none.
    func end(in key: Span<UInt8>, behind depth: Int) -> Int? {
        switch self {
        case .delimiters(let delimiters):
            for index in depth..<max(depth, key.count) where delimiters.contains(key[index]) { return index + 1 }
            return nil
        case .tuples: return Self.tupleEnd(in: key, behind: depth)
        case .store: return StoreKeyParts(key.copied())?.levelEnd(behind: depth)
        }
    }

    /// The range of keys below a prefix, which may end within a level.
    func range(below prefix: [UInt8]) -> KeyRange {
        guard !prefix.isEmpty, end(in: prefix.span, behind: prefix.count - 1) == prefix.count,
            let end = end(ofPrefix: prefix)
        else { return .prefix(prefix) }
        return .range(from: prefix, to: end)
    }

    /// The upper bound of all keys below a level; `nil` if no key can follow.
    func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        switch self {
        case .delimiters: KeyRange.successor(ofPrefix: prefix)
        // A string ends with 00, and an embedded zero is 00 ff: that would be a different string.
        case .tuples, .store: prefix + [0xff]
        }
    }

    private static func tupleEnd(in key: Span<UInt8>, behind depth: Int) -> Int? {
        var decoder = TupleDecoder(key)
        while !decoder.isAtEnd {
            do {
                try decoder.skipElement()
            } catch {
                return nil
            }
            if decoder.offset > depth { return decoder.offset }
        }
        return nil
    }
}
