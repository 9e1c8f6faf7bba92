import DocIndex

/// A column of a CSV or TSV file: where its cells belong in a document, and what they are.
struct DelimitedColumn: Hashable {
    /// What the cells of a column are.
    enum Kind: String, CaseIterable {
        case string, int, double, bool, date, bytes
        /// JSON text, for whatever else there is.
        case json
    }

    var path: FieldPath
    /// `nil` for a column that does not say: its cells are texts.
    var kind: Kind?

    /// The column that a cell of the first row names.
    ///
    /// - Parameters:
    ///   - hasKinds: whether the name ends in a point and a kind, as in `iso.int`.
    ///   - isNested: whether other points lead into objects.
    init(header: String, hasKinds: Bool, isNested: Bool = true) throws {
        guard !header.isEmpty else { throw RecordFault(.format, "a column has no name").final }
        var name = header
        if hasKinds, let point = header.lastIndex(of: "."),
            let kind = Kind(rawValue: String(header[header.index(after: point)...]))
        {
            self.kind = kind
            name = String(header[..<point])
        } else if hasKinds {
            throw RecordFault(
                .format, "the column \(header) does not say what its cells are",
                hint: "write \(header).string, or one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))",
                isRecoverable: false)
        }
        // What is no path is a name as it stands: headers of other programs have any character.
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

    /// The value of a cell; `nil` for null, which is a member that is not there.
    ///
    /// - Parameters:
    ///   - hasBase64: whether bytes are written as `b64:` and base64, as in CSV; in TSV they have escapes.
    ///   - keepsBytes: whether a cell that is not UTF-8 becomes bytes.
    func value(of cell: DelimitedReader.Cell, hasBase64: Bool = true, keepsBytes: Bool = false) throws -> DocumentValue?
    {
        if cell.isNull { return nil }
        if hasBase64, kind == .bytes || kind == nil && !cell.isQuoted, cell.bytes.starts(with: Array("b64:".utf8)) {
            if let bytes = try? Base64.decode(cell.bytes.span.extracting(4..<cell.bytes.count)) { return .bytes(bytes) }
            if kind == .bytes { throw RecordFault(.base64, "the cell of \(path) is no base64") }
        }
        guard let text = String(validating: cell.bytes, as: UTF8.self) else {
            if kind == .bytes || keepsBytes { return .bytes(cell.bytes) }
            throw RecordFault(.utf8, "the cell of \(path) is not UTF-8")
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
                throw RecordFault(.type, "the cell of \(path) is no JSON: \(error.message)")
            }
        }
        throw RecordFault(.type, "the cell of \(path) is no \(kind?.rawValue ?? "text")")
    }

    private static func double(_ text: String) -> Double? {
        // What `Double.init` reads beyond that are names such as `infinity` and hexadecimal forms.
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else {
            return ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][text]
        }
        return Double(text)
    }

    // MARK: - Writing

    /// The cell of a value; null where there is none.
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
        case .array, .object: .text(value.json(JSONWriter(notation: .tagged)))
        }
    }

    /// The kind of a value that a column of its own would have.
    static func kind(of value: DocumentValue) -> Kind {
        switch value {
        case .string: .string
        case .int: .int
        case .double: .double
        case .bool: .bool
        case .date: .date
        case .bytes: .bytes
        case .null, .array, .object: .json
        }
    }
}
