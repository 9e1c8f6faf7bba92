internal import LevelKit

extension DocumentStore {
    /// The result of a check of the whole store.
    public struct Verification: Sendable, Hashable {
        /// The number of documents that were read.
        public internal(set) var documentCount = 0
        /// The number of index entries that were read.
        public internal(set) var entryCount = 0
        /// The problems and their locations, at most ``problemLimit``; empty if the store is sound.
        public internal(set) var findings: [Verification.Problem] = []
        /// The descriptions of ``findings``, one sentence each.
        public var problems: [String] { findings.map(\.problem) }
        /// The total number of problems.
        public internal(set) var problemCount = 0

        /// The values that several documents share in a unique index, at most ``problemLimit``. These are not problems
        /// of the store: the documents existed before the index was declared, and only changing them resolves the
        /// violation.
        public internal(set) var uniqueViolations: [DocIndexError.UniqueViolation] = []

        /// A way to make a store sound again.
        public enum Remedy: Sendable, Hashable {
            /// Nothing is needed: the store is sound.
            case none
            /// ``DocumentStore/rebuild(_:)``: all documents are intact, but derived data is not.
            case rebuild
            /// A backup: documents are missing or unreadable. A rebuild makes the store sound with the remaining
            /// documents.
            case restore
        }

        /// The least expensive remedy that is sufficient for all problems.
        public var remedy: Remedy { isSound ? .none : lostDocumentProblemCount > 0 ? .restore : .rebuild }

        /// The number of problems that are missing or unreadable documents.
        public internal(set) var lostDocumentProblemCount = 0

        /// The maximum number of problems that are described.
        public static let problemLimit = 100

        /// Whether the store has no problems.
        public var isSound: Bool { problemCount == 0 }

        mutating func report(_ finding: Verification.Problem) {
            problemCount += 1
            if findings.count < Self.problemLimit { findings.append(finding) }
        }

        /// Reports a problem and its location, as far as it is known.
        mutating func report(
            _ problem: String, in collection: String? = nil, index: String? = nil, id: DocumentID? = nil,
            row: UInt64? = nil, key: [UInt8]? = nil
        ) {
            report(
                Verification.Problem(
                    problem: problem, collection: collection, index: index, documentID: id, row: row, key: key))
        }
    }
}

extension DocumentStore {
    /// Reads the whole store and checks its consistency.
    ///
    /// Checks that every ID leads to a row, and every row contains a document with that ID; that counters are correct;
    /// that every index contains exactly the entries of its documents; that the counters and statistics of indexes are
    /// correct; that the feed contains the last change of every document and every deletion; and that the store
    /// contains no unknown keys. Duplicates in unique indexes are listed separately. Works on one snapshot, so it may
    /// run while others write.
    ///
    /// - Parameter progress: called periodically. If it throws, the check ends.
    /// - Throws: `LevelError` if the storage itself is damaged; `CancellationError` if the task is canceled.
    /// - Complexity: O(*n*) in everything that is stored.
    public func verify(_ progress: (Verification.Progress) throws -> Void = { _ in }) throws -> Verification {
        let (snapshot, catalog, _) = try state()
        return try withoutActuallyEscaping(progress) { progress in
            var verifier = Verifier(snapshot: snapshot, catalog: catalog, progress: progress)
            var result = try verifier.run()
            if result.isSound {
                // The entries of a damaged index may lead to no document.
                for collection in catalog.collections {
                    let rows = RowReader(snapshot: snapshot, collection: collection)
                    for index in rows.valueIndexes where index.definition.isUnique {
                        let limit = Verification.problemLimit - result.uniqueViolations.count
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

extension DocumentStore.Verification {
    /// The progress of a check.
    public struct Progress: Sendable, Hashable {
        /// The part of the store that is being read.
        public let subject: String
        /// The number of documents read so far.
        public let documentCount: Int
        /// The total number of documents according to the counters.
        public let totalDocumentCount: Int
    }
}
