internal import LevelKit

/// The records of revisions that a commit changes.
struct PendingRevisions {
    let database: Database
    let state: WriterState

    /// Returns what a commit changes about the revisions of a document; `nil` for nothing.
    func change(_ edit: Transaction.Edit, of collection: LoadedCollection, sequence: UInt64) throws -> RevisionChange? {
        if let change = edit.revisions { return change }
        let state = try RevisionState.read(
            edit.target.id, document: edit.base.document, of: collection,
            shown: state.shown(collection.number, in: database), in: database)
        if let restored = edit.restored { return state.restoration(of: restored, sequence: sequence) }
        return state.edit(to: edit.content, sequence: sequence)
    }

    /// Adds a change to the batch of the commit.
    func write(
        _ change: RevisionChange, of id: DocumentID, in collection: LoadedCollection, sequence: UInt64,
        names: inout FieldNames, to batch: WriteBatch
    ) throws {
        let key = StoreKey.revisions(collection.number, id)
        if let tree = change.tree {
            try batch.put(tree.encoded, forKey: key)
        } else {
            try batch.delete(key)
        }
        for revision in change.removed {
            try batch.delete(StoreKey.revisionBody(collection.number, id, revision))
        }
        for (revision, content) in change.added {
            var record: [UInt8] = []
            Varint.append(sequence, to: &record)
            do {
                _ = try BodyEncoder.append(.object(content), names: &names, to: &record)
            } catch {
                throw DocIndexError(.invalidDocument, "the version \(revision) of \(id) cannot be stored: \(error)")
            }
            try batch.put(record, forKey: StoreKey.revisionBody(collection.number, id, revision))
        }
    }
}

extension RevisionState {
    /// Reads the state of a document.
    ///
    /// - Parameter document: the document; `nil` if there is none.
    /// - Throws: ``DocIndexError`` with `corruption` for a damaged record.
    static func read(
        _ id: DocumentID, document: Document?, of collection: LoadedCollection, shown: UInt64,
        in reader: some KeyValueReader
    ) throws -> RevisionState {
        let tree = try RevisionTree.read(id, of: collection, in: reader)
        var kept: Set<Revision> = []
        if tree != nil {
            let offset = StoreKey.revisionBodies(collection.number, id).count
            var cursor = try reader.cursor(in: StoreKey.versions(collection.number, id))
            while try cursor.advance() {
                guard let revision = StoreKey.revision(in: cursor.key, behind: offset) else {
                    throw RevisionTree.damaged(id, collection)
                }
                kept.insert(revision)
            }
        }
        return RevisionState(
            stored: tree, document: document, kept: kept, shown: shown, idField: collection.idField)
    }

    /// Returns the content of a revision that is stored apart from the document; `nil` if it is not stored.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` for a damaged record.
    static func content(
        _ revision: Revision, of id: DocumentID, in collection: LoadedCollection, reading reader: some KeyValueReader
    ) throws -> DocumentObject? {
        let key = StoreKey.revisionBody(collection.number, id, revision)
        guard let record = try reader.value(forKey: key) else { return nil }
        return try RowReader.document(record: record.span, row: 0, collection: collection).content
    }
}

extension RevisionTree {
    /// Returns the stored tree of a document; `nil` if there is none.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` for a damaged record.
    static func read(
        _ id: DocumentID, of collection: LoadedCollection, in reader: some KeyValueReader
    ) throws -> RevisionTree? {
        guard let bytes = try reader.value(forKey: StoreKey.revisions(collection.number, id)) else { return nil }
        guard let tree = RevisionTree(bytes.span) else { throw damaged(id, collection) }
        return tree
    }

    /// Returns whether a document has a conflict, as far as its revisions can be read.
    static func hasConflict(
        _ id: DocumentID, of collection: LoadedCollection, in reader: some KeyValueReader
    ) -> Bool {
        guard collection.isReplicated else { return false }
        return (try? read(id, of: collection, in: reader))?.hasConflict ?? false
    }

    static func damaged(_ id: DocumentID, _ collection: LoadedCollection) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the revisions of the document \(id) of the collection \(collection.name) cannot be read; run verify and "
                + "rebuild the store")
    }
}
