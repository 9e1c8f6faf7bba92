#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TypedCollection {
    /// A version of a value: what a commit stored, or that it deleted the value.
    public struct Version {
        /// The sequence number of the commit.
        public let sequence: UInt64
        /// When the commit was made; `nil` if that is not known. See ``DocumentCollection/Version/time``.
        public let time: Date?
        /// The value; `nil` if the commit deleted it.
        public let value: Value?
    }
}

extension TypedCollection.Version: Sendable where Value: Sendable {}

extension TypedCollection {
    /// Returns the versions of a value, newest first; empty if there never was a value with that ID.
    ///
    /// - Throws: `DecodingError` if a version does not fit the type, which may have changed since then; the errors of
    ///   ``DocumentCollection/history(of:before:limit:)``.
    public func history(
        of id: Value.ID, before sequence: UInt64? = nil, limit: Int = 100
    ) throws -> [Version] {
        try documents.history(of: documentID(id), before: sequence, limit: limit).map { version in
            Version(
                sequence: version.sequence, time: version.time, value: try version.document.map(value(of:)))
        }
    }

    /// Returns the value as it was after a commit; `nil` if it did not exist then.
    ///
    /// - Throws: `DecodingError` if the version does not fit the type; the errors of
    ///   ``DocumentCollection/document(_:at:)``.
    public func get(_ id: Value.ID, at sequence: UInt64) throws -> Value? {
        try documents.document(documentID(id), at: sequence).map(value(of:))
    }
}
