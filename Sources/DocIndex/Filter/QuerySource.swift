/// The text of a condition or an update, in which single scalars may stand for bound values and paths.
struct QuerySource {
    /// The path or the value that a placeholder stands for.
    enum Bound: Sendable, Equatable {
        case value(DocumentValue)
        case path(FieldPath)
    }

    /// The kind of the text.
    enum Subject: String, Sendable {
        case condition
        case update

        /// The operators that conditions do not have.
        var operators: [String] { self == .update ? ["+=", "-=", "?=", "->"] : [] }
    }

    let subject: Subject

    /// The scalar at the offset of each placeholder. Elsewhere in the text, it is an ordinary character.
    static let placeholder: Unicode.Scalar = "\u{fffc}"

    // Scalars, because a combining mark at the beginning of a quoted string would merge with the quote into one
    // character.
    private(set) var scalars: [Unicode.Scalar]
    /// The bound values and paths by the offsets of their placeholders.
    private(set) var bound: [Int: Bound] = [:]

    init(_ text: String = "", subject: Subject = .condition) {
        self.subject = subject
        scalars = Array(text.unicodeScalars)
    }

    mutating func append(_ text: String) { scalars.append(contentsOf: text.unicodeScalars) }

    mutating func append(_ value: Bound) {
        bound[scalars.count] = value
        scalars.append(Self.placeholder)
    }

    /// The text for people: the notation, with abbreviated values in place of their placeholders.
    var shown: String { shown(before: scalars.count) }

    private func shown(before end: Int) -> String {
        if bound.isEmpty { return String(String.UnicodeScalarView(scalars[..<end])) }
        var text = ""
        for offset in 0..<end {
            if let bound = bound[offset] {
                text += bound.shown
            } else {
                text.unicodeScalars.append(scalars[offset])
            }
        }
        return text
    }

    /// Returns an error for a position in the text.
    func fault(_ reason: String, at offset: Int) -> DocIndexError {
        // Positions in messages count characters of the shown text, not scalars.
        let character = shown(before: offset).count
        let whole = bound.isEmpty ? "" : "; the \(subject.rawValue) is: \(shown)"
        return DocIndexError(
            subject == .condition ? .invalidQuery : .invalidUpdate,
            "the \(subject.rawValue) cannot be read at character \(character + 1): \(reason)\(whole)",
            position: character)
    }
}

extension QuerySource.Bound {
    /// The value in the notation of conditions, at most some forty characters of it.
    var shown: String {
        switch self {
        case .path(let path): return path.notation
        case .value(let value):
            let text = value.notation
            return text.count <= 40 ? text : text.prefix(36) + " …" + (text.hasSuffix("\"") ? "\"" : "")
        }
    }
}
