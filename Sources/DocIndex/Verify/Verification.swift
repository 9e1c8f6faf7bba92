internal import LevelKit

/// The result of a check of the whole store.
public struct Verification: Sendable, Hashable {
    /// The number of documents that were read.
    public internal(set) var documentCount = 0
    /// The number of index entries that were read.
    public internal(set) var entryCount = 0
    /// The number of attachments with a record.
    public internal(set) var attachmentCount = 0
    /// The size of the contents of these attachments in bytes.
    public internal(set) var attachmentByteCount: Int64 = 0
    /// The attachments whose content is missing or damaged, which adding the content again repairs. Not limited, unlike
    /// ``findings``. A wrong digest is found only by ``AttachmentCheck/full``.
    public internal(set) var lostAttachments: [Attachment.Digest] = []
    /// The number of files in the store's directory `attachments` that belong to no attachment. These are not problems:
    /// interrupted calls leave them behind, and ``DocumentStore/Attachments/collectGarbage(olderThan:dryRun:_:)``
    /// deletes them.
    public internal(set) var orphanedFileCount = 0
    /// The size of these files in bytes.
    public internal(set) var orphanedFileByteCount: Int64 = 0
    /// The problems and their locations, as many as were asked for; empty if the store is sound.
    public internal(set) var findings: [Verification.Problem] = []
    /// The descriptions of ``findings``, one sentence each.
    public var problems: [String] { findings.map(\.problem) }
    /// The total number of problems.
    public internal(set) var problemCount = 0

    /// The values that several documents share in a unique index, as many as were asked for. These are not problems of
    /// the store: the documents existed before the index was declared, and only changing them resolves the violation.
    public internal(set) var uniqueViolations: [DocIndexError.UniqueViolation] = []

    /// A way to make a store sound again.
    public enum Remedy: Sendable, Hashable {
        /// Nothing is needed: the store is sound.
        case none
        /// ``DocumentStore/rebuild(_:)``: all documents are intact, but derived data is not.
        case rebuild
        /// A backup: documents, or contents of attachments, are missing or unreadable. A rebuild makes the store sound
        /// with the remaining documents. Attachments that are still missing can then be added again.
        case restore
    }

    /// How the contents of attachments are checked.
    public enum AttachmentCheck: Sendable, Hashable, CaseIterable {
        /// Their existence and their sizes.
        case sizes
        /// Their bytes: every attachment is read, and its digest computed.
        case full
    }

    /// The least expensive remedy that is sufficient for all problems.
    public var remedy: Remedy {
        isSound ? .none : lostDocumentProblemCount > 0 || lostReferenceProblemCount > 0 ? .restore : .rebuild
    }

    /// The number of problems caused by missing or unreadable documents.
    public internal(set) var lostDocumentProblemCount = 0

    /// The number of problems with missing or damaged attachments that documents refer to.
    var lostReferenceProblemCount = 0

    /// The number of problems that are described unless a call asks for more.
    public static let problemLimit = 100
    /// The number of problems that are described at most.
    let limit: Int

    /// Whether the store has no problems.
    public var isSound: Bool { problemCount == 0 }

    init(limit: Int) { self.limit = limit }

    mutating func report(_ finding: Verification.Problem) {
        problemCount += 1
        if findings.count < limit { findings.append(finding) }
    }

    /// Reports a problem and its location, as far as it is known.
    mutating func report(
        _ problem: String, in collection: String? = nil, index: String? = nil, id: DocumentID? = nil,
        row: UInt64? = nil, key: [UInt8]? = nil, attachment: Attachment.Digest? = nil
    ) {
        report(
            Verification.Problem(
                problem: problem, collection: collection, index: index, documentID: id, row: row, key: key,
                attachment: attachment))
    }
}

extension DocumentStore {
    /// Reads the whole store and checks its consistency.
    ///
    /// Checks that every ID leads to a row, and every row contains a document with that ID; that counters are correct;
    /// that every index contains exactly the entries of its documents; that the counters and statistics of indexes are
    /// correct; that the feed contains the last change of every document and every deletion; that every attachment has
    /// its content, and the correct count of references; and that the store contains no unknown keys. Duplicates in
    /// unique indexes are listed separately. Works on one snapshot, so it may run while others write.
    ///
    /// - Parameters:
    ///   - attachments: how the contents of attachments are checked.
    ///   - problemLimit: the number of problems to describe at most. All are counted.
    ///   - progress: called periodically. If it throws, the check ends.
    /// - Throws: `LevelError` if the storage itself is damaged; `CancellationError` if the task is canceled.
    /// - Complexity: O(*n*) in everything that is stored, except for the files of attachments unless they are checked
    ///   in full. Takes memory for each attachment and each described problem.
    public func verify(
        attachments: Verification.AttachmentCheck = .sizes, problemLimit: Int = Verification.problemLimit,
        _ progress: (Verification.Progress) throws -> Void = { _ in }
    ) throws -> Verification {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        return try withoutActuallyEscaping(progress) { progress in
            var verifier = Verifier(
                store: self, snapshot: snapshot, catalog: catalog, attachments: attachments, limit: problemLimit,
                progress: progress)
            var result = try verifier.run()
            if result.isSound {
                // The entries of a damaged index may lead to no document.
                for collection in catalog.collections {
                    let rows = RowReader(snapshot: snapshot, collection: collection)
                    for index in rows.valueIndexes where index.definition.isUnique {
                        let limit = max(0, problemLimit - result.uniqueViolations.count)
                        result.uniqueViolations += try UniqueValues(index: index).violations(in: rows, limit: limit)
                    }
                }
            }
            for failure in textIndexFailures {
                result.report(
                    "\(failure.collection).\(failure.index): its segments could not be written or merged: "
                        + "\(failure.reason)",
                    in: failure.collection, index: failure.index)
            }
            return result
        }
    }
}

extension Verification {
    /// The progress of a check.
    public struct Progress: Sendable, Hashable {
        /// The part of the store that is being read.
        public let subject: String
        /// The number of documents read so far.
        public let documentCount: Int
        /// The total number of documents according to the counters.
        public let totalDocumentCount: Int
        /// The bytes of attachments read so far, which are only read by a check in full.
        public let attachmentByteCount: Int64
        /// The total size of the attachments in bytes; 0 before their records have been read.
        public let totalAttachmentByteCount: Int64
    }
}
