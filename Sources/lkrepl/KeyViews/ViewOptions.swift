import ArgumentParser

/// The options for showing and typing keys.
struct ViewOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "Use this key format, such as \"'photo/' utf8 '/' u64be\"; none for bytes. See keyfmt.")
    var keyfmt: String?

    @Option(name: .long, help: "Print bytes in tables and lists of keys as auto, text, hex or base64.")
    var bytes: String?

    /// Whether any option was given.
    var isGiven: Bool { keyfmt != nil || bytes != nil }

    /// The view of a session's keys: that of the option, or of the format declared by `keyfmt`.
    func view(of session: Session) throws -> KeyView {
        try view(ofDatabaseAt: session.path)
    }

    /// The view of a database's keys.
    func view(ofDatabaseAt path: String) throws -> KeyView {
        let form = try bytes.map { try ByteNotation.Form(named: $0) } ?? .auto
        guard let keyfmt else { return KeyView(try KeyProfiles().format(of: path), form: form) }
        let text = try ArgumentOrigin.current.text(of: keyfmt)
        return KeyView(text == "none" ? nil : try KeyFormat(text), form: form)
    }
}
