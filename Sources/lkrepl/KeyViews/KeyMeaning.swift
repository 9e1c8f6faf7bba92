import DocIndex
import LevelKit

/// The meaning of a stored key for people: the elements of a tuple, or the record of a document store.
///
/// Only for display; it is never parsed.
struct KeyMeaning {
    /// Describes the keys of a document store; `nil` for a plain database.
    private let describer: KeyDescriber?

    /// Creates the meaning for keys of a plain database.
    init() { describer = nil }

    /// Creates the meaning for keys of a session's database.
    init(of session: Session) throws {
        describer =
            try session.isDocumentStore()
            ? try KeyDescriber(session.reader) { ByteNotation.print($0, form: .text) } : nil
    }

    /// The meaning of a key; `nil` if its bytes are self-explanatory, or nothing is known.
    func text(of key: [UInt8]) -> String? {
        guard let describer else { return Self.sublevel(key) ?? Self.tuple(key) }
        return describer.description(of: key).map { VisibleText.singleLine($0) } ?? Self.tuple(key)
    }

    /// The meaning of a level of keys: the kind of record of a store, its collection or index, or the elements of
    /// tuples. `nil` if its bytes are self-explanatory.
    func text(ofLevel prefix: [UInt8], _ levels: KeyLevels) -> String? {
        switch levels {
        case .delimiters: Self.sublevel(prefix)
        case .tuples: Self.tuple(prefix)
        case .store: describer?.description(ofPrefix: prefix).map { VisibleText.singleLine($0) }
        }
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
    static func isTuple(_ key: [UInt8]) -> Bool { tuple(key) != nil }

    /// The tuple that a key contains; `nil` for a key that is readable as it is, or is not a tuple.
    private static func tuple(_ key: [UInt8]) -> String? {
        guard !key.isEmpty, ByteNotation.print(key).utf8.first == UInt8(ascii: "\""),
            let tuple = try? Tuple(packed: key), !tuple.isEmpty, tuple.packed() == key
        else { return nil }
        return VisibleText.singleLine(tuple.description)
    }
}
