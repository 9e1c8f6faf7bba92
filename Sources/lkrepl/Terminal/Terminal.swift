import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Properties of the terminal that are known without querying it: escape sequence queries fail on simple
/// pseudo-terminals.
enum Terminal {
    /// The columns of the terminal at a descriptor; `COLUMNS` or 80 if it is not a terminal.
    static func width(of descriptor: Int32, otherwise width: Int = 80) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let text = environment("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        return width
    }

    /// The rows of the terminal at a descriptor; `LINES` or 24 if it is not a terminal.
    static func height(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        if let text = environment("LINES"), let rows = Int(text), rows > 0 { return rows }
        return 24
    }

    /// The value of an environment variable; `nil` if it is unset or empty.
    static func environment(_ name: String) -> String? {
        guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
        return unsafe String(cString: text)
    }

    /// Whether the terminal does not support cursor movement, judging by its name alone.
    static var isDumb: Bool { environment("TERM").map { $0 == "dumb" } ?? true }
}

// MARK: - Colors

extension Terminal {
    /// The user's choice of colors; see `--color`.
    enum ColorChoice: String, CaseIterable, Sendable {
        case auto
        case always
        case never
    }

    /// The choice from the command line or the configuration, for the whole process.
    static let colorChoice = Mutex(ColorChoice.auto)

    /// Whether escape sequences may be sent to a descriptor.
    ///
    /// The command line takes precedence, then `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE` and `FORCE_COLOR`, then
    /// whether the descriptor is a terminal that is not dumb.
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
