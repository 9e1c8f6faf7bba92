import DocIndex

/// Writes the documents of a store, or their changes since a commit.
struct DocumentDump {
    let store: DocumentStore
    /// The names of the collections to dump, separated by commas; `nil` for all.
    let only: String?
    let stamp: DocumentObject
    /// The directory for the contents of attachments; `nil` if they are in the dump or left out.
    var files: ContentFiles?
    /// Whether attachments are left out.
    var omitsContents = false
    /// Takes the attachments that cannot be read; `nil` if they are errors.
    var omitted: OmittedContents?

    /// Where the attachments are.
    private var contents: DumpHeader.Contents { files != nil ? .files : omitsContents ? .none : .parts }

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
        } catch  where Interruption.isRequested {
            let count = writer.recordCount
            OpenOutputs.current?.doneWork = { HumanNumber.counted(count, "record") }
            // Tell the reader of a pipe that the dump is incomplete.
            try? writer.finish(isComplete: false)
            throw error
        }
        try writer.finish()
        return writer.recordCount
    }

    /// Writes the documents of one snapshot, ordered by collection name and document ID.
    private func writeAll(_ writer: inout DumpWriter, _ progress: ProgressReporter) throws {
        let view = try store.snapshot()
        let schema = try wantedSchema()
        let collections = view.collections.filter { collection in
            schema.collections.contains { $0.name.hasSameBytes(as: collection.name) }
        }
        var references = References(view.attachments)
        let census = try view.attachments.census()
        let revisions = try collections.filter { try $0.isReplicated() }.map(\.name)
        // The versions of replicated documents may have attachments, which do not count as references.
        if try census.count > 0 && !revisions.isEmpty
            || census.count > census.unreferencedCount
                && (only == nil || collections.contains(where: { try Self.hasAttachment($0) }))
        {
            writer.attachments = DumpRecord.Attachments(contents: contents)
        }
        var header = DumpHeader.documents
        header.contents = writer.attachments?.contents
        header.revisions = revisions.isEmpty ? nil : revisions.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        header.stamp = stamp
        try writer.write(.header(header))
        try writer.write(.schema(schema))
        let total = try collections.reduce(0) { try $0 + $1.count() }
        for collection in collections.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            try collection.forEach { document in
                try write(document, of: collection, &references, to: &writer)
                try step(writer.recordCount, total, progress)
            }
            try collection.forEachTombstone { id, revisions in
                try Interruption.check(HumanNumber.counted(writer.recordCount, "record"))
                try write(
                    ReplicatedDocument(
                        collection: collection.name, id: id, content: nil, isRecord: false, revisions: revisions),
                    &references, to: &writer)
            }
        }
    }

    /// Writes a document, with its revisions if others may have seen them.
    private func write(
        _ document: Document, of collection: DocumentCollection, _ references: inout References,
        to writer: inout DumpWriter
    ) throws {
        if let revisions = try collection.revisions(of: document) {
            return try write(
                ReplicatedDocument(
                    collection: collection.name, id: document.id, content: document.content, isRecord: true,
                    revisions: revisions),
                &references, to: &writer)
        }
        try writeContents(of: document.content, &references, to: &writer)
        try writer.write(.document(collection: collection.name, id: document.id, content: document.content))
    }

    private func write(
        _ document: ReplicatedDocument, _ references: inout References, to writer: inout DumpWriter
    ) throws {
        for content in document.contents { try writeContents(of: content, &references, to: &writer) }
        try writer.write(.replicated(document))
    }

    /// Writes each changed document, or its deletion, in commit order.
    private func writeChanges(_ writer: inout DumpWriter, since: UInt64, _ progress: ProgressReporter) throws {
        let schema = try wantedSchema()
        let changes = try store.changes(since: since)
        let attachments = store.attachments
        var references = References(attachments)
        let census = try attachments.census()
        let revisions = try schema.collections.map(\.name).filter { try store.collection($0).isReplicated() }
        if try census.count > 0 && !revisions.isEmpty
            || census.count > census.unreferencedCount
                && changes.contains(where: { try hasAttachment($0, schema) })
        {
            writer.attachments = DumpRecord.Attachments(contents: contents)
        }
        var header = DumpHeader.documents
        header.contents = writer.attachments?.contents
        header.revisions = revisions.isEmpty ? nil : revisions.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        header.stamp = stamp
        header.changes = DumpHeader.Changes(
            epoch: store.epoch.description, since: since, through: changes.last?.sequence ?? since)
        try writer.write(.header(header))
        try writer.write(.schema(schema))
        for change in changes {
            guard Self.isWanted(change, schema) else { continue }
            // A document that is missing now was deleted after the last listed change.
            let collection = try store.collection(change.collection)
            if let document = try collection.document(change.id) {
                try write(document, of: collection, &references, to: &writer)
            } else if let revisions = try collection.revisions(of: change.id) {
                try write(
                    ReplicatedDocument(
                        collection: change.collection, id: change.id, content: nil, isRecord: true,
                        revisions: revisions),
                    &references, to: &writer)
            } else {
                try writer.write(.documentDeletion(collection: change.collection, id: change.id))
            }
            try step(writer.recordCount, changes.count, progress)
        }
    }

    private static func isWanted(_ change: StoreChange, _ schema: Schema) -> Bool {
        schema.collections.contains { $0.name.hasSameBytes(as: change.collection) }
    }

    // MARK: - Attachments

    /// The attachments that have been written.
    private struct References {
        let attachments: DocumentStore.Attachments
        var digests: Set<Attachment.Digest> = []

        init(_ attachments: DocumentStore.Attachments) { self.attachments = attachments }
    }

    private static let advice = OmittedContents.advice + ", or --attachments none to omit all files"

    /// Writes the attachments that a document is the first to refer to.
    private func writeContents(
        of document: DocumentObject, _ references: inout References, to writer: inout DumpWriter
    ) throws {
        guard writer.attachments != nil else { return }
        try document.forEachAttachment { attachment in
            guard references.digests.insert(attachment.digest).inserted else { return }
            writer.attachments?.count += 1
            writer.attachments?.byteCount += attachment.byteCount
            switch contents {
            case .parts:
                // Parts that were written cannot be taken back, so everything is checked before.
                let isWhole =
                    try omitted == nil
                    || OmittedContents.skipping(omitted, attachment) {
                        try references.attachments.read(attachment) { _ in try Interruption.check() }
                    }
                if isWhole {
                    _ = try OmittedContents.skipping(nil, attachment, advice: Self.advice) {
                        try writer.write(attachment, from: references.attachments)
                    }
                } else {
                    writer.attachments?.count -= 1
                    writer.attachments?.byteCount -= attachment.byteCount
                }
            case .files:
                _ = try OmittedContents.skipping(omitted, attachment, advice: Self.advice) {
                    try files?.write(attachment, from: references.attachments)
                }
            case .none: break
            }
        }
    }

    private static func hasAttachment(_ collection: DocumentCollection) throws -> Bool {
        var isFound = false
        _ = try collection.forEach(matching: Query()) { document in
            try Interruption.check()
            document.content.forEachAttachment { _ in isFound = true }
            return !isFound
        }
        return isFound
    }

    private func hasAttachment(_ change: StoreChange, _ schema: Schema) throws -> Bool {
        guard Self.isWanted(change, schema) else { return false }
        var isFound = false
        try store.collection(change.collection).document(change.id)?.content.forEachAttachment { _ in isFound = true }
        return isFound
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
        try Interruption.check(HumanNumber.counted(count, "record"))
        progress.advance(done: count, total: total)
    }
}
