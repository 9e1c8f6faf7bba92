import DocIndex

/// How a table shows a result.
struct TableStyle: Hashable, Sendable {
    /// The kind of the rows.
    enum Content: Hashable, Sendable {
        /// Rows with the same few columns; all columns are shown.
        case rows
        /// Documents with many fields. The table shows as many fields as fit legibly. The first row names fields, the
        /// second one the kinds of their values.
        case documents(idField: String)
    }

    var content = Content.rows
    /// The columns that are always shown, such as a score.
    var pinned: [String] = []
    /// The fields that are shown first if not all of them fit: the indexed ones.
    var preferred: [String] = []
    /// The fields that say most about a document: the first ones of the text indexes, such as a title.
    var telling: [String] = []
    /// Whether all columns are shown in full, even beyond the width of the terminal.
    var isWide = false

    /// The field with the IDs of documents; `nil` for other rows.
    var idField: String? {
        if case .documents(let name) = content { name } else { nil }
    }

    /// The style for the documents of a collection.
    ///
    /// - Parameter pinned: The columns beside the fields of the documents.
    static func documents(of collection: CollectionDefinition, pinned: [String] = []) -> TableStyle {
        var (preferred, telling): ([String], [String]) = ([], [])
        for index in collection.indexes {
            let names = index.fields.compactMap { path in
                if case .name(let name)? = path.steps.first { name } else { nil }
            }
            preferred += names
            if index.kind == .text { telling += names.prefix(2) }
        }
        return TableStyle(
            content: .documents(idField: collection.idField), pinned: pinned, preferred: preferred, telling: telling)
    }
}
