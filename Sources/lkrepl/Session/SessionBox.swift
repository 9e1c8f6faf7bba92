/// Shares the session and the settings of a shell with its commands, which run one at a time.
final class SessionBox: @unchecked Sendable {
    // Unchecked: the shell waits while its current command runs on another thread.
    var session: Session
    /// Whether the shell reads its commands from standard input, so that no command may read it.
    let readsStandardInput: Bool
    /// Whether commands may only read this database: the console of the inspector. ``ConsoleCommands`` explains refusals
    /// to people; this is the second lock.
    let isConfined: Bool
    var settings: ShellSettings
    /// Whether a command was allowed to write since this was last reset. The shell must then read a newer snapshot.
    var mayHaveWritten = false
    /// The last table that a command showed, for `.last`.
    let lastTable = LastTable()

    init(
        _ session: Session, readsStandardInput: Bool, isConfined: Bool = false,
        settings: ShellSettings = ShellSettings()
    ) {
        self.session = session
        self.isConfined = isConfined
        self.readsStandardInput = readsStandardInput
        self.settings = settings
    }

    /// Runs `body` while the shell's database is closed, and reopens it in the same mode afterwards.
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

    /// Runs `body` with the database open for writing, and then reopens it read-only, for a single writing command in a
    /// read-only shell.
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
