internal import LevelKit

/// Checks the revisions of replicated collections: that trees agree with the documents, and that every version that is
/// not the document has its content.
struct RevisionVerifier<Reader: KeyValueReader> {
    let reader: Reader
    let collection: LoadedCollection
    private var cancellation = CancellationCheck()

    init(of collection: LoadedCollection, in reader: Reader) {
        self.reader = reader
        self.collection = collection
    }

    /// A problem with the revisions of a document.
    struct Problem {
        let text: String
        /// `nil` if the key cannot be read.
        let id: DocumentID?
        let key: [UInt8]
    }

    /// Calls `body` with each problem.
    ///
    /// - Complexity: O(*n*) in the records of revisions.
    mutating func run(_ body: (Problem) throws -> Void) throws {
        let last = (try? WriterState.storedSequence(in: reader)) ?? .max
        let shownKey = StoreKey.replication.prefix(collection.number)
        if let shown = try? WriterState.storedProgress(shownKey, in: reader), shown <= last {
        } else {
            try body(Problem(text: "the last commit that was sent cannot be right", id: nil, key: shownKey))
        }
        let prefix = StoreKey.revisions.prefix(collection.number)
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            let key = cursor.key
            let id = DocumentID(encoded: key.extracting(prefix.count..<key.count))
            let problem: String?
            if let id {
                problem =
                    try RevisionTree(cursor.value).map { try self.problem(of: $0, id, last: last) }
                    ?? "the revisions cannot be read"
            } else {
                problem = "the key of revisions cannot be read"
            }
            if let problem { try body(Problem(text: problem, id: id, key: key.copied())) }
        }
        try checkBodies(body)
    }

    private func problem(of tree: RevisionTree, _ id: DocumentID, last: UInt64) throws -> String? {
        let record = try? RowReader.record(of: id, collection: collection, in: reader)
        if tree.isDeleted != (record?.row == nil) {
            return tree.isDeleted ? "a document exists whose revisions are deleted" : "revisions have no document"
        }
        for (revision, leaf) in tree.leaves {
            if let commit = leaf.commit, commit > last { return "the revision \(revision) is from a later commit" }
            guard revision != tree.winner, !leaf.isDeleted else { continue }
            let content = try? RevisionState.content(revision, of: id, in: collection, reading: reader)
            if content == nil { return "the content of the version \(revision) is missing or unreadable" }
        }
        return nil
    }

    private mutating func checkBodies(_ body: (Problem) throws -> Void) throws {
        let prefix = StoreKey.revisionBodies.prefix(collection.number)
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            let key = cursor.key
            guard let (id, revision) = StoreKey.documentRevision(in: key, behind: prefix.count) else {
                try body(Problem(text: "the key of a version cannot be read", id: nil, key: key.copied()))
                continue
            }
            let tree = try? RevisionTree.read(id, of: collection, in: reader)
            if tree?.contains(revision) != true {
                try body(
                    Problem(text: "the version \(revision) belongs to no known revisions", id: id, key: key.copied())
                )
            }
        }
    }
}

extension Verifier {
    /// Checks the revisions of replicated collections.
    mutating func checkRevisions() throws {
        for collection in catalog.collections where collection.isReplicated {
            try report("the revisions of \(collection.name)")
            try references.addVersions(of: collection, in: snapshot)
            var verifier = RevisionVerifier(of: collection, in: snapshot)
            try verifier.run { problem in
                let document = problem.id.map { " of the document \($0)" } ?? ""
                result.report(
                    "\(collection.name): \(problem.text)\(document)", in: collection.name, id: problem.id,
                    key: problem.key)
            }
        }
    }
}

extension Rebuilder {
    /// Sets aside the revisions that contradict the documents. The documents then have only the revision that follows
    /// from their content, and a peer sends the others again.
    mutating func rebuildRevisions() throws {
        for collection in catalog.collections where collection.isReplicated {
            let shownKey = StoreKey.replication.prefix(collection.number)
            if let shown = try? WriterState.storedProgress(shownKey, in: database), shown <= sequence {
            } else {
                try correct(shownKey, to: WriterState.encoded(sequence: sequence))
            }
            var keys: Set<[UInt8]> = []
            // Twice: without its tree, a sound version belongs to no document.
            for _ in 0..<2 {
                var problems: [RevisionVerifier<Database>.Problem] = []
                var verifier = RevisionVerifier(of: collection, in: database)
                try verifier.run { problems.append($0) }
                for problem in problems where problem.key != shownKey && keys.insert(problem.key).inserted {
                    if let value = try database.value(forKey: problem.key) { try setAside(problem.key, value) }
                    report.repairCount += 1
                }
                try write(always: true)
                for id in Set(problems.compactMap(\.id)) { try correctChange(of: id, in: collection) }
            }
            try write(always: true)
        }
    }

    /// Makes the feed agree with whether a document has a conflict.
    private mutating func correctChange(of id: DocumentID, in collection: LoadedCollection) throws {
        guard let row = (try? RowReader.record(of: id, collection: collection, in: database))?.row,
            let document = try? RowReader.document(row, collection: collection, in: database)
        else { return }
        let change = StoreChange(
            sequence: document.sequence, collection: collection.name, id: id, isDeletion: false,
            hasConflict: RevisionTree.hasConflict(id, of: collection, in: database))
        try correct(StoreKey.change(document.sequence, collection: collection.number, row: row), to: change.encoded)
    }
}
