import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is known of the terminal without asking it: a question in escape sequences goes wrong on plain pseudo-terminals.
enum Terminal {
    /// The columns of the terminal behind a descriptor; `COLUMNS` or 80 where there is none.
    static func width(of descriptor: Int32, otherwise width: Int = 80) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let text = environment("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        return width
    }

    /// The rows of the terminal behind a descriptor; `LINES` or 24 where there is none.
    static func height(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        if let text = environment("LINES"), let rows = Int(text), rows > 0 { return rows }
        return 24
    }

    /// A variable of the environment; `nil` if it is not set or empty.
    static func environment(_ name: String) -> String? {
        guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
        return unsafe String(cString: text)
    }

    /// Whether a terminal understands cursor movements, by its name alone.
    static var isDumb: Bool { environment("TERM").map { $0 == "dumb" } ?? true }
}

// MARK: - Colours

extension Terminal {
    /// What the user said of colours; see `--color`.
    enum ColorChoice: String, CaseIterable, Sendable {
        case auto
        case always
        case never
    }

    /// What was said on the command line or in the configuration: for the whole process.
    static let colorChoice = Mutex(ColorChoice.auto)

    /// Whether escape sequences may go to a descriptor.
    ///
    /// What was said on the command line comes first, then `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE` and
    /// `FORCE_COLOR`, then whether there is a terminal that is not dumb.
    static func takesStyle(_ descriptor: Int32) -> Bool {
        switch colorChoice.withLock({ $0 }) {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if environment("NO_COLOR") != nil { return false }
        for name in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
            if let value = environment(name), value != "0" { return true }
        }
        return isatty(descriptor) == 1 && !isDumb
    }
}
