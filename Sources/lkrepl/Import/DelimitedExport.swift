import DocIndex

/// Collects the columns of documents, and writes documents as rows.
///
/// Requires two passes over the documents: rows need the names of all columns first, and the documents may not fit in
/// memory.
struct DelimitedExport {
    enum Dialect {
        case csv(CSVWriter)
        case tsv(TSVWriter)
    }

    private(set) var columns: [DelimitedColumn] = []
    private var positions: [FieldPath: Int] = [:]
    private let hasKinds: Bool
    /// Whether the columns were given by the caller.
    private let isFixed: Bool

    /// - Parameters:
    ///   - paths: The columns to write; `nil` for all.
    ///   - hasKinds: Whether column names include types.
    init(paths: [FieldPath]?, hasKinds: Bool) {
        self.hasKinds = hasKinds
        isFixed = paths != nil
        for path in paths ?? [] where positions[path] == nil {
            positions[path] = columns.count
            columns.append(DelimitedColumn(path: path, kind: nil))
        }
    }

    /// Adds the columns of a document; called for each document in the first pass.
    mutating func learn(_ document: DocumentObject) {
        if isFixed {
            for column in columns.indices {
                if let value = columns[column].path.value(in: document) { merge(value, into: column) }
            }
        } else {
            Self.forEachCell(of: document) { path, value in
                let column = positions[path] ?? columns.count
                if column == columns.count {
                    positions[path] = column
                    columns.append(DelimitedColumn(path: path, kind: nil))
                }
                merge(value, into: column)
            }
        }
    }

    private mutating func merge(_ value: DocumentValue, into column: Int) {
        guard hasKinds else { return }
        let kind = DelimitedColumn.kind(of: value)
        if columns[column].kind == nil { columns[column].kind = kind }
        // Mixed types in one column, or a null that must be preserved.
        if columns[column].kind != kind { columns[column].kind = .json }
    }

    /// Appends the header row.
    func appendHeader(_ dialect: Dialect, to output: inout [UInt8]) {
        append(
            columns.map { column in
                var column = column
                if hasKinds, column.kind == nil { column.kind = .string }
                return .text(column.header)
            }, dialect, to: &output)
    }

    /// Appends a document as a row.
    func append(_ document: DocumentObject, _ dialect: Dialect, to output: inout [UInt8]) {
        if isFixed {
            append(columns.map { $0.field(of: $0.path.value(in: document)) }, dialect, to: &output)
            return
        }
        var fields = [DelimitedField](repeating: .null, count: columns.count)
        Self.forEachCell(of: document) { path, value in
            if let column = positions[path] { fields[column] = columns[column].field(of: value) }
        }
        append(fields, dialect, to: &output)
    }

    private func append(_ fields: [DelimitedField], _ dialect: Dialect, to output: inout [UInt8]) {
        switch dialect {
        case .csv(let writer): writer.append(fields, to: &output)
        case .tsv(let writer): writer.append(fields, to: &output)
        }
    }

    /// Calls `body` with the path and value of each member that is not a nonempty object.
    private static func forEachCell(of document: DocumentObject, _ body: (FieldPath, DocumentValue) -> Void) {
        func visit(_ object: DocumentObject, _ prefix: [String]) {
            for member in object {
                let names = prefix + [member.name]
                if case .object(let inner) = member.value, !inner.isEmpty,
                    names.count < FieldPath.maximumStepCount - 1
                {
                    visit(inner, names)
                } else if let path = FieldPath(nameList: names) {
                    body(path, member.value)
                }
            }
        }
        visit(document, [])
    }
}

extension FieldPath {
    /// The path of a list of names; `nil` if there are none or too many.
    init?(nameList names: [String]) {
        // Parsing the notation is the only public way to create a path of any length.
        let text = names.map { FieldPath(names: $0).description }.joined(separator: ".")
        guard let path = try? FieldPath(parsing: text) else { return nil }
        self = path
    }
}
