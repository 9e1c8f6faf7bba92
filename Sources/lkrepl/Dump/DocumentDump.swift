import DocIndex

/// Writes the documents of a store, or their changes since a commit.
struct DocumentDump {
    let store: DocumentStore
    /// The names of the collections to dump, separated by commas; `nil` for all.
    let only: String?
    let stamp: DocumentObject

    /// Writes a dump. Returns the number of records.
    func write(
        _ writer: consuming DumpWriter, since: UInt64?, output: StandardOutput, _ progress: ProgressReporter
    ) throws -> Int {
        var writer = writer
        do {
            if let since {
                try writeChanges(&writer, since: since, progress)
            } else {
                try writeAll(&writer, progress)
            }
        } catch let failure as CommandError where Interruption.isRequested {
            // Tell the reader of a pipe that the dump is incomplete.
            try? writer.finish(isComplete: false)
            throw failure
        }
        try writer.finish()
        return writer.recordCount
    }

    /// Writes the documents of one snapshot, ordered by collection name and document ID.
    private func writeAll(_ writer: inout DumpWriter, _ progress: ProgressReporter) throws {
        let view = try store.snapshot()
        let schema = try wantedSchema()
        var header = DumpHeader.documents
        header.stamp = stamp
        try writer.write(.header(header))
        try writer.write(.schema(schema))
        let collections = view.collections.filter { collection in
            schema.collections.contains { $0.name.hasSameBytes(as: collection.name) }
        }
        let total = try collections.reduce(0) { try $0 + $1.count() }
        for collection in collections.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            try collection.forEach { document in
                try writer.write(
                    .document(collection: collection.name, id: document.id, content: document.content))
                try step(writer.recordCount, total, progress)
            }
        }
    }

    /// Writes each changed document, or its deletion, in commit order.
    private func writeChanges(_ writer: inout DumpWriter, since: UInt64, _ progress: ProgressReporter) throws {
        let schema = try wantedSchema()
        let changes = try store.changes(since: since)
        var header = DumpHeader.documents
        header.stamp = stamp
        header.changes = DumpHeader.Changes(
            epoch: store.epoch.description, since: since, through: changes.last?.sequence ?? since)
        try writer.write(.header(header))
        try writer.write(.schema(schema))
        for change in changes {
            guard schema.collections.contains(where: { $0.name.hasSameBytes(as: change.collection) }) else {
                continue
            }
            // A document that is missing now was deleted after the last listed change.
            if let document = try store.collection(change.collection).document(change.id) {
                try writer.write(
                    .document(collection: change.collection, id: change.id, content: document.content))
            } else {
                try writer.write(.documentDeletion(collection: change.collection, id: change.id))
            }
            try step(writer.recordCount, changes.count, progress)
        }
    }

    /// The schema, limited to the selected collections.
    private func wantedSchema() throws -> Schema {
        var schema = store.schema
        guard let only else { return schema }
        let names = only.split(separator: ",").map(String.init)
        for name in names { _ = try store.collection(name) }
        schema.collections = schema.collections.filter { collection in
            names.contains { $0.hasSameBytes(as: collection.name) }
        }
        return schema
    }

    private func step(_ count: Int, _ total: Int, _ progress: ProgressReporter) throws {
        try Interruption.check("\(count) records")
        progress.advance(done: count, total: total)
    }
}
