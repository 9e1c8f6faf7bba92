import ArgumentParser

/// The option that says how keys are shown and typed.
struct ViewOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "The form of the keys, such as \"'photo/' utf8 '/' u64be\"; none for bytes. See keyfmt.")
    var keyfmt: String?

    @Option(name: .long, help: "How bytes are printed in tables and lists of keys: auto, text, hex or base64.")
    var bytes: String?

    /// The view of the keys of a session: the option, or what `keyfmt` has declared.
    func view(of session: Session) throws -> KeyView {
        try view(ofDatabaseAt: session.path)
    }

    /// The view of the keys of a database.
    func view(ofDatabaseAt path: String) throws -> KeyView {
        let form = try bytes.map { try ByteNotation.Form(named: $0) } ?? .auto
        guard let keyfmt else { return KeyView(try KeyProfiles().format(of: path), form: form) }
        let text = try ArgumentOrigin.current.text(of: keyfmt)
        return KeyView(text == "none" ? nil : try KeyFormat(text), form: form)
    }
}
