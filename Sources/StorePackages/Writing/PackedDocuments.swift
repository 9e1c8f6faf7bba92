internal import DocIndex

/// The documents of a package, in the same order each time they are visited.
struct PackedDocuments {
    let collection: DocumentCollection
    let query: Query
    let queryOptions: Query.Options
    /// The removal of places; `nil` to keep them.
    let removal: PlaceRemoval?
    /// The IDs of the documents that changed; `nil` for all.
    let changed: Set<DocumentID>?
    let deletions: [DocumentID]
    let changes: PackageManifest.Changes?
    let schema: Schema
    /// The order of the documents, for the header of the dump.
    let order: String

    /// Calls `body` with each document, and `note` with the names of members that were removed.
    func forEach(
        noting note: (String) -> Void = { _ in }, _ body: (DocumentID, DocumentObject) throws -> Void
    ) throws {
        _ = try collection.forEach(matching: query, options: queryOptions) { document in
            if changed?.contains(document.id) == false { return true }
            try body(document.id, removal?.document(document.content, noting: note) ?? document.content)
            return true
        }
    }

    /// Calls `body` with the lines of the dump.
    func forEachLine(_ references: DocumentLines.References?, _ body: ([UInt8]) throws -> Void) throws {
        var lines = DocumentLines(references: references)
        try body(lines.beginning(schema, order: order, changes: changes))
        try forEach { id, content in
            let line = lines.document(id, content, in: collection.name)
            guard line.count <= DocumentLines.maximumByteCount else {
                throw PackageError(
                    .packageTooLarge,
                    "the document \(id) takes \(line.count) bytes, and \(DocumentLines.maximumByteCount) is the maximum "
                        + "in a package; leave it out with a condition, or use dump")
            }
            guard !DocumentLines.hasTooManyValues(line) else {
                throw PackageError(
                    .packageTooLarge,
                    "the document \(id) has more than \(DocumentLines.maximumValueCount) values, the maximum in a "
                        + "package; leave it out with a condition, or use dump")
            }
            try body(line)
        }
        for id in deletions { try body(lines.deletion(of: id, in: collection.name)) }
        try body(lines.end())
    }
}
