/// Why a replication cannot go on.
public struct SyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The peer does not accept the credentials.
        case unauthorized
        /// The credentials do not permit this.
        case forbidden
        /// The peer has no such database.
        case databaseMissing
        /// The database of the peer was replaced while the replication was running.
        case databaseReplaced
        /// The peer answers with an error that another attempt would not change.
        case peerFailed
    }

    /// The kind of error.
    public let code: Code
    /// A description of the failure, and what to do next. It contains no password.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// Returns the error for a failed request; `error` itself if it has a different type.
    static func of(_ error: any Error) -> any Error {
        guard let error = error as? PeerError else { return error }
        switch error.status {
        case 401: return SyncError(.unauthorized, "The peer does not accept the credentials (\(error)); check them.")
        case 403: return SyncError(.forbidden, "The peer does not permit this (\(error)); ask for the right.")
        case 404:
            return SyncError(
                .databaseMissing, "The peer has no such database (\(error)); check the address or create it.")
        default: return SyncError(.peerFailed, "The peer failed (\(error)); see its log.")
        }
    }
}
