/// Selected paths of documents, taken from columns.
struct ColumnProjection {
    private let fields: [(name: String, column: ValueColumn)]
    private let names: FieldNames

    /// Creates a projection; `nil` if a path contains `[]`, because a column has the distinct elements only.
    init?(_ paths: [FieldPath], _ columns: ColumnSet, _ names: FieldNames) {
        if paths.contains(where: \.hasArrayStep) { return nil }
        var fields: [(name: String, column: ValueColumn)] = []
        for path in paths {
            let name = path.description
            if fields.contains(where: { $0.name.hasSameBytes(as: name) }) { continue }
            fields.append((name, columns[path]))
        }
        self.fields = fields
        self.names = names
    }

    /// Returns the fields of the document in a row; `nil` if there is no document, or a value is damaged.
    func object(_ row: UInt64) -> DocumentObject? {
        guard let row = Int(exactly: row) else { return nil }
        var members: [DocumentObject.Member] = []
        members.reserveCapacity(fields.count)
        for (name, column) in fields {
            guard row < column.cells.count, column.cells[row] >= ValueColumn.Cell.noValue else { return nil }
            do {
                guard let value = try column.value(row, names) else { continue }
                members.append(DocumentObject.Member(name: name, value: value))
            } catch {
                return nil
            }
        }
        return DocumentObject(distinctMembers: members)
    }
}
