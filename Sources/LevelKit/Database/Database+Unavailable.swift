// Calls that users of other databases try first. The compiler's error says what to write instead.
extension Database {
    /// Unavailable; see ``open(at:options:mode:)``.
    @available(*, unavailable, message: "write Database.open(at: path); the path is that of a directory")
    public convenience init(path: String) throws { fatalError() }

    /// Unavailable; see ``open(at:options:mode:)``.
    @available(*, unavailable, message: "write Database.open(at: path); the path is that of a directory")
    public convenience init(at path: String) throws { fatalError() }

    /// Unavailable; see ``open(at:options:mode:)``.
    @available(*, unavailable, message: "write Database.open(at: url.path); the URL is that of a directory")
    public convenience init<URL>(url: URL) throws { fatalError() }
}
