import DocIndex

/// The notations of the dates in a field that results are sorted by.
///
/// Dates are sorted as strings. Within a year, all dates in one notation come before those in another.
struct SortedNotations {
    private let path: FieldPath
    private var found: [Character: String] = [:]

    /// `nil` for a key that does not order strings by their characters.
    init?(_ key: Query.SortKey) {
        guard case .field(let path) = key.key else { return nil }
        self.path = path
    }

    /// Looks at the first value of a document.
    mutating func add(_ content: DocumentObject) {
        guard found.count < 2, case .string(let text)? = path.value(in: content) else { return }
        let bytes = text.utf8.prefix(5)
        guard bytes.count == 5, let last = bytes.last, [0x2D, 0x3A, 0x2E].contains(last),
            bytes.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
        else { return }
        let notation = Character(Unicode.Scalar(last))
        if found[notation] == nil { found[notation] = String(text.prefix(10)) }
    }

    /// What a person should know; `nil` if there is only one notation.
    var note: String? {
        guard found.count > 1 else { return nil }
        let examples = found.sorted { $0.key < $1.key }.map(\.value).joined(separator: " and ")
        return "note: \(path) has dates in two notations, such as \(examples), which are sorted as text"
    }
}
