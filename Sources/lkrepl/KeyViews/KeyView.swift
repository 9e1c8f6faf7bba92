/// Shows and parses the keys of one database: in a declared format if there is one, otherwise in byte notation.
///
/// Everything shown can be typed, as with ``ByteNotation``: a key is shown in its format only if that text denotes the
/// same key, and a key whose plain notation would match the format is shown in quotes. Input in quotes, as `0x…` or as
/// `b64:…` is always bytes.
struct KeyView {
    /// The declared format; `nil` for bytes.
    var format: KeyFormat?
    /// The spelling of bytes. Any value except `.auto` shows keys as bytes, even if a format is declared.
    let form: ByteNotation.Form

    init(_ format: KeyFormat? = nil, form: ByteNotation.Form = .auto) {
        self.format = format
        self.form = form
    }

    /// The printed form of a value.
    func text(ofValue value: [UInt8]) -> String { ByteNotation.print(value, form: form) }

    /// The printed form of a key.
    func text(of key: [UInt8]) -> String {
        guard form == .auto else { return ByteNotation.print(key, form: form) }
        guard let format else { return ByteNotation.print(key) }
        if let text = format.text(of: key), Self.isOneWord(text), format.key(of: text) == key { return text }
        let plain = ByteNotation.print(key)
        return format.key(of: plain) == nil ? plain : ByteNotation.print(key, form: .text)
    }

    /// The key that a typed text denotes.
    ///
    /// - Throws: ``NotationError`` for invalid byte notation.
    func key(of text: String) throws -> [UInt8] {
        if let format, Self.isOneWord(text), let key = format.key(of: text) { return key }
        return try ByteNotation.parse(text)
    }

    /// The key on a line of a file.
    ///
    /// - Throws: ``NotationError`` for invalid byte notation.
    func key(of line: [UInt8]) throws -> [UInt8] {
        if let format, let text = String(validating: line, as: UTF8.self), Self.isOneWord(text),
            let key = format.key(of: text)
        {
            return key
        }
        return try ByteNotation.parse(line)
    }

    /// Whether a string needs no quotes, and does not begin like hex or base64. `#` is allowed after the first character.
    private static func isOneWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "#") else { return false }
        let bytes = Array(text.replacing("#", with: "_").utf8)
        return ByteNotation.print(bytes).utf8.elementsEqual(bytes)
    }
}
