extension Tuple {
    /// The position of a change in the commit order of a FoundationDB cluster, 96 bits long.
    ///
    /// LevelKit does not generate versionstamps. The type exists so that FoundationDB's keys can be read and written.
    public struct Versionstamp: Sendable, Hashable {
        /// The version of the commit.
        public var commitVersion: UInt64
        /// The position among the transactions committed at that version.
        public var batchNumber: UInt16
        /// The position within the transaction, which the client chooses.
        public var userVersion: UInt16

        /// Creates a versionstamp.
        public init(commitVersion: UInt64, batchNumber: UInt16, userVersion: UInt16 = 0) {
            self.commitVersion = commitVersion
            self.batchNumber = batchNumber
            self.userVersion = userVersion
        }

        /// Returns the placeholder for a pending commit: ten `ff` bytes before the user version.
        package static func incomplete(userVersion: UInt16 = 0) -> Tuple.Versionstamp {
            Tuple.Versionstamp(commitVersion: .max, batchNumber: .max, userVersion: userVersion)
        }

        /// Whether the cluster has filled in the commit version.
        package var isComplete: Bool { commitVersion != .max || batchNumber != .max }
    }
}

extension Tuple.Versionstamp: Comparable {
    /// Compares by commit order, then by the order within the transaction.
    public static func < (lhs: Tuple.Versionstamp, rhs: Tuple.Versionstamp) -> Bool {
        (lhs.commitVersion, lhs.batchNumber, lhs.userVersion) < (rhs.commitVersion, rhs.batchNumber, rhs.userVersion)
    }
}

extension Tuple.Versionstamp: CustomStringConvertible {
    /// The ten bytes of the commit in hexadecimal, followed by the user version.
    public var description: String {
        "versionstamp \(hexadecimal(commitVersion))\(hexadecimal(batchNumber)) user \(userVersion)"
    }
}
