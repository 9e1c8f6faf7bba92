/// The position of a change in the commit order of a FoundationDB cluster, 96 bits long.
///
/// LevelKit hands out none; the type is here so that keys made by FoundationDB can be read and written.
public struct Versionstamp: Sendable, Hashable {
    /// The version of the commit.
    public var commitVersion: UInt64
    /// The place among the transactions that were committed at that version.
    public var batchNumber: UInt16
    /// The place within the transaction, chosen by its author.
    public var userVersion: UInt16

    /// The versionstamp of its parts.
    public init(commitVersion: UInt64, batchNumber: UInt16, userVersion: UInt16 = 0) {
        self.commitVersion = commitVersion
        self.batchNumber = batchNumber
        self.userVersion = userVersion
    }

    /// The placeholder for a commit that has not happened yet: ten `ff` bytes before the user version.
    public static func incomplete(userVersion: UInt16 = 0) -> Versionstamp {
        Versionstamp(commitVersion: .max, batchNumber: .max, userVersion: userVersion)
    }

    /// Whether the cluster has filled in the commit.
    public var isComplete: Bool { commitVersion != .max || batchNumber != .max }
}

extension Versionstamp: Comparable {
    /// Commit order, then the order within the transaction.
    public static func < (lhs: Versionstamp, rhs: Versionstamp) -> Bool {
        (lhs.commitVersion, lhs.batchNumber, lhs.userVersion) < (rhs.commitVersion, rhs.batchNumber, rhs.userVersion)
    }
}

extension Versionstamp: CustomStringConvertible {
    /// The ten bytes of the commit in hexadecimal, then the user version.
    public var description: String {
        let commit = String(commitVersion, radix: 16)
        let batch = String(batchNumber, radix: 16)
        let padding = String(repeating: "0", count: 16 - commit.count)
        let batchPadding = String(repeating: "0", count: 4 - batch.count)
        return "versionstamp \(padding)\(commit)\(batchPadding)\(batch) user \(userVersion)"
    }
}
