/// The notation in which keys and values, which are arbitrary bytes, are shown and typed.
///
/// ```
/// bytes   := plain | dquoted | squoted | hex | b64
/// plain   := run of visible UTF-8 without space ' " \ ; | # and not beginning with 0x, b64:, - , @ , { or [
/// squoted := '…' raw, '' is one quote
/// dquoted := "…" with \\ \" \n \r \t \0 \e \xNN \u{H…}    (\xNN is a byte, \u{} a code point in UTF-8)
/// hex     := 0x([0-9A-Fa-f]{2})*          b64 := b64:BASE64
/// ```
///
/// Everything printed can be typed: ``parse(_:)`` reads the output of ``append(_:form:to:)`` as the same bytes, in any
/// command and next to any other argument. Printing is therefore stricter than reading: `plain` is used only if no
/// quoting could be needed, and everything else is printed quoted.
///
/// Reading uses an unquoted text *whole*, including spaces, because the user's own shell has already removed the quotes
/// from the arguments of a process. In lkrepl's shell, ``ShellScanner`` has split the line into such texts. There are
/// two exceptions:
///
/// - A backslash outside quotes is rejected: it is the rest of `"a\x00"` after another shell removed the quotes, and
///   storing the six characters would be a silent mistake.
/// - A string that begins with `{` or `[` is JSON and keeps its backslashes.
enum ByteNotation {
    /// The spelling of printed bytes.
    enum Form: String, NamedChoice, Sendable {
        static let unknownName = "unknown form of bytes"

        /// Plain if possible, otherwise in double quotes.
        case auto
        /// Always in double quotes.
        case text
        /// `0x` and two lowercase digits per byte.
        case hex
        /// `b64:` and standard base64 with padding.
        case base64
    }

    static let hexPrefix: StaticString = "0x"
    static let base64Prefix: StaticString = "b64:"
}

extension Span<UInt8> {
    /// Whether the bytes begin with an ASCII literal.
    func starts(with literal: StaticString) -> Bool {
        guard count >= literal.utf8CodeUnitCount else { return false }
        return literal.withUTF8Buffer { prefix in
            for index in 0..<prefix.count where unsafe prefix[index] != self[index] { return false }
            return true
        }
    }
}
