import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The mode of the terminal: line by line with its own editing, or key by key.
///
/// One per process, because there is only one terminal, and because every way of ending the process must restore it.
enum TerminalMode {
    private struct State {
        var original: termios?
        var isRaw = false
    }

    private static let state = Mutex(State())

    /// Makes the terminal pass on every key as it is typed, without echo, and with ^C and ^Z as characters.
    ///
    /// - Returns: Whether standard input is a terminal that supports it.
    static func makeRaw() -> Bool {
        state.withLock { state in
            if state.isRaw { return true }
            var mode = termios()
            guard unsafe tcgetattr(0, &mode) == 0 else { return false }
            state.original = mode
            mode.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
            mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
            mode.c_cflag |= tcflag_t(CS8)
            // Output processing stays on: messages of other programs end their lines with a line feed only.
            guard unsafe tcsetattr(0, TCSADRAIN, &mode) == 0 else { return false }
            state.isRaw = true
            return true
        }
    }

    /// Restores the original mode of the terminal.
    static func restore() {
        state.withLock { state in
            guard state.isRaw, var original = state.original else { return }
            _ = unsafe tcsetattr(0, TCSADRAIN, &original)
            state.isRaw = false
        }
    }
}
