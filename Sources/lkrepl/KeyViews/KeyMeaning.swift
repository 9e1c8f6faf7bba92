import DocIndex
import LevelKit

/// The meaning of a stored key for people: the elements of a tuple, or the record of a document store.
///
/// Only for display; it is never parsed. See `docs/FORMAT.md` for the keys of a store.
struct KeyMeaning {
    /// The names of a store's collections and indexes by number; `nil` for a plain database.
    private let names: StoreNames?

    /// Creates the meaning for keys of a plain database.
    init() { names = nil }

    /// Creates the meaning for keys of a session's database.
    init(of session: Session) throws {
        guard try session.isDocumentStore(), let catalog = try session.reader.value(forKey: [0x4d]) else {
            names = nil
            return
        }
        names = StoreNames(catalog: catalog)
    }

    /// The meaning of a key; `nil` if its bytes are self-explanatory, or nothing is known.
    func text(of key: [UInt8]) -> String? {
        if let names { return storeText(of: key, names) ?? Self.tuple(key[...]) }
        return Self.sublevel(key) ?? Self.tuple(key[...])
    }

    /// The sublevels of a key of Node's Level: `!people!42`, or nested `!people!!old!42`.
    private static func sublevel(_ key: [UInt8]) -> String? {
        let mark = UInt8(ascii: "!")
        var rest = key[...]
        var names: [String] = []
        while rest.first == mark, let end = rest.dropFirst().firstIndex(of: mark), end > rest.startIndex + 1 {
            guard let name = String(validating: rest[(rest.startIndex + 1)..<end], as: UTF8.self) else { return nil }
            names.append(VisibleText.singleLine(name))
            rest = rest[(end + 1)...]
        }
        guard !names.isEmpty else { return nil }
        return "sublevel \(names.joined(separator: ", ")): \(ByteNotation.print(Array(rest)))"
    }

    /// Whether a key is a tuple rather than text that happens to be a valid tuple.
    static func isTuple(_ key: [UInt8]) -> Bool { tuple(key[...]) != nil }

    /// The meaning of a level of keys: the kind of record of a store, its collection or index, or the elements of
    /// tuples. `nil` if its bytes are self-explanatory.
    func text(ofLevel prefix: [UInt8], _ levels: KeyLevels) -> String? {
        switch levels {
        case .delimiters: return Self.sublevel(prefix)
        case .tuples: return Self.tuple(prefix[...])
        case .store:
            guard let names, let kind = StoreRecordKind(prefix.span) else { return nil }
            let rest = prefix.dropFirst()
            guard let (number, values) = Self.leadingNumber(rest) else { return kind.title }
            switch kind {
            case .entries, .valueCounts:
                let owner = "\(kind.title) of \(names.index(number))"
                return values.isEmpty ? owner : "\(owner) = \(OrderedText(values).text)"
            case .text:
                let parts = (try? Tuple(packed: Array(values))) ?? Tuple([])
                guard let first = parts.first.flatMap(Self.number), let part = Self.textParts[Int(first)] else {
                    return "text index \(names.index(number))"
                }
                let others = parts.dropFirst().map { VisibleText.singleLine($0.description) }
                return "\(part) of \(names.index(number))"
                    + (others.isEmpty ? "" : ", " + others.joined(separator: ", "))
            case .changes: return "changes of commit \(number)"
            case .documents, .ids, .names, .counters: return "\(kind.title) of \(names.collection(number))"
            default: return kind.title
            }
        }
    }

    /// The parts of a text index, by their numbers in `docs/FORMAT.md`.
    private static let textParts: [Int: String] = [
        0: "structure", 1: "terms", 2: "postings", 3: "positions", 4: "norms", 5: "dead slots", 6: "rows", 7: "slots",
        8: "pending slots", 9: "removed terms",
    ]

    /// The tuple that a key contains; `nil` for a key that is readable as it is, or is not a tuple.
    private static func tuple(_ key: ArraySlice<UInt8>) -> String? {
        let bytes = Array(key)
        guard !bytes.isEmpty, ByteNotation.print(bytes).utf8.first == UInt8(ascii: "\""),
            let tuple = try? Tuple(packed: bytes), !tuple.isEmpty, tuple.packed() == bytes
        else { return nil }
        return VisibleText.singleLine(tuple.description)
    }

    // MARK: - Document stores

    private func storeText(of key: [UInt8], _ names: StoreNames) -> String? {
        guard let kind = key.first else { return nil }
        let rest = key.dropFirst()
        switch kind {
        case 0x4d: return rest.isEmpty ? "catalog" : nil
        case 0x53: return rest.isEmpty ? "last commit" : nil
        case 0x43:
            guard let parts = numbers(rest), parts.count == 3 else { return nil }
            return "change: commit \(parts[0]), \(names.collection(parts[1])), row \(parts[2])"
        case 0x4e: return numbers(rest).map { "counters: \(names.collection($0[0]))" }
        case 0x44:
            guard let parts = numbers(rest), parts.count == 2 else { return nil }
            return "document: \(names.collection(parts[0])), row \(parts[1])"
        case 0x49:
            guard let parts = try? Tuple(packed: Array(rest)), parts.count == 2, let number = Self.number(parts[0])
            else {
                return nil
            }
            return "id: \(names.collection(number)), \(VisibleText.singleLine(parts[1].description))"
        case 0x46:
            guard let parts = numbers(rest), parts.count == 2 else { return nil }
            return "names: \(names.collection(parts[0])), from \(parts[1]) on"
        case 0x50:
            guard let parts = try? Tuple(packed: Array(rest)), parts.count == 1 else { return nil }
            if let number = Self.number(parts[0]) { return "progress: \(names.index(number))" }
            return "progress: migration \(VisibleText.singleLine(parts[0].description))"
        case 0x56: return indexEntry(rest, names, hasRow: true).map { "entry: \($0)" }
        case 0x47: return indexEntry(rest, names, hasRow: false).map { "count: \($0)" }
        case 0x58: return textKey(rest, names)
        case 0x51: return storeText(of: Array(rest), names).map { "set aside: \($0)" }
        default: return nil
        }
    }

    /// The keys of a text index, listed in `docs/FORMAT.md`.
    private func textKey(_ rest: ArraySlice<UInt8>, _ names: StoreNames) -> String? {
        guard let parts = try? Tuple(packed: Array(rest)), parts.count >= 2, let index = Self.number(parts[0]),
            let kind = Self.number(parts[1])
        else { return nil }
        let name = names.index(index)
        func shown(_ position: Int) -> String { VisibleText.singleLine(parts[position].description) }
        switch (kind, parts.count) {
        case (0, 2): return "structure: \(name)"
        case (1, 4): return "term: \(name), segment \(shown(2)), \(shown(3))"
        case (2, 5): return "postings: \(name), segment \(shown(2)), \(shown(3)), group \(shown(4))"
        case (3, 5): return "positions: \(name), segment \(shown(2)), \(shown(3)), group \(shown(4))"
        case (4, 3): return "norms: \(name), chunk \(shown(2))"
        case (5, 3): return "dead: \(name), chunk \(shown(2))"
        case (6, 3): return "rows: \(name), chunk \(shown(2))"
        case (7, 3): return "slot: \(name), row \(shown(2))"
        case (8, 3): return "pending: \(name), slot \(shown(2))"
        case (9, 3): return "removed terms: \(name), slot \(shown(2))"
        default: return nil
        }
    }

    private func indexEntry(_ rest: ArraySlice<UInt8>, _ names: StoreNames, hasRow: Bool) -> String? {
        guard let (number, values) = Self.leadingNumber(rest) else { return nil }
        let name = names.index(number)
        guard hasRow else { return "\(name) = \(OrderedText(values).text)" }
        for (end, row) in Self.trailingRows(values) {
            let ordered = OrderedText(values.prefix(upTo: end))
            if ordered.isWhole { return "\(name) = \(ordered.text), row \(row)" }
        }
        return nil
    }

    /// A nonnegative tuple integer, and the bytes after it.
    private static func leadingNumber(_ bytes: ArraySlice<UInt8>) -> (Int64, ArraySlice<UInt8>)? {
        guard let code = bytes.first, (0x14...0x1b).contains(code), bytes.count > Int(code) - 0x14 else { return nil }
        let count = Int(code) - 0x14
        let number = bytes.dropFirst().prefix(count).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return (number, bytes.dropFirst(1 + count))
    }

    /// The possible tuple integers at the end of the bytes, and their positions. The bytes before them decide which one
    /// is valid.
    private static func trailingRows(_ bytes: ArraySlice<UInt8>) -> [(start: Int, row: UInt64)] {
        (1...8).compactMap { count in
            let start = bytes.endIndex - count - 1
            guard start > bytes.startIndex, bytes[start] == 0x14 + UInt8(count), bytes[start + 1] != 0 else {
                return nil
            }
            return (start, bytes[(start + 1)...].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    private func numbers(_ bytes: ArraySlice<UInt8>) -> [Int64]? {
        guard let tuple = try? Tuple(packed: Array(bytes)), !tuple.isEmpty else { return nil }
        let numbers = tuple.compactMap(Self.number)
        return numbers.count == tuple.count ? numbers : nil
    }

    private static func number(_ element: Tuple.Element) -> Int64? {
        if case .int(let number) = element { number } else { nil }
    }
}

/// The names of collections and indexes, from the catalog of a store.
struct StoreNames {
    private var collections: [Int64: String] = [:]
    private var indexes: [Int64: String] = [:]

    /// Reads a catalog; unreadable entries get no names.
    init(catalog: [UInt8]) {
        guard case .object(let object) = try? JSONParser().parse(catalog),
            let collections = object["collections"]?.arrayValue
        else { return }
        for collection in collections.compactMap(\.objectValue) {
            guard let name = collection["name"]?.stringValue, let number = collection["number"]?.intValue else {
                continue
            }
            self.collections[number] = name
            for index in collection["indexes"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
                guard let own = index["name"]?.stringValue, let number = index["number"]?.intValue else { continue }
                indexes[number] = "\(name).\(own)"
            }
        }
    }

    /// The name of a collection; its number if the name is unknown.
    func collection(_ number: Int64) -> String {
        collections[number].map { VisibleText.singleLine($0) } ?? "collection \(number)"
    }

    /// The collection and name of an index; its number if the name is unknown.
    func index(_ number: Int64) -> String { indexes[number].map { VisibleText.singleLine($0) } ?? "index \(number)" }
}
