internal import LevelKit

/// What a check of a whole store found.
public struct Verification: Sendable, Hashable {
    /// Documents that were read.
    public internal(set) var documentCount = 0
    /// Index entries that were read.
    public internal(set) var entryCount = 0
    /// What is wrong, and where; empty if the store is sound. At most ``problemLimit`` are kept.
    public internal(set) var findings: [VerificationFinding] = []
    /// What is wrong, a sentence each: what ``findings`` say.
    public var problems: [String] { findings.map(\.problem) }
    /// How many problems there were in all.
    public internal(set) var problemCount = 0

    /// The values that several documents have in a unique index; at most ``problemLimit`` of them. No problem of the
    /// store: the documents were there before the index was declared, and nothing but the documents can be put right.
    public internal(set) var uniqueViolations: [UniqueViolation] = []

    /// What makes a store whole again.
    public enum Remedy: Sendable, Hashable {
        /// Nothing is wrong.
        case none
        /// ``DocumentStore/rebuild(_:)``: documents are whole, and what follows from them is not.
        case rebuild
        /// A backup: documents are missing or unreadable. A rebuild makes a whole store of those that are left.
        case restore
    }

    /// The cheapest remedy that is sufficient for all problems.
    public var remedy: Remedy { isSound ? .none : lostDocumentProblemCount > 0 ? .restore : .rebuild }

    /// How many of the problems are documents that are missing or unreadable.
    public internal(set) var lostDocumentProblemCount = 0

    /// How many problems are described.
    public static let problemLimit = 100

    /// Whether documents and indexes agree.
    public var isSound: Bool { problemCount == 0 }

    mutating func report(_ finding: VerificationFinding) {
        problemCount += 1
        if findings.count < Self.problemLimit { findings.append(finding) }
    }

    /// Reports what is wrong in one place, as far as the place is known.
    mutating func report(
        _ problem: String, in collection: String? = nil, index: String? = nil, id: DocumentID? = nil,
        row: UInt64? = nil, key: [UInt8]? = nil
    ) {
        report(
            VerificationFinding(
                problem: problem, collection: collection, index: index, documentID: id, row: row, key: key))
    }
}

extension DocumentStore {
    /// Reads the whole store and checks it against itself, both ways.
    ///
    /// Every id leads to a row, every row to a document with that id; the counters are right; every index holds exactly
    /// the entries that its documents have, no more and no fewer; its counters and sums are right; the last change of
    /// every document and every deletion is in the feed; there are no keys that nothing explains. Duplicates under a
    /// unique index are listed apart. Works on one snapshot, so it may run while others write.
    ///
    /// - Parameter progress: called now and then; what it throws ends the check.
    /// - Throws: `LevelError` where the storage itself is damaged; `CancellationError` if the task is cancelled.
    /// - Complexity: O(*n*) in everything that is stored.
    public func verify(_ progress: (VerificationProgress) throws -> Void = { _ in }) throws -> Verification {
        let (snapshot, catalog, _) = try state()
        return try withoutActuallyEscaping(progress) { progress in
            var verifier = Verifier(snapshot: snapshot, catalog: catalog, progress: progress)
            var result = try verifier.run()
            if result.isSound {
                // Of a damaged index the entries may lead nowhere.
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

/// How far a check has come.
public struct VerificationProgress: Sendable, Hashable {
    /// What is read at the moment.
    public let subject: String
    /// Documents that were read.
    public let documentCount: Int
    /// Documents that there are, by the counters.
    public let totalDocumentCount: Int
}
