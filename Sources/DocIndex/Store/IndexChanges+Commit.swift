internal import LevelKit

/// Index updates and checks of a commit.
extension IndexChanges {
    /// Updates the indexes of a collection from the old version of a document to the new one.
    ///
    /// - Parameter affected: the numbers of the indexes to update; `nil` for all.
    /// - Throws: ``DocIndexError`` with `tooManyEntries`, or `invalidDocument` for a field that is not a vector. Both name
    ///   the document and the index.
    mutating func update(
        _ indexes: [any DocumentIndex], affected: [UInt32]? = nil, of id: DocumentID, old: DocumentObject?,
        new: DocumentObject?, row: UInt64,
        collection: String
    ) throws {
        for index in indexes where affected?.contains(index.number) ?? true {
            do {
                try index.update(old: old, new: new, row: row, in: &self)
            } catch is IndexTuples.LimitError {
                throw Self.tooManyEntries(id, index: index.definition.name, collection: collection)
            } catch let failure as VectorField.Failure {
                throw Self.notAVector(failure, id, index: index.definition, collection: collection)
            }
            // Only for messages about conflicts, which an unchanged value cannot cause.
            if let new, index.isUnique, old.map({ !index.isUnchanged(from: $0, to: new) }) ?? true {
                documents[index.number, default: [:]][row] = Document(id: id, content: new)
            }
        }
    }

    /// Returns the error for a document whose arrays give more combinations than an index allows.
    static func tooManyEntries(_ id: DocumentID, index: String, collection: String) -> DocIndexError {
        DocIndexError(
            .tooManyEntries,
            "the document \(id) of \(collection) would have more than \(IndexTuples.limit) entries in the index "
                + "\(index), which combines several arrays; declare a separate index for each array")
    }

    /// Returns the error for a document whose field is not a vector as the index requires.
    static func notAVector(
        _ failure: VectorField.Failure, _ id: DocumentID, index: IndexDefinition, collection: String
    ) -> DocIndexError {
        DocIndexError(
            .invalidDocument,
            "the field \(index.fields.first.map { "\($0)" } ?? "") of the document \(id) of \(collection) "
                + "\(failure.reason); the vector index \(index.name) needs \(failure.expected), as an array or as "
                + "base64 of 32-bit floats: correct the field, or leave it out")
    }

    /// Returns the message about two documents with the same values in a unique index.
    static func duplicate(_ id: DocumentID, _ other: DocumentID, index: String, collection: String) -> String {
        "the documents \(id) and \(other) of \(collection) would have the same values in the unique index \(index); "
            + "change one of them"
    }

    /// Checks uniqueness and adds counters to the batch. Must be called when every document has been updated, before
    /// the batch is written.
    ///
    /// - Throws: ``DocIndexError`` with `duplicateValue` if two documents would have the same values in a unique index
    ///   after the batch, or with `corruption`.
    ///
    /// - Parameter isUniqueEnforced: `false` while an index is built over existing documents.
    func finish(_ catalog: LoadedCatalog, reading database: Database, isUniqueEnforced: Bool = true) throws {
        for collection in catalog.collections {
            for entry in collection.indexes {
                guard let changes = values[entry.number], let index = LoadedIndex(entry).valueIndex else { continue }
                if entry.definition.isUnique, isUniqueEnforced {
                    try check(index, changes, of: collection, in: database)
                }
                if entry.definition.countsValues {
                    try IndexCounters(index: index).add(changes.counts, to: batch, reading: database)
                }
            }
        }
    }

    private func check(
        _ index: ValueIndex, _ changes: ValueChanges, of collection: LoadedCollection, in database: Database
    ) throws {
        let values = UniqueValues(index: index)
        guard let conflict = try values.conflict(of: changes, in: database) else { return }
        guard let added = documents[index.number]?[conflict.added],
            let other = try documents[index.number]?[conflict.other]
                ?? RowReader.document(conflict.other, collection: collection, in: database)
        else {
            // The other conflicts of the batch cannot be judged until the index is repaired.
            throw DocIndexError(
                .corruption,
                "an entry of the unique index \(index.definition.name) of \(collection.name) refers to row "
                    + "\(conflict.other), which contains no document; run verify and rebuild")
        }
        let violation = DocIndexError.UniqueViolation(
            collection: collection.name, index: index.definition.name,
            values: values.commonValues(of: added.content, and: other.content), ids: [added.id, other.id])
        throw DocIndexError(
            .duplicateValue,
            Self.duplicate(added.id, other.id, index: index.definition.name, collection: collection.name),
            uniqueViolation: violation)
    }
}

extension DocIndexError {
    /// Whether an index cannot contain a document. Such a document does not prevent building the other indexes.
    var isOfIndexEntries: Bool { code == .tooManyEntries || code == .invalidDocument }
}
