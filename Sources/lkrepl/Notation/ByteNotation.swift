/// The one way in which keys and values, which are any bytes, are shown and typed.
///
/// ```
/// bytes   := plain | dquoted | squoted | hex | b64
/// plain   := run of visible UTF-8 without space ' " \ ; | # and not beginning with 0x, b64:, - , @ , { or [
/// squoted := '…' raw, '' is one quote
/// dquoted := "…" with \\ \" \n \r \t \0 \e \xNN \u{H…}    (\xNN is a byte, \u{} a code point in UTF-8)
/// hex     := 0x([0-9A-Fa-f]{2})*          b64 := b64:BASE64
/// ```
///
/// Printing is closed under typing: what ``append(_:form:to:)`` writes, ``parse(_:)`` reads as the same bytes, in any
/// command and next to any other argument. So printing is stricter than reading: `plain` is what needs no thought,
/// and everything else is printed quoted.
///
/// Reading takes an unquoted text *whole*, spaces included, because in the arguments of a process the user's own shell
/// has removed the quotes already. In lkrepl's shell, ``ShellScanner`` has cut the line into such texts. Two cases are
/// not taken as they stand:
///
/// - A backslash outside quotes is refused: it is what is left of `"a\x00"` after another shell ate the quotes, and
///   storing the six characters would be a silent mistake.
/// - A text that begins with `{` or `[` is JSON and keeps its backslashes.
enum ByteNotation {
    /// Which spelling printing uses.
    enum Form: String, NamedChoice, Sendable {
        static let unknownName = "there is no form of bytes"

        /// Plain if the bytes qualify, else in double quotes.
        case auto
        /// Always in double quotes.
        case text
        /// `0x` and two lower-case digits a byte.
        case hex
        /// `b64:` and standard base64 with padding.
        case base64
    }

    static let hexPrefix: StaticString = "0x"
    static let base64Prefix: StaticString = "b64:"
}

extension Span<UInt8> {
    /// Whether the bytes begin with those of an ASCII literal.
    func starts(with literal: StaticString) -> Bool {
        guard count >= literal.utf8CodeUnitCount else { return false }
        return literal.withUTF8Buffer { prefix in
            for index in 0..<prefix.count where unsafe prefix[index] != self[index] { return false }
            return true
        }
    }
}
