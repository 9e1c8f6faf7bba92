import DocIndex

extension DocumentLoadTarget {
    /// Stores a document with its revisions.
    func store(
        _ document: ReplicatedDocument, in name: String, _ transaction: Transaction, _ summary: inout LoadSummary
    ) throws {
        for content in document.contents { try requireContents(of: content) }
        let isTaken: Bool
        if let content = document.content {
            let count = summary.inserted + summary.replaced
            let skipped = summary.skipped
            try store(content, document.id, in: name, transaction, &summary)
            if summary.skipped > skipped { return }
            isTaken = summary.inserted + summary.replaced > count
        } else if document.isRecord {
            if try transaction.delete(document.id, in: name) { summary.deleted += 1 }
            isTaken = true
        } else {
            // A full dump deletes nothing.
            guard try !transaction.contains(document.id, in: name) else { return }
            isTaken = true
            summary.tombstones += 1
        }
        if try !isTaken || !transaction.restore(document.revisions, of: document.id, in: name) {
            summary.withoutRevisions += 1
        }
    }

    /// Notes the state before changes are loaded.
    func noteCommits(before header: DumpHeader) throws {
        for name in header.revisions ?? [] {
            guard let collection = try? store.collection(name), try collection.isReplicated() else { continue }
            replicated.append((collection, try store.sequence()))
        }
    }

    /// Notes that others may have seen everything that the changes do not contain, since becoming seen is no change.
    func showCommits() throws {
        for (collection, commit) in replicated { _ = try collection.show(through: commit) }
        replicated = []
    }
}
