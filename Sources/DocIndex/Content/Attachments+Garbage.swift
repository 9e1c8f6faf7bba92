internal import LevelKit

extension DocumentStore.Attachments {
    /// The result of a garbage collection, or of its dry run.
    public struct Garbage: Sendable, Hashable {
        /// The deleted attachments.
        public internal(set) var digests: [Attachment.Digest] = []
        /// Their size in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// The number of unreferenced attachments that were kept, because they have not been unreferenced for long
        /// enough, because a snapshot may refer to them, or because a former version of a document does.
        public internal(set) var keptCount = 0
        /// The number of deleted files without a record, which an interrupted call left behind.
        public internal(set) var orphanCount = 0
        /// The size of the files without a record, in bytes.
        public internal(set) var orphanByteCount: Int64 = 0
    }

    /// Deletes attachments that no document has referred to for some time.
    ///
    /// This is the only call that deletes attachments. It trusts the counts of references only after it has read every
    /// document, and deletes nothing if one of them is wrong. Attachments are kept if the history or a snapshot refers
    /// to them. Writers wait only while the records are deleted.
    ///
    /// - Parameters:
    ///   - age: how long an attachment must have been unreferenced. Shorter times than the default are safe as long as
    ///     no program has added content that no document refers to yet, and no other process reads the store.
    ///   - dryRun: whether to report only what would be deleted.
    ///   - progress: called from time to time with the number of documents that have been read. An error that it
    ///     throws stops the call before anything is deleted.
    /// - Returns: what was deleted.
    /// - Throws: ``DocIndexError``: `attachmentsInUse` if another process reads the store, a checkpoint is being taken,
    ///   or a rebuild has set documents aside that cannot be read; `corruption` if a document cannot be read or a count
    ///   is wrong; `nestedWrite`; `LevelError`; `CancellationError`. Unless the error is one of the disk, nothing has
    ///   been deleted.
    /// - Complexity: O(*n*) in the documents of the store.
    @discardableResult
    public func collectGarbage(
        olderThan age: Duration = .seconds(7 * 86_400), dryRun: Bool = false,
        _ progress: (Int) throws -> Void = { _ in }
    ) throws -> Garbage {
        if !dryRun, let refusal = store.database.refusal { throw refusal }
        guard store.database.mode == .readWrite else { return try AttachmentCollector(store, age).report(progress) }
        return try store.withMaintenance {
            let collector = AttachmentCollector(store, age)
            return dryRun ? try collector.report(progress) : try collector.collect(progress)
        }
    }

    /// Deletes the attachments that commits after a given one have released, however recently. For a copy of a store in
    /// which everything was replaced, and which no program has used yet.
    ///
    /// - Throws: the errors of ``collectGarbage(olderThan:dryRun:_:)``.
    @discardableResult
    package func collectGarbage(releasedAfter sequence: UInt64) throws -> Garbage {
        if let refusal = store.database.refusal { throw refusal }
        guard try !list(limit: 1).isEmpty else { return Garbage() }
        return try store.withMaintenance {
            try AttachmentCollector(store, .zero, .releasedAfter(sequence)).collect { _ in }
        }
    }

    /// Deletes those of some attachments that nothing refers to, however recently they were added. For attachments that
    /// the caller has added and does not need.
    ///
    /// - Throws: the errors of ``collectGarbage(olderThan:dryRun:_:)``.
    @discardableResult
    package func collectGarbage(among digests: Set<Attachment.Digest>) throws -> Garbage {
        if let refusal = store.database.refusal { throw refusal }
        return try store.withMaintenance {
            try AttachmentCollector(store, .zero, .among(digests)).collect { _ in }
        }
    }
}

/// The steps of a garbage collection.
private struct AttachmentCollector {
    private let store: DocumentStore
    /// Attachments released after this time are kept; in milliseconds since 1970.
    private let deadline: UInt64
    private let scope: Scope

    /// The number of attachments that are deleted in one batch, while writers wait.
    private static let sliceCount = 500

    /// The attachments that may be deleted.
    enum Scope {
        /// Everything, also files without a record.
        case all
        /// The attachments that a later commit than this one has released.
        case releasedAfter(UInt64)
        case among(Set<Attachment.Digest>)
    }

    init(_ store: DocumentStore, _ age: Duration, _ scope: Scope = .all) {
        self.store = store
        self.scope = scope
        let seconds = UInt64(clamping: age.components.seconds)
        let now = StoreClock.now
        deadline = now - min(now, seconds.multipliedReportingOverflow(by: 1000).overflow ? now : seconds * 1000)
    }

    /// An attachment to delete, as its record was when it was chosen.
    private struct Candidate {
        let digest: Attachment.Digest
        let record: AttachmentRecord
    }

    /// Returns what a collection would delete.
    func report(_ progress: (Int) throws -> Void) throws -> DocumentStore.Attachments.Garbage {
        var garbage = DocumentStore.Attachments.Garbage()
        for candidate in try candidates(&garbage, progress) {
            garbage.digests.append(candidate.digest)
            garbage.byteCount += candidate.record.byteCount
        }
        try forEachOrphan { file, _ in
            garbage.orphanCount += 1
            garbage.orphanByteCount += Int64(clamping: file.byteCount)
        }
        return garbage
    }

    /// Deletes what is garbage.
    func collect(_ progress: (Int) throws -> Void) throws -> DocumentStore.Attachments.Garbage {
        try store.requireNoWriteHere()
        guard try store.currentCatalog.hasAttachments || hasOrphans() else {
            return DocumentStore.Attachments.Garbage()
        }
        // Until the end, no other process and no checkpoint begins to read files.
        guard let lock = try store.files.holdForDeletion() else {
            throw DocIndexError(
                .attachmentsInUse,
                "another process reads the store at \(store.path), or a checkpoint of it is being taken; collect garbage "
                    + "when it has ended")
        }
        var garbage = DocumentStore.Attachments.Garbage()
        var rest = try candidates(&garbage, progress)[...]
        while !rest.isEmpty {
            try CancellationCheck.now()
            try delete(rest.prefix(Self.sliceCount), &garbage)
            rest = rest.dropFirst(Self.sliceCount)
        }
        guard case .all = scope else { return garbage }
        try forEachOrphan { file, isAbandoned in
            try store.contentGate.withLock {
                if isAbandoned {
                    try store.files.removeAbandoned(file)
                } else {
                    // Content may have been added again.
                    guard try !hasRecord(file) else { return }
                    try store.files.remove(file.name)
                }
                garbage.orphanCount += 1
                garbage.orphanByteCount += Int64(clamping: file.byteCount)
            }
        }
        _ = consume lock
        return garbage
    }

    /// Returns the attachments to delete. Every document has been read to make sure that none refers to them.
    private func candidates(
        _ garbage: inout DocumentStore.Attachments.Garbage, _ progress: (Int) throws -> Void
    ) throws -> [Candidate] {
        let state = try store.state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        guard catalog.stored.hasAttachments else { return [] }
        var setAside = try snapshot.cursor(in: .prefix([StoreKey.setAside.rawValue]))
        guard try !setAside.advance() else {
            throw DocIndexError(
                .attachmentsInUse,
                "a rebuild has set records aside that cannot be read and may refer to attachments; restore these "
                    + "documents, or delete the records under Q, and collect garbage again")
        }
        // A snapshot sees the references that later commits have removed.
        let oldest = try store.database.oldestSnapshot().map { try WriterState.storedSequence(in: $0) } ?? .max
        let mark = try AttachmentMark(of: snapshot, catalog, progress)
        if let difference = try mark.difference(from: snapshot) {
            throw DocIndexError(
                .corruption,
                "\(difference); nothing was deleted; run verify, then rebuild the store, and collect garbage again")
        }
        var candidates: [Candidate] = []
        try AttachmentRecord.forEach(in: snapshot) { digest, record in
            guard case .released(let release) = record.use else { return true }
            if isInScope(digest, release), release.time <= deadline, release.sequence <= oldest,
                !mark.former.contains(digest)
            {
                candidates.append(Candidate(digest: digest, record: record))
            } else {
                garbage.keptCount += 1
            }
            return true
        }
        return candidates
    }

    private func isInScope(_ digest: Attachment.Digest, _ release: AttachmentRecord.Release) -> Bool {
        switch scope {
        case .all: true
        case .releasedAfter(let sequence): release.sequence > sequence
        case .among(let digests): digests.contains(digest)
        }
    }

    /// Deletes attachments. Their records go first, in one durable batch, so no record refers to a missing file.
    private func delete(
        _ candidates: ArraySlice<Candidate>, _ garbage: inout DocumentStore.Attachments.Garbage
    ) throws {
        try store.contentGate.withLock {
            var deleted: [Candidate] = []
            try store.withWriter { _ in
                let batch = WriteBatch()
                for candidate in candidates {
                    // A commit or an addition since the mark has changed the record.
                    guard try AttachmentRecord.read(candidate.digest, in: store.database) == candidate.record else {
                        garbage.keptCount += 1
                        continue
                    }
                    try batch.delete(StoreKey.attachment(candidate.digest))
                    if case .database(let number) = candidate.record.place {
                        try batch.delete(StoreKey.content(number))
                    }
                    deleted.append(candidate)
                }
                try store.database.write(batch, durability: .synced)
            }
            for candidate in deleted {
                if candidate.record.place == .file { try store.files.remove(candidate.digest.description) }
                garbage.digests.append(candidate.digest)
                garbage.byteCount += candidate.record.byteCount
            }
        }
    }

    /// Calls `body` for each file without a record that is old enough, and whether it was never finished.
    private func forEachOrphan(_ body: (ContentFile, _ isAbandoned: Bool) throws -> Void) throws {
        try store.files.forEachFile { file in
            if file.time <= deadline, try !hasRecord(file) { try body(file, false) }
        }
        for file in try store.files.abandonedFiles() where file.time <= deadline { try body(file, true) }
    }

    /// Whether there are files without a record. A process that ends while it adds the first content of a store leaves
    /// some, but no record.
    private func hasOrphans() throws -> Bool {
        var isAny = false
        try forEachOrphan { _, _ in isAny = true }
        return isAny
    }

    private func hasRecord(_ file: ContentFile) throws -> Bool {
        guard let digest = Attachment.Digest(file.name) else { return true }
        return try AttachmentRecord.read(digest, in: store.database) != nil
    }
}
