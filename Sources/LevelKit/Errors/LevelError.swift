/// What went wrong in LevelKit: a code for programs, a sentence for people.
///
/// The sentence says what was being done, to what, and what to do next. It never contains keys or values of the
/// user, so it may be logged.
public struct LevelError: Error, Sendable, Hashable {
    /// The kinds of failure a program may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Stored bytes are damaged or missing. Nothing was guessed in their place.
        case corruption
        /// The operating system refused to read or write.
        case io
        /// An argument, an option or a path cannot be used.
        case invalidArgument
        /// The engine cannot do this.
        case notSupported
        /// There is no database at the path.
        case databaseNotFound
        /// There is a database at the path, and the caller asked for a new one.
        case databaseExists
        /// Another process, or another handle of this process, has the database open.
        case locked
        /// Another process changes the database faster than it can be looked at; trying again may help.
        case busy
        /// The caller asked for the end of it before anything was changed.
        case cancelled
        /// The database is open for reading, and the call would change it.
        case readOnly
        /// The process was forked after the database was opened.
        case forked
        /// The database was closed.
        case closed
        /// Cursors stand on entries of the database that was closed; it is let go with the last of them.
        case cursorsAlive
        /// The database is ordered by another comparator.
        case comparatorMismatch
        /// What is recorded of a keyspace differs from what it is opened with.
        case schemaMismatch
        /// A stored key or value does not have the form that its keyspace declares.
        case malformedEntry
        /// A key, value or batch is larger than the engine can store.
        case tooLarge
        /// The engine gave a message of no known kind.
        case unknown
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, to what, and what to do next.
    public let message: String
    /// The engine's or the operating system's own words; `nil` where LevelKit itself found the fault.
    public let cause: String?
    /// The name of the file that is damaged, without its directory; `nil` where no file is to blame, or it is not known.
    public let file: String?
    /// Where in ``file`` the damage begins, in bytes; `nil` where no place is known.
    public let offset: UInt64?

    /// An error with its parts.
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
