/// The faults that JSON text can have. They define all codes and messages of ``JSONError``.
enum JSONProblem {
    case empty
    case endOfInput(expected: String)
    case unexpected(UInt8, expected: String)
    case trailingContent(UInt8)
    case trailingComma(closer: UInt8)
    case leadingZero
    case missingDigit(found: UInt8?, place: String)
    case integerOutOfRange
    case doubleOutOfRange
    case invalidEscape(UInt8)
    case invalidHexDigit(UInt8)
    case loneHighSurrogate
    case loneLowSurrogate
    case controlCharacter(UInt8)
    case invalidUTF8
    case duplicateName(String)
    case tooDeep
    case byteOrderMark
    case invalidExtendedForm(expected: String)
    case elementTooLong(limit: Int)

    var code: JSONError.Code {
        switch self {
        case .empty, .endOfInput: .unexpectedEnd
        case .unexpected, .trailingComma: .unexpectedByte
        case .trailingContent: .trailingContent
        case .leadingZero: .invalidNumber
        case .missingDigit(let found, _): found == nil ? .unexpectedEnd : .invalidNumber
        case .integerOutOfRange, .doubleOutOfRange: .numberOutOfRange
        case .invalidEscape, .invalidHexDigit: .invalidEscape
        case .loneHighSurrogate, .loneLowSurrogate: .loneSurrogate
        case .controlCharacter: .controlCharacter
        case .invalidUTF8: .invalidUTF8
        case .duplicateName: .duplicateName
        case .tooDeep: .tooDeep
        case .byteOrderMark: .byteOrderMark
        case .invalidExtendedForm: .invalidExtendedForm
        case .elementTooLong: .elementTooLong
        }
    }

    var message: String {
        switch self {
        case .empty:
            "Expected a JSON value but the text is empty; write an object, array, string, number, true, false or null."
        case .endOfInput(let expected):
            "Expected \(expected) but the text ends here; check that the text is complete."
        case .unexpected(let found, let expected):
            "Expected \(expected) but found \(Self.name(of: found))\(Self.advice(on: found))."
        case .trailingContent(let found):
            "Expected the end of the text after the value but found \(Self.name(of: found)); "
                + "write one value, or one on each line if the command reads JSON Lines."
        case .trailingComma(let closer):
            "Expected another item after the comma but found \(Self.name(of: closer)); remove the comma."
        case .leadingZero:
            "A number begins with a zero and has further digits; remove the zero, or write a string."
        case .missingDigit(let found, let place):
            "Expected a digit \(place) but \(found.map { "found " + Self.name(of: $0) } ?? "the text ends here"); "
                + "add the missing digits."
        case .integerOutOfRange:
            "An integer is outside the 64-bit range and no double represents it exactly; "
                + "write it as a string, or with an exponent to round it."
        case .doubleOutOfRange:
            "A number is too large for a double, whose limit is about 1.8e308; write it as a string."
        case .invalidEscape(let found):
            "Found \(Self.name(of: found)) after a backslash; escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and "
                + "\\uXXXX, and a backslash itself is written \\\\."
        case .invalidHexDigit(let found):
            "Expected four hexadecimal digits after \\u but found \(Self.name(of: found))."
        case .loneHighSurrogate:
            "A \\u escape from D800 to DBFF is the first half of a character; write the second half "
                + "(\\uDC00 to \\uDFFF) right after it."
        case .loneLowSurrogate:
            "A \\u escape from DC00 to DFFF is the second half of a character; write the first half "
                + "(\\uD800 to \\uDBFF) right before it."
        case .controlCharacter(let found):
            "A string contains \(Self.name(of: found)) unescaped; write it as an escape such as \\n or \\u001f, "
                + "or close the string if its quote is missing."
        case .invalidUTF8:
            "A string is not valid UTF-8 here; convert the text to UTF-8."
        case .duplicateName(let name):
            "The name \"\(name)\" occurs a second time in one object; keep one of the two members."
        case .tooDeep:
            "Arrays and objects are nested more than \(DocumentValue.maximumDepth) deep; flatten the value."
        case .byteOrderMark:
            "The text begins with a byte order mark; save it as UTF-8 without one."
        case .invalidExtendedForm(let expected):
            "Expected \(expected), because the object has a reserved $ name; "
                + "to store it literally, write {\"$lit\":{…}}."
        case .elementTooLong(let limit):
            "An element of the array is longer than \(limit) bytes; raise the limit or check for a missing quote."
        }
    }

    /// Returns the name of a byte in a message.
    private static func name(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"): "a line feed"
        case UInt8(ascii: "\r"): "a carriage return"
        case UInt8(ascii: "\t"): "a tab"
        case UInt8(ascii: " "): "a space"
        case UInt8(ascii: "'"): "a single quote"
        case 0x21...0x7e: "'\(Character(Unicode.Scalar(byte)))'"
        default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// Returns advice about a byte that people often write where JSON does not allow it.
    private static func advice(on byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "'"): "; use double quotes"
        case UInt8(ascii: "/"), UInt8(ascii: "#"): "; JSON has no comments"
        case UInt8(ascii: "N"), UInt8(ascii: "I"): "; JSON has no NaN or Infinity; write null or a string"
        case UInt8(ascii: "+"): "; a number has no plus sign"
        case UInt8(ascii: "."): "; a number begins with a digit"
        case UInt8(ascii: "T"), UInt8(ascii: "F"): "; true, false and null must be lower case"
        case 0xff, 0xfe, 0x00: "; the text may be UTF-16; convert it to UTF-8"
        default: ""
        }
    }
}
