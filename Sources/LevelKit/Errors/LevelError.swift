/// An error of LevelKit: a code for programs and a message for people.
///
/// The message names the failed action, its object and the next step. It never contains user keys or values, so it may
/// be logged.
public struct LevelError: Error, Sendable, Hashable {
    /// The kinds of failure that a program may want to distinguish.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Stored data is corrupt or missing. It was not replaced by guesses.
        case corruption
        /// The operating system refused to read or write.
        case io
        /// An argument, an option or a path is invalid.
        case invalidArgument
        /// LevelDB does not support this.
        case notSupported
        /// The path does not contain a database.
        case databaseNotFound
        /// The path already contains a database, and the caller required a new one.
        case databaseExists
        /// Another process, or another handle in this process, has the database open.
        case locked
        /// Another process changes the database too fast to read a consistent state. A retry may help.
        case busy
        /// The caller canceled the operation before anything was changed.
        case cancelled
        /// The database is open for reading, and the call would change it.
        case readOnly
        /// The process was forked after the database was opened.
        case forked
        /// The database was closed.
        case closed
        /// Cursors are still on entries of the closed database. The directory is released with the last of them.
        case cursorsAlive
        /// The database is ordered by another comparator.
        case comparatorMismatch
        /// The recorded definition of a keyspace differs from the one it is opened with.
        case schemaMismatch
        /// A stored key or value does not have the format that its keyspace declares.
        case malformedEntry
        /// A key, value or batch is larger than LevelDB can store.
        case tooLarge
        /// LevelDB reported a message of an unknown kind.
        case unknown
    }

    /// The kind of failure.
    public let code: Code
    /// The failed action, its object and the next step.
    public let message: String
    /// The message of LevelDB or the operating system, or `nil` if LevelKit itself found the fault.
    public let cause: String?
    /// The name of the corrupt file, without its directory, or `nil` if no file is at fault or it is unknown.
    public let file: String?
    /// The byte offset of the corruption in ``file``, or `nil` if it is unknown.
    public let offset: UInt64?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, cause: String? = nil, file: String? = nil, offset: UInt64? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.file = file
        self.offset = offset
    }
}

extension LevelError: CustomStringConvertible {
    /// The message, followed by the cause in parentheses.
    public var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}
