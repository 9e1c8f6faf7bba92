/// Why bytes are no document body, or why a value cannot become one.
///
/// The message never contains a value of the document, because messages are logged; a member name may appear in it.
public struct BodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The body ends inside a value, or is empty.
        case truncated
        /// The first byte is not a version this library reads.
        case unsupportedVersion
        /// A tag that is unknown, or reserved for a later version.
        case unsupportedTag
        /// A variable-length integer of more bytes than needed, or beyond 64 bits.
        case invalidVarint
        /// A length or count that does not fit what surrounds or follows it.
        case invalidLength
        /// A string or name that is not valid UTF-8.
        case invalidUTF8
        /// Two members of one object with the same name.
        case duplicateName
        /// More than ``DocumentValue/maximumDepth`` arrays and objects inside each other.
        case tooDeep
        /// Bytes follow the value.
        case trailingBytes
    }

    /// What is wrong.
    public let code: Code
    /// Where, in bytes from the beginning of the body; 0 when a value could not be encoded.
    public let offset: Int
    /// What was expected, what was found, and what to do.
    public let message: String

    /// Place and message.
    public var description: String { "Document body, byte \(offset): \(message)" }

    init(_ fault: BodyFault, at offset: Int) {
        code = fault.code
        message = fault.message
        self.offset = offset
    }
}

/// What can be wrong with a body: all codes and messages of ``BodyError`` are made here.
enum BodyFault {
    case truncated
    case unsupportedVersion(UInt8)
    case unsupportedTag(UInt8)
    case invalidVarint
    case lengthBeyondEnd
    case lengthNotUsedUp
    case invalidUTF8
    case duplicateName(String)
    case tooDeep
    case trailingBytes

    var code: BodyError.Code {
        switch self {
        case .truncated: .truncated
        case .unsupportedVersion: .unsupportedVersion
        case .unsupportedTag: .unsupportedTag
        case .invalidVarint: .invalidVarint
        case .lengthBeyondEnd, .lengthNotUsedUp: .invalidLength
        case .invalidUTF8: .invalidUTF8
        case .duplicateName: .duplicateName
        case .tooDeep: .tooDeep
        case .trailingBytes: .trailingBytes
        }
    }

    var message: String {
        switch self {
        case .truncated:
            "The body ends inside a value; \(Self.damaged)."
        case .unsupportedVersion(let version):
            "The body has format version \(version) and this library reads version \(BodyFormat.version); "
                + "update the library, or check the database if no newer one wrote it."
        case .unsupportedTag(let tag):
            "A value has the type tag \(tag), which this library does not read; "
                + "update the library, or check the database if no newer one wrote it."
        case .invalidVarint:
            "An integer is not in its shortest form or exceeds 64 bits; \(Self.damaged)."
        case .lengthBeyondEnd:
            "A length or count reaches beyond the value that contains it; \(Self.damaged)."
        case .lengthNotUsedUp:
            "An array or object ends before its stated length; \(Self.damaged)."
        case .invalidUTF8:
            "A string is not valid UTF-8; \(Self.damaged)."
        case .duplicateName(let name):
            "The name \"\(name)\" occurs a second time in one object; \(Self.damaged)."
        case .tooDeep:
            "Arrays and objects are nested more than \(DocumentValue.maximumDepth) deep; flatten the value."
        case .trailingBytes:
            "Bytes follow the value; \(Self.damaged)."
        }
    }

    private static let damaged = "the body is damaged, verify the database and restore the document from a backup"
}
