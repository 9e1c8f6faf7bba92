/// Carries the session and the settings of a shell to its commands, which run one at a time.
final class SessionBox: @unchecked Sendable {
    // Unchecked: the shell waits while the one command that it has started runs on another thread.
    var session: Session
    /// Whether the commands come from standard input, so that no command may read it.
    let readsStandardInput: Bool
    var settings: ShellSettings
    /// Whether a command was allowed to write since this was last set to `false`: what a shell reads must not be older
    /// than what it has written.
    var mayHaveWritten = false
    /// The rows of the last table, for `.last`.
    var lastTable: HeldTable?

    init(_ session: Session, readsStandardInput: Bool, settings: ShellSettings = ShellSettings()) {
        self.session = session
        self.readsStandardInput = readsStandardInput
        self.settings = settings
    }

    /// Runs `body` while the shell has the database closed, and opens it again as it was open before.
    func withClosedSession<R>(_ body: () throws -> R) throws -> R {
        let access = DatabaseAccess(isExclusive: !session.isReadOnly, timeout: .seconds(1), isQuiet: true)
        let path = session.path
        let isPinned = session.isPinned
        try session.close()
        let result = Result { try body() }
        session = try Session(path: path, access: access)
        if isPinned { try session.pin() }
        return try result.get()
    }

    /// Runs `body` with the database open for writing, and afterwards reads it as it is then. For one command that may write
    /// in a shell that reads.
    func withWritableSession<R>(_ access: DatabaseAccess, _ body: (Session) throws -> R) throws -> R {
        let path = session.path
        let writing = try Session(path: path, access: access)
        let reading = session
        session = writing
        defer {
            let access = DatabaseAccess(isExclusive: false, isQuiet: true, checksEveryBlock: access.checksEveryBlock)
            if let renewed = try? Session(path: path, access: access) {
                session = renewed
                try? reading.close()
            } else {
                session = reading
            }
        }
        do {
            let result = try body(writing)
            try writing.close()
            return result
        } catch {
            try? writing.close()
            throw error
        }
    }
}
