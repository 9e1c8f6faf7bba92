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
        case .tuples: return Self.tupleEnd(in: key, behind: depth, from: 0)
        case .store: return Self.storeEnd(in: key, behind: depth)
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

    // MARK: - Tuples

    private static func tupleEnd(in key: Span<UInt8>, behind depth: Int, from start: Int) -> Int? {
        var decoder = TupleDecoder(key, from: start)
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

    // MARK: - Document stores

    /// The layout in `docs/FORMAT.md`: a byte for the kind, the number of a collection or index, and the rest.
    private static func storeEnd(in key: Span<UInt8>, behind depth: Int) -> Int? {
        guard let kind = StoreRecordKind(key) else { return nil }
        if depth == 0 { return 1 }
        switch kind {
        case .entries, .valueCounts:
            guard let number = tupleEnd(in: key, behind: 1, from: 1) else { return nil }
            return depth < number ? number : valueEnd(in: key, behind: depth, from: number, hasRow: kind == .entries)
        case .catalog, .lastCommit, .setAside: return nil
        default: return tupleEnd(in: key, behind: depth, from: 1)
        }
    }

    /// The end of an index value. The last value is followed by the row, a tuple integer.
    private static func valueEnd(in key: Span<UInt8>, behind depth: Int, from start: Int, hasRow: Bool) -> Int? {
        var rest = key.extracting(start..<key.count).copied()[...]
        while let code = rest.first {
            if hasRow, (0x15...0x1c).contains(code), rest.count == Int(code) - 0x14 + 1 { return nil }
            guard let count = OrderedText.byteCount(ofFirstIn: rest), count <= rest.count else { return nil }
            rest = rest.dropFirst(count)
            let end = key.count - rest.count
            if end > depth { return end }
        }
        return nil
    }
}

/// The kinds of records of a document store, by the first byte of their keys; see `docs/FORMAT.md`.
enum StoreRecordKind: UInt8 {
    case catalog = 0x4d
    case lastCommit = 0x53
    case changes = 0x43
    case counters = 0x4e
    case progress = 0x50
    case markers = 0x4c
    case ids = 0x49
    case documents = 0x44
    case names = 0x46
    case entries = 0x56
    case valueCounts = 0x47
    case text = 0x58
    case setAside = 0x51

    /// The kind of a key; `nil` if it is unknown.
    init?(_ key: Span<UInt8>) {
        guard key.count > 0 else { return nil }
        self.init(rawValue: key[0])
    }

    /// A plural title for the records.
    var title: String {
        switch self {
        case .catalog: "catalog"
        case .lastCommit: "last commit"
        case .changes: "changes"
        case .counters: "counters"
        case .progress: "progress"
        case .markers: "markers of loads"
        case .ids: "ids"
        case .documents: "documents"
        case .names: "field names"
        case .entries: "index entries"
        case .valueCounts: "counts of values"
        case .text: "text indexes"
        case .setAside: "set aside"
        }
    }
}
