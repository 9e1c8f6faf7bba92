package import LevelKit

/// The parts of a key of a document store, or of a prefix of keys, as far as they can be read.
///
/// Any bytes can be read: parts end where the bytes do not form a key. `docs/FORMAT.md` lists the keys.
package struct StoreKeyParts: Sendable {
    /// One part of a key.
    package struct Part: Sendable {
        /// The kind of the part. The raw values are words for people.
        package enum Name: String, Sendable {
            case collection, index, commit, row, id, first, migration, marker, value, key, digest, content
            case generation, revision
            /// The kind of record of a text index, and the parts that follow it.
            case record, segment, term, group, chunk, slot
        }

        /// The content of a part.
        package enum Value: Sendable {
            case number(UInt64)
            /// A string, or the integer of a document ID.
            case element(Tuple.Element)
            /// An indexed value in its ordered encoding.
            case ordered([UInt8])
            /// The former key of a record that was set aside, which need not be valid.
            case key([UInt8])
        }

        package let name: Name
        package let value: Value
        /// The offset after the part.
        package let end: Int
    }

    /// The kind of record.
    let kind: StoreKey
    /// The parts after the byte of the kind, in order.
    package private(set) var parts: [Part] = []
    /// Whether these are all parts of a key, and no bytes follow them.
    package private(set) var isComplete = false

    private let bytes: [UInt8]

    /// Reads a key; `nil` if its first byte is not that of a record.
    ///
    /// - Complexity: O(*n*) in its bytes.
    package init?(_ key: [UInt8]) {
        guard let kind = key.first.flatMap(StoreKey.init) else { return nil }
        self.kind = kind
        bytes = key
        isComplete = readParts() && end == key.count
    }

    /// The end of the first level after `depth` bytes; `nil` if no level ends there. The byte of the kind and each part
    /// are a level.
    package func levelEnd(behind depth: Int) -> Int? {
        depth == 0 ? 1 : parts.first { $0.end > depth && $0.name != .key }?.end
    }

    // MARK: - Reading

    private var end: Int { parts.last?.end ?? 1 }

    /// Returns whether the key has all parts of its kind.
    private mutating func readParts() -> Bool {
        switch kind {
        case .catalog, .state: true
        case .changes, .history: read(.commit, .collection, .row)
        case .counters: read(.collection)
        case .documents: read(.collection, .row)
        case .ids, .revisions: read(.collection, .id)
        case .revisionBodies: read(.collection, .id, .generation, .revision)
        case .replication: read(.collection) && (end == bytes.count || read(.marker))
        case .names: read(.collection, .first)
        case .progress: read(.index) || read(.migration)
        case .markers: read(.marker)
        case .values: read(.index) && (isVectorEntry ? readVectorEntry() : readValues(hasRow: true))
        case .valueCounts: read(.index) && readValues(hasRow: false)
        case .text: read(.index, .record) && readTextParts()
        case .setAside, .copies: readOriginalKey()
        case .attachments: bytes.count == 1 || readDigest()
        case .contents: read(.content)
        }
    }

    private mutating func readTextParts() -> Bool {
        guard case .number(let number)? = parts.last?.value, let record = TextIndexKey(number: number) else {
            parts.removeLast()
            return false
        }
        return switch record {
        case .structure: true
        case .terms: read(.segment, .term)
        case .groups, .positions: read(.segment, .term, .group)
        case .norms, .deleted, .rows: read(.chunk)
        case .slots: read(.row)
        case .pending, .tombstones: read(.slot)
        }
    }

    private mutating func readDigest() -> Bool {
        guard let digest = StoreKey.digest(in: bytes.span) else { return false }
        parts.append(Part(name: .digest, value: .element(.string(digest.description)), end: bytes.count))
        return true
    }

    private mutating func readOriginalKey() -> Bool {
        guard bytes.count > 1 else { return false }
        parts.append(Part(name: .key, value: .key(Array(bytes.dropFirst())), end: bytes.count))
        return true
    }

    private mutating func read(_ names: Part.Name...) -> Bool { names.allSatisfy { read($0) } }

    private mutating func read(_ name: Part.Name) -> Bool {
        var decoder = TupleDecoder(bytes.span, from: end)
        let value: Part.Value
        switch name {
        case .id, .migration, .marker, .term, .revision:
            guard let element = try? decoder.decodeElement() else { return false }
            switch element {
            case .string: break
            case .int where name == .id: break
            default: return false
            }
            value = .element(element)
        default:
            // Longer integers, which the decoder accepts, have two encodings.
            guard end < bytes.count, bytes[end] <= 0x1c, let number = try? decoder.decodeUInt64() else { return false }
            value = .number(number)
        }
        parts.append(Part(name: name, value: value, end: decoder.offset))
        return true
    }

    /// Reads the values of an index entry, and the row after them.
    ///
    /// The encodings alone show where the row begins: no value of more than one byte has the form of an integer at the
    /// end of the key, and at least one value precedes the row.
    private mutating func readValues(hasRow: Bool) -> Bool {
        while end < bytes.count {
            let isFirst = parts.count == 1
            if hasRow, !isFirst, isRow(at: end) { return read(.row) }
            let isDescending = bytes[end] >= 0x80
            var next = OrderedValue.skip(in: bytes.span, from: end, isDescending: isDescending)
            // A location that cannot be read has no content.
            if hasRow, isFirst, bytes[end] == OrderedValue.Kind.other.rawValue, isRow(at: end + 1) { next = end + 1 }
            guard let next else { return false }
            parts.append(Part(name: .value, value: .ordered(Array(bytes[end..<next])), end: next))
        }
        return !hasRow && parts.count > 1
    }

    /// Whether the index is a vector index, whose entries have a byte of their own before the row.
    private var isVectorEntry: Bool { end < bytes.count && VectorIndex.Part(rawValue: bytes[end]) != nil }

    private mutating func readVectorEntry() -> Bool {
        parts.append(Part(name: .value, value: .ordered([bytes[end]]), end: end + 1))
        return isRow(at: end) && read(.row)
    }

    /// Whether the rest of the key is a row number, which is never 0.
    private func isRow(at offset: Int) -> Bool {
        var decoder = TupleDecoder(bytes.span, from: offset)
        guard let row = try? decoder.decodeUInt64() else { return false }
        return row > 0 && decoder.isAtEnd
    }
}

extension TextIndexKey {
    /// The kind of record with a number; `nil` if there is none.
    init?(number: UInt64) {
        guard let number = Int64(exactly: number) else { return nil }
        self.init(rawValue: number)
    }
}
