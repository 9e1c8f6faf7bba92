#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is known of the terminal without asking it: a question in escape sequences goes wrong on plain pseudo-terminals.
enum Terminal {
    /// The columns of the terminal behind a descriptor; `COLUMNS` or 80 where there is none.
    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if let text = unsafe getenv("COLUMNS"), let columns = Int(unsafe String(cString: text)), columns > 0 {
            return columns
        }
        return 80
    }

    /// Whether escape sequences may go to a descriptor.
    static func takesStyle(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        if let noColor = unsafe getenv("NO_COLOR"), unsafe noColor.pointee != 0 { return false }
        guard let term = unsafe getenv("TERM") else { return false }
        return unsafe String(cString: term) != "dumb"
    }
}
