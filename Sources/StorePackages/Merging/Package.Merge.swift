public import DocIndex

extension Package {
    /// The way to treat a document whose ID already exists with different content.
    public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
        /// The document of the store stays. Only new documents are added.
        case absent
        /// The document of the package replaces it. Deletions of a package of changes are carried out.
        case replace
        /// Both stay. The document of the package gets a new ID, derived from its content, so that merging the
        /// package again adds nothing.
        case keepBoth = "keep-both"
    }

    /// The result of a merge, or of its dry run.
    public struct MergeReport: Sendable, Hashable {
        /// A document that was not stored, and the reason.
        public struct Rejection: Sendable, Hashable {
            /// The ID of the document.
            public let id: DocumentID
            /// Why it was not stored, and what to do.
            public let reason: String
        }

        /// The number of documents that the store did not have.
        public internal(set) var addedCount = 0
        /// The number of documents that replaced others.
        public internal(set) var replacedCount = 0
        /// The number of documents of the store that stayed, although the package has different content.
        public internal(set) var keptCount = 0
        /// The number of documents that were stored under an ID of their own beside one with different content.
        public internal(set) var copiedCount = 0
        /// The number of documents that the store had with the same content.
        public internal(set) var unchangedCount = 0
        /// The number of deleted documents.
        public internal(set) var deletedCount = 0
        /// The number of deletions in the package that were not carried out.
        public internal(set) var ignoredDeletionCount = 0
        /// The number of originals that were added.
        public internal(set) var originalCount = 0
        /// The documents that were not stored.
        public internal(set) var rejections: [Rejection] = []
    }

    /// Stores the documents of the package and their originals in a store.
    ///
    /// First the whole package is verified, so nothing of a damaged one is stored. A collection that the store does not
    /// have is created. Deletions come first. The merge as a whole is not atomic: if it is interrupted, merging again
    /// does the rest.
    ///
    /// Documents are left out and listed in ``MergeReport/rejections`` if the contents of their attachments are neither
    /// in the package nor in the store, or if the store refuses them, as for the values of another document in a unique
    /// index. A dry run lists the same ones, except documents that are too large for the store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - policy: what happens to documents that already exist.
    ///   - dryRun: whether to report only what would be done.
    ///   - progress: called from time to time with the number of documents so far. What it throws stops the merge.
    /// - Throws: ``PackageError``; `DocIndexError`; `LevelError`.
    @discardableResult
    public func merge(
        into store: DocumentStore, policy: MergePolicy = .absent, dryRun: Bool = false,
        _ progress: (_ documentCount: Int) throws -> Void = { _ in }
    ) throws -> MergeReport {
        try verify { _, _ in try progress(0) }
        var merge = PackageMerge(package: self, store: store, policy: policy, dryRun: dryRun)
        if policy == .replace, manifest.deletionCount > 0 { try forEachRecord { try merge.takeDeletion($0) } }
        try forEachRecord { record in
            try merge.take(record)
            try progress(merge.count)
        }
        try merge.finish()
        return merge.report
    }
}
