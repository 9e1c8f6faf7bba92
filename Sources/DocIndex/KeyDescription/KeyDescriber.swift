package import LevelKit

/// Describes the keys of a document store on one line, with the names of collections and indexes.
///
/// Only for people: a description is never read back, and may contain control characters from names and IDs.
package struct KeyDescriber {
    /// The names of collections and indexes by number.
    private var collections: [UInt64: String] = [:]
    private var indexes: [UInt64: String] = [:]
    /// The notation of strings in index keys.
    private let quote: ([UInt8]) -> String

    /// Creates a describer that uses the names in the catalog of a store. Without a readable catalog, it uses numbers.
    ///
    /// - Throws: `LevelError` if the catalog cannot be read from the database.
    package init(_ reader: some KeyValueReader, quote: @escaping ([UInt8]) -> String) throws {
        self.quote = quote
        let record = try reader.valueOrCopy(forKey: StoreKey.catalogKey)
        for collection in record.flatMap({ try? Catalog(encoded: $0) })?.collections ?? [] {
            collections[UInt64(collection.number)] = collection.name
            for index in collection.indexes {
                indexes[UInt64(index.number)] = "\(collection.name).\(index.definition.name)"
            }
        }
    }

    /// The description of a key, such as `entry: photos.year = 1930, row 5`; `nil` if the bytes are not a key.
    package func description(of key: [UInt8]) -> String? {
        guard let key = StoreKeyParts(key), key.isComplete else { return nil }
        // The kind of record of a text index is the subject.
        let others = key.parts.filter { $0.name != .record && $0.name != .value }.map(labelled)
        let subject = (key.textRecord?.titles ?? key.kind.titles).one
        guard let first = others.first else { return subject }
        return "\(subject): " + ([first + values(of: key)] + others.dropFirst()).joined(separator: ", ")
    }

    /// The description of all keys with a prefix that ends after a part, such as `index entries of photos.year`; `nil`
    /// if there are no such keys.
    package func description(ofPrefix prefix: [UInt8]) -> String? {
        guard let prefix = StoreKeyParts(prefix) else { return nil }
        guard let owner = prefix.parts.first.map(labelled) else { return prefix.kind.titles.all }
        switch prefix.kind {
        case .progress, .markers, .setAside, .copies, .attachments: return prefix.kind.titles.all
        case .text:
            guard let record = prefix.textRecord else { return "text index \(owner)" }
            let others = prefix.parts.dropFirst(2).map { text(of: $0) }
            return ([record.titles.all + " of " + owner] + others).joined(separator: ", ")
        default: return "\(prefix.kind.titles.all) of \(owner)" + values(of: prefix)
        }
    }

    // MARK: - Parts

    private func values(of key: StoreKeyParts) -> String {
        let values = key.parts.filter { $0.name == .value }.map { text(of: $0) }
        return values.isEmpty ? "" : " = " + values.joined(separator: ", ")
    }

    /// A part with the word that says what it is, unless that is obvious.
    private func labelled(_ part: StoreKeyParts.Part) -> String {
        switch part.name {
        case .collection, .index, .id, .term, .marker, .key, .digest: text(of: part)
        case .first: "from \(text(of: part)) on"
        default: "\(part.name.rawValue) \(text(of: part))"
        }
    }

    private func text(of part: StoreKeyParts.Part) -> String {
        switch part.value {
        case .number(let number) where part.name == .collection: collections[number] ?? "collection \(number)"
        case .number(let number) where part.name == .index: indexes[number] ?? "index \(number)"
        case .number(let number): "\(number)"
        case .element(let element): element.description
        case .ordered(let bytes): text(ofValue: bytes)
        // A record is set aside once. Hostile keys could be nested without limit.
        case .key(let key) where key.first == StoreKey.setAside.rawValue: "0x" + hexadecimal(key)
        case .key(let key): description(of: key) ?? "0x" + hexadecimal(key)
        }
    }

    // MARK: - Values

    private func text(ofValue bytes: [UInt8]) -> String {
        bytes[0] < 0x80 ? text(ofAscending: bytes) : text(ofAscending: bytes.map { ~$0 }) + " descending"
    }

    private func text(ofAscending bytes: [UInt8]) -> String {
        let hexadecimal = "0x" + hexadecimal(bytes)
        if bytes.count == 1, let part = VectorIndex.Part(rawValue: bytes[0]) { return "\(part)" }
        switch OrderedValue.Kind(rawValue: bytes[0]) {
        case .naturalString:
            // The folded string, followed by the original one.
            let string = OrderedValue.Kind.string.rawValue
            let folded = [string] + bytes.dropFirst()
            guard let end = OrderedValue.skip(in: folded.span, from: 0) else { return hexadecimal }
            return text(ofAscending: [string] + bytes[end...])
        case .levels:
            // Encoded like the elements of a tuple.
            guard let levels = try? Tuple(packed: Array(bytes.dropFirst().dropLast())) else { return hexadecimal }
            return levels.map { level in
                if case .string(let text) = level { quote(Array(text.utf8)) } else { level.description }
            }.joined(separator: " > ")
        case .cell: return "cell 0x" + LevelKit.hexadecimal(bytes.dropFirst())
        case .other: return bytes.count == 1 ? "other" : "other " + text(ofAscending: Array(bytes.dropFirst()))
        default: break
        }
        return switch OrderedValue.decoded(bytes.span) {
        case .missing: "missing"
        case .value(.string(let text)): quote(Array(text.utf8))
        case .value(.double(let number)): number.isNaN ? "NaN" : "\(number)"
        case .value(.date(let date)): "\(date.milliseconds) ms since 1970"
        case .value(.bytes(let bytes)): "0x" + LevelKit.hexadecimal(bytes)
        case .value(let value): value.json
        case nil: hexadecimal
        }
    }
}

extension StoreKeyParts {
    /// The kind of record of a text index; `nil` for other keys and for prefixes without it.
    fileprivate var textRecord: TextIndexKey? {
        guard kind == .text, parts.count > 1, case .number(let number) = parts[1].value else { return nil }
        return TextIndexKey(number: number)
    }
}

extension StoreKey {
    /// Words for one record, and for all of them.
    fileprivate var titles: (one: String, all: String) {
        switch self {
        case .catalog: ("catalog", "catalog")
        case .state: ("last commit", "last commit")
        case .changes: ("change", "changes")
        case .history: ("former version", "history")
        case .counters: ("counters", "counters")
        case .progress: ("progress", "progress")
        case .markers: ("marker", "markers of loads")
        case .ids: ("id", "ids")
        case .documents: ("document", "documents")
        case .names: ("names", "field names")
        case .values: ("entry", "index entries")
        case .valueCounts: ("count", "counts of values")
        case .text: ("text index", "text indexes")
        case .setAside: ("set aside", "set aside")
        case .copies: ("copy", "copies of the catalog and of field names")
        case .attachments: ("attachment", "attachments")
        case .contents: ("attachment content", "contents of attachments")
        case .revisions: ("revisions", "revisions")
        case .revisionBodies: ("version", "other versions of documents")
        case .replication: ("replication", "records of replication")
        }
    }
}

extension TextIndexKey {
    /// Words for one record, and for all of them.
    fileprivate var titles: (one: String, all: String) {
        switch self {
        case .structure: ("structure", "structure")
        case .terms: ("term", "terms")
        case .groups: ("postings", "postings")
        case .positions: ("positions", "positions")
        case .norms: ("norms", "norms")
        case .deleted: ("dead", "dead slots")
        case .rows: ("rows", "rows")
        case .slots: ("slot", "slots")
        case .pending: ("pending", "pending slots")
        case .tombstones: ("removed terms", "removed terms")
        }
    }
}
