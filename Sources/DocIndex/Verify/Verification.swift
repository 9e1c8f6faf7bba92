internal import LevelKit

/// What a check of a whole store found.
public struct Verification: Sendable, Hashable {
    /// Documents that were read.
    public internal(set) var documentCount = 0
    /// Index entries that were read.
    public internal(set) var entryCount = 0
    /// What is wrong, a sentence each; empty if the store is sound. At most ``problemLimit`` are kept.
    public internal(set) var problems: [String] = []
    /// How many problems there were in all.
    public internal(set) var problemCount = 0

    /// How many problems are described.
    public static let problemLimit = 100

    /// Whether documents and indexes agree.
    public var isSound: Bool { problemCount == 0 }

    mutating func report(_ problem: String) {
        problemCount += 1
        if problems.count < Self.problemLimit { problems.append(problem) }
    }
}

extension DocumentStore {
    /// Reads the whole store and checks it against itself, both ways.
    ///
    /// Every id leads to a row, every row to a document with that id; the counters are right; every index holds exactly
    /// the entries that its documents have, no more and no fewer; the sums of text indexes are right; there are no keys
    /// that nothing explains. Works on one snapshot, so it may run while others write.
    ///
    /// - Throws: `LevelError` where the storage itself is damaged.
    /// - Complexity: O(*n*) in everything that is stored.
    public func verify() throws -> Verification {
        var verifier = Verifier(snapshot: try database.snapshot(), catalog: currentCatalog)
        return try verifier.run()
    }
}
