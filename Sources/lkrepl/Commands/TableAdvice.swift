import DocIndex

/// Advice on importing CSV or TSV, in which every cell is a text.
struct TableAdvice {
    private let table: DelimitedSource
    private let collection: DocumentCollection

    /// The maximum number of columns that are compared with the stored documents.
    private static let columnLimit = 32

    init(_ table: DelimitedSource, _ collection: DocumentCollection) {
        self.table = table
        self.collection = collection
    }

    /// Warnings about columns whose texts go into a field that holds values of a different kind.
    func warnings() throws -> [String] {
        try table.readColumns().prefix(Self.columnLimit).compactMap { column in
            guard column.path.description != collection.definition.idField else { return nil }
            // Values of any kind differ from this text, so the query is well formed for each kind.
            let query = Query(.compare(column.path, .less, .string("\u{1}")))
            let held = try collection.diagnostics(of: query).compactMap { diagnostic in
                if case .otherKinds = diagnostic.problem { diagnostic.held } else { nil }
            }.first
            return held.map {
                "\($0), and the column of \(table.name) holds strings; with --types a column named \(column.path).int, "
                    + ".double, .bool, .date or, for lists, .json holds such values"
            }
        }
    }
}
