/// Results as rows of a table: some values of each document, without decoding the others.
extension DocumentCollection {
    /// A result reduced to the values at some paths.
    package struct Row: Sendable {
        /// The ID of the document.
        package let id: DocumentID
        /// The commit that wrote the document.
        package let sequence: UInt64
        /// The size of the stored document in bytes.
        package let byteCount: Int
        /// The values in the order of the paths; `nil` where the document has none. With `[]` in the path, the array of
        /// the elements that it reaches.
        package let values: [DocumentValue?]
    }

    /// A page of rows.
    package struct RowPage: Sendable {
        /// The rows.
        package let rows: [Row]
        /// The position of the next page; `nil` if there are no more results.
        package let next: Page.Token?
        /// How the results were found.
        package let execution: Plan.Execution
    }

    /// Returns a page of the result, reduced to some paths; see ``page(_:after:options:)``.
    package func rowPage(
        _ paths: [FieldPath], _ query: Query, after token: Page.Token? = nil, options: Query.Options = Query.Options()
    ) throws -> RowPage {
        var projection: RowProjection?
        var results: [Row] = []
        let (next, execution) = try runPage(query, after: token, options) { rows, row, record in
            let known = projection ?? RowProjection(paths, rows.collection)
            projection = known
            results.append(try rows.reading(row) { try known.row(record, row) })
        }
        return RowPage(rows: results, next: next, execution: execution)
    }

    /// Returns the rows of a result in its order, so that its documents can be read later, a few at a time, without sorting
    /// again.
    ///
    /// - Complexity: That of the query, and eight bytes of memory for each row.
    package func orderedRows(_ query: Query, options: Query.Options = Query.Options()) throws -> [UInt64] {
        try query.validate()
        let (rows, plan) = try prepare(query, options)
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        var found: [UInt64] = []
        try executor.run { row, _ in
            found.append(row)
            return true
        }
        return found
    }

    /// Returns the documents in rows. The rows must be of the same snapshot.
    package func documents(inRows rows: some Sequence<UInt64>) throws -> [Document] {
        let reader = try reader()
        return try rows.map { try reader.document($0) }
    }

    /// Returns some documents of a result, to learn which fields they have. Large documents are left out.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of documents that are read.
    ///   - byteLimit: the size of all returned documents in bytes. A document above a quarter of it is left out.
    package func sample(_ query: Query = Query(), limit: Int, byteLimit: Int = 1 << 20) throws -> [Document] {
        var query = query
        query.limit = limit
        var documents: [Document] = []
        var byteCount = 0
        _ = try runPage(query, after: nil, Query.Options()) { rows, row, record in
            let count = record.bytes.count
            guard count <= byteLimit / 4, byteCount + count <= byteLimit else { return }
            byteCount += count
            documents.append(try rows.document(in: record, row: row))
        }
        return documents
    }
}

/// The paths of a table's columns, resolved for one collection.
private struct RowProjection {
    private let names: FieldNames
    private let paths: [ResolvedPath]
    private let idPath: ResolvedPath
    private let collection: LoadedCollection

    init(_ paths: [FieldPath], _ collection: LoadedCollection) {
        let names = collection.names.current
        self.names = names
        self.paths = paths.map { ResolvedPath($0, names: names) }
        idPath = ResolvedPath(FieldPath(names: collection.idField), names: names)
        self.collection = collection
    }

    func row(_ record: borrowing RowRecord, _ row: UInt64) throws -> DocumentCollection.Row {
        let body = record.body
        let reader = try BodyReader(body, names: names)
        guard let value = try reader.value(at: idPath), let id = DocumentID(value) else {
            throw DocIndexError(
                .corruption,
                "row \(row) of the collection \(collection.name) contains no document with an id; restore a backup")
        }
        var values: [DocumentValue?] = []
        for path in paths {
            if path.path.hasArrayStep {
                var elements: [DocumentValue] = []
                try reader.forEachElement(at: path) { elements.append($0) }
                values.append(elements.isEmpty ? nil : .array(elements))
            } else {
                values.append(try reader.value(at: path))
            }
        }
        return DocumentCollection.Row(id: id, sequence: record.sequence, byteCount: body.count, values: values)
    }
}
