public import LevelKit

/// Changing or deleting every document that satisfies a condition; see
/// ``DocumentCollection/update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)`` and
/// ``DocumentCollection/delete(where:options:progress:)-(Filter,_,_)``.
public enum BulkChange {
    /// How documents are changed.
    public struct Options: Sendable {
        /// The approximate size of a commit, in bytes: what the commit takes in the log, and four times the size of
        /// each document whose words change. At most 512 MiB. A change that fits is one commit, all or nothing. Memory
        /// for about twice as many bytes is needed.
        public var commitByteCount = 64 << 20
        /// Whether a larger change is split into several commits.
        public var splitting = Splitting.ifRepeatable
        /// Whether to find out what would change, and change nothing. Works with a store that is open read-only, too.
        public var isDryRun = false
        /// The maximum number of ``Summary/differences`` of a dry run.
        public var differenceCount = 20
        /// The durability of each commit.
        public var durability = Durability.buffered
        /// How the documents are found.
        public var query = Query.Options()

        /// Creates options with the default values.
        public init() {}

        /// Creates options of a dry run.
        public static func dryRun(differences count: Int = 20) -> Options {
            var options = Options()
            options.isDryRun = true
            options.differenceCount = count
            return options
        }
    }

    /// Whether a change that is too large for one commit is split into several atomic commits.
    public enum Splitting: Sendable, Hashable {
        /// It is split if a second run would only finish what the first one left: for deletions, and for updates that
        /// are ``DocumentUpdate/isRepeatable``. Otherwise it fails with `changeTooLarge` before anything is written.
        case ifRepeatable
        /// It is split. After an interruption, the caller has to know which documents were changed.
        case always
        /// It fails with `changeTooLarge` before anything is written.
        case never
    }

    /// A document before and after the change.
    public struct Difference: Sendable, Hashable {
        /// The ID.
        public let id: DocumentID
        /// The content before the change.
        public let old: DocumentObject
        /// The content after the change; `nil` if the change deletes the document.
        public let new: DocumentObject?
    }

    /// The counts of a change.
    public struct Summary: Sendable, Hashable {
        /// The number of documents that satisfied the condition when they were written.
        public internal(set) var matchedCount = 0
        /// The number of documents that were changed or deleted.
        public internal(set) var changedCount = 0
        /// The number of commits. A dry run counts the commits that it would have made.
        public internal(set) var commitCount = 0
        /// The first documents that a dry run would change; empty otherwise.
        public internal(set) var differences: [Difference] = []

        /// The number of documents that already were as the update would have made them.
        public var unchangedCount: Int { matchedCount - changedCount }
    }
}

// MARK: - Updates

extension DocumentCollection {
    /// Updates every document that satisfies a condition.
    ///
    /// ```swift
    /// let update = try DocumentUpdate("rating = 5, keywords += river")
    /// let summary = try photos.update(where: try Filter("keywords has \(word)"), update)
    /// ```
    ///
    /// The documents are found first, in one snapshot, and then written in the order in which they were first stored.
    /// No document is updated twice, even if the update moves it within the index that found it. A document that
    /// another write changed in between is updated only if it still satisfies the condition; one that begins to satisfy
    /// it meanwhile is not. Other writers wait while a commit is prepared.
    ///
    /// A change that fits in ``BulkChange/Options/commitByteCount`` is one commit: all or nothing, even if the process
    /// is killed. A larger one is split into commits of that size, in order, if ``BulkChange/Options/splitting`` allows
    /// it. If it ends early, a second call finishes it, because what was left still satisfies the condition, and what
    /// was done does not change again. Memory is bounded by the size of a commit, and a few bytes for the row of each
    /// document found.
    ///
    /// - Parameters:
    ///   - filter: the condition.
    ///   - update: the assignments.
    ///   - options: the size of commits, and whether it is a dry run.
    ///   - progress: called after each commit with what was done so far; an error that it throws stops the work.
    /// - Returns: how many documents matched and changed, and the first differences of a dry run.
    /// - Throws: ``DocIndexError``: `invalidUpdate` for an update that is invalid, or cannot be applied to a document,
    ///   which the message names; `invalidID` for an update of the member that holds the ID; `duplicateValue` with
    ///   ``DocIndexError/uniqueViolation``, which names the index and the documents; `changeTooLarge`; `nestedWrite`
    ///   within a write; the errors of ``find(_:options:)``; `CancellationError` if the task is canceled. The commit
    ///   in progress is not written then; earlier ones remain.
    /// - Complexity: that of the plan, then O(*n*) in the size of the documents found.
    @discardableResult
    public func update(
        where filter: Filter, _ update: DocumentUpdate, options: BulkChange.Options = BulkChange.Options(),
        progress: (BulkChange.Summary) throws -> Void = { _ in }
    ) throws -> BulkChange.Summary {
        try update.validate(idField: try newestReader().collection.idField)
        var run = BulkChangeRun(
            collection: self, filter: filter, options: options, isRepeatable: update.isRepeatable
        ) { document in
            do {
                return try update.appliedUnchecked(to: document.content)
            } catch let error as DocIndexError {
                throw DocIndexError(error.code, "the document \(document.id) of \(name): \(error.message)")
            }
        }
        run.update = update
        return try run.run(progress)
    }

    /// Updates every document that satisfies a condition. Interpolated values are bound in the condition and in the
    /// assignments.
    ///
    /// ```swift
    /// try photos.update(where: "keywords has \(word)", "rating = \(stars), keywords -= \(word)")
    /// ```
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` or `invalidUpdate` and the position of a mistake; the errors of
    ///   ``update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)``.
    @discardableResult
    public func update(
        where condition: FilterText, _ assignments: FilterText, options: BulkChange.Options = BulkChange.Options(),
        progress: (BulkChange.Summary) throws -> Void = { _ in }
    ) throws -> BulkChange.Summary {
        try update(
            where: try Filter(condition), try DocumentUpdate(assignments), options: options, progress: progress)
    }

    /// Changes every document that satisfies a condition with a closure.
    ///
    /// Whether a second run of the closure would change documents again is unknown, so a change too large for one
    /// commit fails, unless ``BulkChange/Options/splitting`` is ``BulkChange/Splitting/always``.
    ///
    /// - Parameters:
    ///   - filter: the condition.
    ///   - options: the size of commits, and whether it is a dry run.
    ///   - progress: called after each commit with what was done so far; an error that it throws stops the work.
    ///   - body: changes a document in place. It may be called again for a document if its commit was full, and must
    ///     not write to the store.
    /// - Throws: ``DocIndexError`` with `invalidID` if `body` changes the ID of a document; what `body` throws; the
    ///   errors of ``update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)``.
    @discardableResult
    public func updateEach(
        where filter: Filter, options: BulkChange.Options = BulkChange.Options(),
        progress: (BulkChange.Summary) throws -> Void = { _ in }, _ body: (inout DocumentObject) throws -> Void
    ) throws -> BulkChange.Summary {
        try updateEach(where: filter, options: options, progress: progress) { content, _ in try body(&content) }
    }

    /// Changes every document that satisfies a condition with a closure, which also receives the ID.
    func updateEach(
        where filter: Filter, options: BulkChange.Options, progress: (BulkChange.Summary) throws -> Void = { _ in },
        _ body: (inout DocumentObject, DocumentID) throws -> Void
    ) throws -> BulkChange.Summary {
        try withoutActuallyEscaping(body) { body in
            let run = BulkChangeRun(collection: self, filter: filter, options: options, isRepeatable: false) {
                document in
                var content = document.content
                try body(&content, document.id)
                return content
            }
            return try run.run(progress)
        }
    }
}

// MARK: - Deletions

extension DocumentCollection {
    /// Deletes every document that satisfies a condition, as
    /// ``update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)`` updates them.
    ///
    /// ```swift
    /// let count = try photos.delete(where: "rating = 1 and album missing").changedCount
    /// ```
    @discardableResult
    public func delete(
        where filter: Filter, options: BulkChange.Options = BulkChange.Options(),
        progress: (BulkChange.Summary) throws -> Void = { _ in }
    ) throws -> BulkChange.Summary {
        let run = BulkChangeRun(collection: self, filter: filter, options: options, isRepeatable: true) { _ in nil }
        return try run.run(progress)
    }

    /// Deletes every document that satisfies a condition. Interpolated values are bound.
    @discardableResult
    public func delete(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options(),
        progress: (BulkChange.Summary) throws -> Void = { _ in }
    ) throws -> BulkChange.Summary {
        try delete(where: try Filter(condition), options: options, progress: progress)
    }
}
