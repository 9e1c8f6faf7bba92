public import LevelKit

extension DocumentStore {
    /// The result of undoing a commit, or of its dry run.
    public struct Undo: Sendable, Hashable {
        /// The effect on one document.
        public struct Change: Sendable, Hashable {
            /// The kinds of effect.
            public enum Kind: String, Sendable, Hashable {
                /// The commit changed the document, which gets its former content.
                case revert
                /// The commit deleted the document, which is stored again.
                case restore
                /// The commit inserted the document, which is deleted.
                case delete
            }

            /// The kind of effect.
            public let kind: Kind
            /// The collection.
            public let collection: String
            /// The document.
            public let id: DocumentID
            /// The last commit that changed the document, if that is not a commit to undo; otherwise `nil`. Its change is
            /// lost, so it prevents the undo unless later changes are overwritten.
            public let laterCommit: UInt64?
        }

        /// The commits to undo.
        public let commits: ClosedRange<UInt64>
        /// The last commit to undo.
        public var commit: UInt64 { commits.upperBound }
        /// The effects, ordered by commit, collection and row.
        public internal(set) var changes: [Change] = []
        /// The number of changes of the commits that are no longer in the history and cannot be undone.
        public internal(set) var missingCount = 0
        /// The collections that the commits are known to have changed and that keep no history. Their documents stay as
        /// they are.
        public internal(set) var collectionsWithoutHistory: [String] = []
        /// The commit that the undo made; `nil` if it was not carried out or changed no document.
        public internal(set) var sequence: UInt64?
    }
}

extension DocumentStore {
    /// Undoes the changes that a commit made to collections with a history, in one new commit.
    ///
    /// Changed documents get their former content, deleted ones are stored again under their IDs, and inserted ones are
    /// deleted. The new commit is in the history as well, so an undo can be undone.
    ///
    /// ```swift
    /// try photos.delete("IMG_0231")
    /// try store.undo()
    /// ```
    ///
    /// - Parameters:
    ///   - commit: the commit; `nil` for the last one.
    ///   - overwriting: whether documents that have changed again since then lose their later changes, and whether
    ///     changes that are no longer in the history are left out. Otherwise both are errors.
    ///   - durability: the durability of the new commit.
    /// - Returns: what was done.
    /// - Throws: ``DocIndexError``: `conflict` if a document has changed again, with ``DocIndexError/conflict``;
    ///   `notInHistory` if changes of the commit are not in the history; `duplicateValue` if a former document has the
    ///   same value in a unique index as another one; `corruption`. Nothing has changed then.
    /// - Complexity: O(*n*) in the documents of the commit, which are held in memory.
    @discardableResult
    public func undo(
        _ commit: UInt64? = nil, overwriting: Bool = false, durability: Durability = .buffered
    ) throws -> Undo {
        try undo(of: commit.map { $0...$0 }, overwriting: overwriting, durability: durability)
    }

    /// Undoes the changes of consecutive commits, in one new commit: their documents get the content that they had
    /// before the first of these commits. A large import or update can consist of several commits.
    ///
    /// - Parameters:
    ///   - commits: the first and the last commit.
    ///   - overwriting: as for one commit.
    ///   - durability: the durability of the new commit.
    /// - Returns: what was done.
    /// - Throws: as for one commit; `changeTooLarge` if the changes do not fit into one commit.
    /// - Complexity: O(*n*) in the documents of the commits, which are held in memory.
    @discardableResult
    public func undo(
        commits: ClosedRange<UInt64>, overwriting: Bool = false, durability: Durability = .buffered
    ) throws -> Undo {
        try undo(of: commits, overwriting: overwriting, durability: durability)
    }

    private func undo(
        of commits: ClosedRange<UInt64>?, overwriting: Bool, durability: Durability
    ) throws -> Undo {
        let (undo, sequence) = try writeReportingCommit(durability: durability) { transaction in
            let reader = UndoReader(reader: database, catalog: transaction.catalog)
            return try reader.read(commits, overwriting: overwriting) { change, content in
                if let laterCommit = change.laterCommit, !overwriting {
                    // The last commit has no later ones.
                    throw Self.conflict(change, laterCommit, in: commits?.upperBound ?? 0)
                }
                if let content {
                    try transaction.put(content, in: change.collection)
                } else {
                    try transaction.delete(change.id, in: change.collection)
                }
            }
        }
        var result = undo
        result.sequence = sequence
        return result
    }

    /// Returns what ``undo(_:overwriting:durability:)`` would do, without doing it.
    ///
    /// - Throws: ``DocIndexError``: `notInHistory` if no change of the commit is in the history; `corruption`.
    /// - Complexity: O(*n*) in the documents of the commit.
    public func previewUndo(of commit: UInt64? = nil) throws -> Undo {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        return try UndoReader(reader: snapshot, catalog: catalog)
            .read(commit.map { $0...$0 }, overwriting: true) { _, _ in }
    }

    /// Returns what the undo of consecutive commits would do, without doing it.
    ///
    /// - Throws: ``DocIndexError``: `notInHistory` if no change of the commits is in the history; `corruption`.
    /// - Complexity: O(*n*) in the documents of the commits.
    public func previewUndo(ofCommits commits: ClosedRange<UInt64>) throws -> Undo {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        return try UndoReader(reader: snapshot, catalog: catalog).read(commits, overwriting: true) { _, _ in }
    }

    private static func conflict(_ change: Undo.Change, _ laterCommit: UInt64, in commit: UInt64) -> DocIndexError {
        DocIndexError(
            .conflict,
            "the document \(change.id) of \(change.collection) was changed again by commit \(laterCommit) after commit "
                + "\(commit); undo that commit first, or overwrite the later change",
            conflict: DocIndexError.Conflict(
                collection: change.collection, id: change.id, commit: commit, laterCommit: laterCommit))
    }
}

/// Reads what the undo of consecutive commits consists of.
private struct UndoReader<Reader: KeyValueReader> {
    let reader: Reader
    let catalog: LoadedCatalog

    /// - Parameters:
    ///   - overwriting: whether missing changes are left out; otherwise they are an error.
    ///   - body: receives each effect, and the former content; `nil` if there was no document.
    func read(
        _ commits: ClosedRange<UInt64>?, overwriting: Bool,
        _ body: (DocumentStore.Undo.Change, DocumentObject?) throws -> Void
    ) throws -> DocumentStore.Undo {
        let last = try WriterState.storedSequence(in: reader)
        let commits = commits ?? last...last
        for commit in [commits.upperBound, commits.lowerBound] where commit == 0 || commit > last {
            throw DocIndexError(
                .notInHistory, "there is no commit \(commit) to undo; the last commit of the store is \(last)")
        }
        var undo = DocumentStore.Undo(commits: commits)
        undo.collectionsWithoutHistory = try collectionsWithoutHistory(of: commits)
        var changeCount = 0
        var known: Set<Place> = []
        var cancellation = CancellationCheck()
        for commit in commits {
            try cancellation.step()
            changeCount += try read(commit, &undo, &known, body)
        }
        undo.missingCount = max(0, changeCount - known.count)
        if known.isEmpty { throw missing(undo) }
        if undo.missingCount > 0, !overwriting {
            throw DocIndexError(
                .notInHistory,
                "\(undo.missingCount) of \(changeCount) changes of \(Self.name(of: commits)) are no longer in the "
                    + "history; to undo the others, allow overwriting")
        }
        return undo
    }

    /// A document that a commit changed.
    private struct Place: Hashable {
        let collection: UInt32
        let id: DocumentID
    }

    private static func name(of commits: ClosedRange<UInt64>) -> String {
        commits.count == 1
            ? "commit \(commits.upperBound)" : "commits \(commits.lowerBound) to \(commits.upperBound)"
    }

    /// Reads the changes of a commit to documents that are not `known`: the first of several commits has the content
    /// before all of them.
    ///
    /// - Returns: the number of changes that the commit made to other documents than earlier ones.
    private func read(
        _ commit: UInt64, _ undo: inout DocumentStore.Undo, _ known: inout Set<Place>,
        _ body: (DocumentStore.Undo.Change, DocumentObject?) throws -> Void
    ) throws -> Int {
        var (changeCount, repeatedCount) = (0, 0)
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(StoreKey.history(of: commit)), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let place = StoreChange.Key(cursor.key, kind: .history), let record = HistoryRecord(cursor.value)
            else {
                throw DocIndexError(
                    .corruption, "a change of commit \(commit) in the history is unreadable; run verify and rebuild")
            }
            guard let collection = catalog.collection(numbered: place.collection), let history = collection.history,
                history.keeps(commit, record)
            else { continue }
            changeCount = record.changeCount
            let link = HistoryRecord.Link(sequence: commit, row: place.row)
            let id: DocumentID
            var content: DocumentObject?
            switch record.former {
            case .unknown: continue
            case .absent(_, let former): id = former
            case .stored(_, let start):
                let former = try RowReader.document(
                    record: cursor.value.extracting(start..<cursor.value.count), row: place.row, collection: collection)
                (id, content) = (former.id, former.content)
            }
            let document = Place(collection: place.collection, id: id)
            if known.contains(document) {
                repeatedCount += 1
                continue
            }
            guard
                let (change, exists) = try change(
                    link, id, isDeletion: content == nil, of: collection, history, undoing: undo.commits.upperBound)
            else { continue }
            known.insert(document)
            // The commits inserted the document, and deleted it again.
            if content == nil, !exists, change.laterCommit == nil { continue }
            undo.changes.append(change)
            try body(change, content)
        }
        return changeCount - repeatedCount
    }

    /// Returns the effect on a document, and whether the document exists; `nil` if the change is outside the bounds.
    private func change(
        _ link: HistoryRecord.Link, _ id: DocumentID, isDeletion: Bool, of collection: LoadedCollection,
        _ history: Catalog.History, undoing last: UInt64
    ) throws -> (change: DocumentStore.Undo.Change, exists: Bool)? {
        var newest: HistoryRecord.Link?
        var exists = false
        switch try RowReader.record(of: id, collection: collection, in: reader) {
        case nil: break
        case .deleted(let sequence, let row): newest = HistoryRecord.Link(sequence: sequence, row: row)
        case .row(let row):
            exists = true
            let key = StoreKey.document(collection.number, row: row)
            let sequence = try reader.withValue(forKey: key) { value in
                var offset = 0
                return Varint.read(value, &offset)
            }
            if let sequence, let sequence { newest = HistoryRecord.Link(sequence: sequence, row: row) }
        }
        guard let newest else {
            throw DocIndexError(
                .corruption, "the document \(id) of \(collection.name) is missing; run verify and rebuild")
        }
        if newest != link, history.bounds.versions != nil {
            var chain = HistoryChain(from: newest, of: collection, history: history)
            var isKept = false
            while !isKept, let step = try chain.next(in: reader) {
                if step.link.sequence < link.sequence { break }
                isKept = step.link == link
            }
            if !isKept { return nil }
        }
        let change = DocumentStore.Undo.Change(
            kind: isDeletion ? .delete : exists ? .revert : .restore, collection: collection.name, id: id,
            laterCommit: newest.sequence <= last ? nil : newest.sequence)
        return (change, exists)
    }

    /// Returns the collections without a history for which the feed lists a change of one of the commits.
    private func collectionsWithoutHistory(of commits: ClosedRange<UInt64>) throws -> [String] {
        var numbers: Set<UInt32> = []
        var range = StoreKey.changes(behind: commits.lowerBound - 1)
        range.upper = StoreKey.changes(behind: commits.upperBound).lower.excluding
        var cursor = try reader.cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            guard let place = StoreChange.Key(cursor.key) else { continue }
            numbers.insert(place.collection)
        }
        return catalog.collections.filter { numbers.contains($0.number) && $0.history == nil }.map(\.name)
    }

    private func missing(_ undo: DocumentStore.Undo) -> DocIndexError {
        let names = undo.collectionsWithoutHistory
        // The library's own collections, such as that of the albums, keep none.
        let declared = names.filter { !$0.hasPrefix("@") }
        let reason =
            names.isEmpty
            ? "only collections that keep no history were changed, or it is outside the bounds"
            : "it changed \(names.joined(separator: ", ")), where no history is kept"
                + (declared.isEmpty ? "" : "; declare one in the schema, so that later changes can be undone")
        let commits = Self.name(of: undo.commits)
        return DocIndexError(.notInHistory, "\(commits) cannot be undone: \(reason)")
    }
}

extension KeyBound<[UInt8]> {
    /// The same key as an upper bound that excludes it.
    fileprivate var excluding: KeyBound<[UInt8]> {
        switch self {
        case .included(let key), .excluded(let key): .excluded(key)
        case .unbounded: .unbounded
        }
    }
}
