import DocIndex

/// A column of a CSV or TSV file: the path and the type of its cells.
struct DelimitedColumn: Hashable {
    /// The type of a column's cells.
    enum Kind: String, CaseIterable {
        case string, int, double, bool, date, bytes
        /// JSON text, for all other values.
        case json
    }

    var path: FieldPath
    /// `nil` for a column without a type: its cells are strings.
    var kind: Kind?

    /// Parses a column name from the first row.
    ///
    /// - Parameters:
    ///   - hasKinds: Whether the name ends in a period and a type, as in `iso.int`.
    ///   - isNested: Whether other periods separate the names of nested objects.
    init(header: String, hasKinds: Bool, isNested: Bool = true) throws {
        guard !header.isEmpty else { throw RecordError(.format, "a column has no name").final }
        var name = header
        if hasKinds, let point = header.lastIndex(of: "."),
            let kind = Kind(rawValue: String(header[header.index(after: point)...]))
        {
            self.kind = kind
            name = String(header[..<point])
        } else if hasKinds {
            throw RecordError(
                .format, "the column \(header) has no type",
                hint: "write \(header).string, or one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))",
                isRecoverable: false)
        }
        // An invalid path is used as a plain name: headers of other programs may contain any characters.
        if isNested, let path = try? FieldPath(parsing: name), !path.hasArrayStep {
            self.path = path
        } else {
            path = FieldPath(names: name)
        }
    }

    init(path: FieldPath, kind: Kind?) {
        self.path = path
        self.kind = kind
    }

    /// The name in the first row.
    var header: String { kind.map { "\(path).\($0.rawValue)" } ?? path.description }

    // MARK: - Reading

    /// The value of a cell; `nil` for null, which is an absent member.
    ///
    /// - Parameters:
    ///   - hasBase64: Whether bytes are written as `b64:` and base64, as in CSV; TSV has escapes.
    ///   - keepsBytes: Whether a cell that is not UTF-8 becomes bytes.
    func value(of cell: DelimitedReader.Cell, hasBase64: Bool = true, keepsBytes: Bool = false) throws -> DocumentValue?
    {
        if cell.isNull { return nil }
        if hasBase64, kind == .bytes || kind == nil && !cell.isQuoted, cell.bytes.starts(with: Array("b64:".utf8)) {
            if let bytes = try? Base64.decode(cell.bytes.span.extracting(4..<cell.bytes.count)) { return .bytes(bytes) }
            if kind == .bytes { throw RecordError(.base64, "the cell of \(path) is not valid base64") }
        }
        guard let text = String(validating: cell.bytes, as: UTF8.self) else {
            if kind == .bytes || keepsBytes { return .bytes(cell.bytes) }
            throw RecordError(.utf8, "the cell of \(path) is not UTF-8")
        }
        switch kind {
        case nil, .string: return .string(text)
        case .int: if let number = Int64(text) { return .int(number) }
        case .double: if let number = Self.double(text) { return .double(number) }
        case .bool: if ["true", "false"].contains(text) { return .bool(text == "true") }
        case .date: if let date = DocumentDate(iso8601: text) { return .date(date) }
        case .bytes: return .bytes(cell.bytes)
        case .json:
            do {
                return try JSONParser(notation: .dump).parse(text)
            } catch {
                throw RecordError(.type, "the cell of \(path) is not valid JSON: \(error.message)")
            }
        }
        throw RecordError(.type, "the cell of \(path) is not of type \(kind?.rawValue ?? "text")")
    }

    private static func double(_ text: String) -> Double? {
        // `Double.init` also accepts names such as `infinity` and hexadecimal forms.
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else {
            return ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][text]
        }
        return Double(text)
    }

    // MARK: - Writing

    /// The cell of a value; null if there is none.
    func field(of value: DocumentValue?) -> DelimitedField {
        guard let value else { return .null }
        if kind == .json { return .text(value.json(JSONWriter(notation: .dump))) }
        return switch value {
        case .null: .null
        case .string(let text): .text(text)
        case .date(let date): .text(date.iso8601)
        case .bytes(let bytes): .bytes(bytes)
        case .double(let number) where !number.isFinite:
            .literal(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
        case .bool, .int, .double: .literal(value.json)
        case .array, .object, .attachment: .text(value.json(JSONWriter(notation: .tagged)))
        }
    }

    /// The type of a column that contains only this value.
    static func kind(of value: DocumentValue) -> Kind {
        switch value {
        case .string: .string
        case .int: .int
        case .double: .double
        case .bool: .bool
        case .date: .date
        case .bytes: .bytes
        case .null, .array, .object, .attachment: .json
        }
    }
}
