/// The position of a change in the commit order of a FoundationDB cluster, 96 bits long.
///
/// LevelKit does not generate versionstamps. The type exists so that FoundationDB's keys can be read and written.
public struct Versionstamp: Sendable, Hashable {
    /// The version of the commit.
    public var commitVersion: UInt64
    /// The position among the transactions committed at that version.
    public var batchNumber: UInt16
    /// The position within the transaction, chosen by its author.
    public var userVersion: UInt16

    /// Creates a versionstamp.
    public init(commitVersion: UInt64, batchNumber: UInt16, userVersion: UInt16 = 0) {
        self.commitVersion = commitVersion
        self.batchNumber = batchNumber
        self.userVersion = userVersion
    }

    /// Returns the placeholder for a pending commit: ten `ff` bytes before the user version.
    public static func incomplete(userVersion: UInt16 = 0) -> Versionstamp {
        Versionstamp(commitVersion: .max, batchNumber: .max, userVersion: userVersion)
    }

    /// Whether the cluster has filled in the commit version.
    public var isComplete: Bool { commitVersion != .max || batchNumber != .max }
}

extension Versionstamp: Comparable {
    /// Compares by commit order, then by the order within the transaction.
    public static func < (lhs: Versionstamp, rhs: Versionstamp) -> Bool {
        (lhs.commitVersion, lhs.batchNumber, lhs.userVersion) < (rhs.commitVersion, rhs.batchNumber, rhs.userVersion)
    }
}

extension Versionstamp: CustomStringConvertible {
    /// The ten bytes of the commit in hexadecimal, followed by the user version.
    public var description: String {
        let commit = String(commitVersion, radix: 16)
        let batch = String(batchNumber, radix: 16)
        let padding = String(repeating: "0", count: 16 - commit.count)
        let batchPadding = String(repeating: "0", count: 4 - batch.count)
        return "versionstamp \(padding)\(commit)\(batchPadding)\(batch) user \(userVersion)"
    }
}
