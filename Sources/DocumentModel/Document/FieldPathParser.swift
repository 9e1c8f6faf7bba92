extension FieldPath {
    /// Parses a field path; see ``FieldPath`` for the notation.
    ///
    /// - Throws: ``FieldPath/SyntaxError`` with the offset of the first invalid byte.
    /// - Complexity: O(*n*).
    public init(parsing text: String) throws(FieldPath.SyntaxError) {
        // Nearly every path is a single name.
        if !text.isEmpty, text.utf8.allSatisfy({ !FieldPathParser.isSpecial(Unicode.Scalar($0)) }) {
            self.init(checked: [.name(text)])
            return
        }
        var parser = FieldPathParser(text)
        self.init(checked: try parser.parse())
    }
}

/// Parses the notation of field paths.
struct FieldPathParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var steps: [FieldPath.Step] = []

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// Returns whether a name that contains `scalar` must be quoted.
    static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "[", "]", "\"": true
        default: false
        }
    }

    mutating func parse() throws(FieldPath.SyntaxError) -> [FieldPath.Step] {
        while true {
            let start = position
            try append(.name(next == "\"" ? quotedName() : plainName()), writtenAt: start)
            while next == "[" {
                let bracket = position
                guard position + 1 < scalars.count, scalars[position + 1] == "]" else {
                    throw failure(.misplacedBracket)
                }
                position += 2
                try append(.eachElement, writtenAt: bracket)
            }
            switch next {
            case nil: return steps
            case ".": position += 1
            case "]": throw failure(.misplacedBracket)
            default: throw failure(.missingSeparator)
            }
        }
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func append(_ step: FieldPath.Step, writtenAt start: Int) throws(FieldPath.SyntaxError) {
        guard steps.count < FieldPath.maximumStepCount else { throw failure(.tooManySteps, at: start) }
        steps.append(step)
    }

    private mutating func plainName() throws(FieldPath.SyntaxError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next, !Self.isSpecial(scalar) {
            name.append(scalar)
            position += 1
        }
        if next == "\"" { throw failure(.misplacedQuote) }
        if name.isEmpty { throw failure(next == nil || next == "." ? .missingName : .misplacedBracket) }
        return String(name)
    }

    private mutating func quotedName() throws(FieldPath.SyntaxError) -> String {
        let start = position
        var name = String.UnicodeScalarView()
        position += 1
        while let scalar = next {
            position += 1
            switch scalar {
            case "\"":
                return String(name)
            case "\\":
                guard let escaped = next else { throw failure(.unterminatedQuote, at: start) }
                guard escaped == "\"" || escaped == "\\" else { throw failure(.invalidEscape, at: position - 1) }
                name.append(escaped)
                position += 1
            default:
                name.append(scalar)
            }
        }
        throw failure(.unterminatedQuote, at: start)
    }

    private func failure(_ code: FieldPath.SyntaxError.Code, at position: Int? = nil) -> FieldPath.SyntaxError {
        let offset = scalars[..<(position ?? self.position)].reduce(0) { $0 + UTF8.width($1) }
        return FieldPath.SyntaxError(code: code, offset: offset)
    }
}
