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
}
