import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How the terminal hands on what is typed: line by line with its own editing, or key by key.
///
/// One for the process, because the terminal is one, and because whatever ends the process must put it back.
enum TerminalMode {
    private struct State {
        var original: termios?
        var isRaw = false
    }

    private static let state = Mutex(State())

    /// Has every key handed on as it is typed, without echo, ^C and ^Z as characters.
    ///
    /// - Returns: whether standard input is a terminal that can.
    static func makeRaw() -> Bool {
        state.withLock { state in
            if state.isRaw { return true }
            var mode = termios()
            guard unsafe tcgetattr(0, &mode) == 0 else { return false }
            state.original = mode
            mode.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
            mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
            mode.c_cflag |= tcflag_t(CS8)
            // Output processing stays on: messages of others end their lines with a line feed alone.
            guard unsafe tcsetattr(0, TCSADRAIN, &mode) == 0 else { return false }
            state.isRaw = true
            return true
        }
    }

    /// Puts the terminal back as it was found.
    static func restore() {
        state.withLock { state in
            guard state.isRaw, var original = state.original else { return }
            _ = unsafe tcsetattr(0, TCSADRAIN, &original)
            state.isRaw = false
        }
    }
}
