/// How the keys of one database are shown and typed: by a declared format where there is one, else as bytes.
///
/// What is shown can be typed back, as with ``ByteNotation``: a key is shown by its format only if the text leads back to
/// the key, and a key whose plain notation the format would read as another one is shown in quotes. What is typed in
/// quotes, as `0x…` or as `b64:…` is always bytes.
struct KeyView {
    /// The declared format; `nil` for bytes.
    var format: KeyFormat?
    /// The spelling of bytes. Any but the usual one has bytes shown as bytes, whatever their format.
    let form: ByteNotation.Form

    init(_ format: KeyFormat? = nil, form: ByteNotation.Form = .auto) {
        self.format = format
        self.form = form
    }

    /// A value as it is shown.
    func text(ofValue value: [UInt8]) -> String { ByteNotation.print(value, form: form) }

    /// A key as it is shown.
    func text(of key: [UInt8]) -> String {
        guard form == .auto else { return ByteNotation.print(key, form: form) }
        guard let format else { return ByteNotation.print(key) }
        if let text = format.text(of: key), Self.isOneWord(text), format.key(of: text) == key { return text }
        let plain = ByteNotation.print(key)
        return format.key(of: plain) == nil ? plain : ByteNotation.print(key, form: .text)
    }

    /// The key that was typed.
    ///
    /// - Throws: ``NotationError``.
    func key(of text: String) throws -> [UInt8] {
        if let format, Self.isOneWord(text), let key = format.key(of: text) { return key }
        return try ByteNotation.parse(text)
    }

    /// The key that a line of a file holds.
    ///
    /// - Throws: ``NotationError``.
    func key(of line: [UInt8]) throws -> [UInt8] {
        if let format, let text = String(validating: line, as: UTF8.self), Self.isOneWord(text),
            let key = format.key(of: text)
        {
            return key
        }
        return try ByteNotation.parse(line)
    }

    /// Whether a text needs no quotes, and is none of the spellings that stand for bytes. A `#` within is allowed.
    private static func isOneWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "#") else { return false }
        let bytes = Array(text.replacing("#", with: "_").utf8)
        return ByteNotation.print(bytes).utf8.elementsEqual(bytes)
    }
}
