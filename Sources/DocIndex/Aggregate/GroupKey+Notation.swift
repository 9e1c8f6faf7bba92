extension Aggregation.GroupKey {
    /// Parses a key in the notation of the shell: a path, or a part of a date such as `month(taken)` or
    /// `yearMonth(exif.taken)`. The names of the parts are those of ``DocumentDate/Part``, in upper or lower case. A
    /// field with such a name must be quoted: `"month(taken)"`.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public init(parsing text: String) throws {
        do {
            if let (part, path) = Self.part(of: text) {
                self = .datePart(try FieldPath(parsing: String(path)), part)
            } else {
                self = .value(try FieldPath(parsing: text))
            }
        } catch {
            throw DocIndexError(.invalidQuery, "cannot count by \(text): \(error)")
        }
    }

    /// Splits text such as `month(taken)` into the part and the path; `nil` for other text.
    private static func part(of text: String) -> (DocumentDate.Part, Substring)? {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        let name = text[..<open].lowercased()
        guard let part = DocumentDate.Part.allCases.first(where: { $0.rawValue.lowercased() == name }) else {
            return nil
        }
        return (part, text[text.index(after: open)...].dropLast())
    }
}

extension Aggregation.GroupKey: CustomStringConvertible {
    /// The key in the notation of the shell. A range has a descriptive form instead.
    public var description: String {
        switch self {
        case .value(let path):
            // A name that could be read as a part of a date is quoted.
            if Self.part(of: path.description) != nil, case .name(let name)? = path.steps.first, path.steps.count == 1 {
                "\"\(name)\""
            } else {
                path.description
            }
        case .datePart(let path, let part): "\(part.rawValue)(\(path))"
        case .range(let path, let width): "range(\(path), \(width))"
        }
    }
}
