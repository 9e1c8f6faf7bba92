/// An error in a document body, or in a value that cannot be encoded as one.
///
/// The message never contains values of the document, because messages are logged. It may contain a member name.
package struct BodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Code: Sendable, Hashable, CaseIterable {
        /// The body ends inside a value, or is empty.
        case truncated
        /// This library cannot read the version in the first byte.
        case unsupportedVersion
        /// A tag that is unknown, or reserved for a later version.
        case unsupportedTag
        /// A variable-length integer is longer than necessary or exceeds 64 bits.
        case invalidVarint
        /// A value is not in its shortest form.
        case notShortest
        /// A length or count does not match the data around it.
        case invalidLength
        /// The table of an object is inconsistent with itself or with the values after it.
        case invalidObjectTable
        /// A date has an offset from UTC of a day or more.
        case invalidDate
        /// The digest, size, type or name of an attachment is missing or invalid.
        case invalidAttachment
        /// The table of names does not contain this number: it is older than the body, or belongs to another
        /// collection.
        case unknownName
        /// A name is inlined that belongs in the table of names.
        case invalidName
        /// A string or name that is not valid UTF-8.
        case invalidUTF8
        /// Two members of one object have the same name.
        case duplicateName
        /// Arrays and objects are nested deeper than ``DocumentValue/maximumDepth``.
        case tooDeep
        /// An object takes 4 GiB or more.
        case tooLarge
        /// Bytes follow the value.
        case trailingBytes
    }

    /// The kind of error.
    package let code: Code
    /// The offset from the start of the body in bytes; 0 if a value could not be encoded.
    package let offset: Int
    /// A description: what was expected, what was found, and what to do.
    package let message: String

    /// The offset and the message.
    package var description: String { "Document body, byte \(offset): \(message)" }

    package init(_ fault: BodyProblem, at offset: Int) {
        code = fault.code
        message = fault.message
        self.offset = offset
    }
}

/// The faults that a body can have. They define all codes and messages of ``BodyError``.
package enum BodyProblem {
    case truncated
    case unsupportedVersion(UInt8)
    case unsupportedTag(UInt8)
    case invalidVarint
    case notShortest
    case lengthBeyondEnd
    case lengthNotUsedUp
    case invalidObjectTable
    case invalidDate
    case invalidAttachment
    case unknownName(Int)
    case invalidName
    case invalidUTF8
    case duplicateName(String)
    case tooDeep
    case tooLarge
    case trailingBytes

    var code: BodyError.Code {
        switch self {
        case .truncated: .truncated
        case .unsupportedVersion: .unsupportedVersion
        case .unsupportedTag: .unsupportedTag
        case .invalidVarint: .invalidVarint
        case .notShortest: .notShortest
        case .lengthBeyondEnd, .lengthNotUsedUp: .invalidLength
        case .invalidObjectTable: .invalidObjectTable
        case .invalidDate: .invalidDate
        case .invalidAttachment: .invalidAttachment
        case .unknownName: .unknownName
        case .invalidName: .invalidName
        case .invalidUTF8: .invalidUTF8
        case .duplicateName: .duplicateName
        case .tooDeep: .tooDeep
        case .tooLarge: .tooLarge
        case .trailingBytes: .trailingBytes
        }
    }

    var message: String {
        switch self {
        case .truncated:
            "The body ends inside a value; \(Self.damaged)."
        case .unsupportedVersion(let version):
            "The body has format version \(version), but this library reads version \(BodyFormat.version); "
                + "update the library, or check the database if no newer one wrote it."
        case .unsupportedTag(let tag):
            "A value has the type tag \(tag), which this library does not read; "
                + "update the library, or check the database if no newer one wrote it."
        case .invalidVarint:
            "An integer is not in its shortest form or exceeds 64 bits; \(Self.damaged)."
        case .notShortest:
            "A value is not in its shortest form; \(Self.damaged)."
        case .lengthBeyondEnd:
            "A length or count reaches beyond the value that contains it; \(Self.damaged)."
        case .lengthNotUsedUp:
            "An array or object ends before its stated length; \(Self.damaged)."
        case .invalidObjectTable:
            "The table of an object does not fit its values; \(Self.damaged)."
        case .invalidDate:
            "A date has an offset from UTC of a day or more; \(Self.damaged)."
        case .invalidAttachment:
            "The digest, size, type or name of an attachment is missing or invalid; \(Self.damaged)."
        case .unknownName(let number):
            "The table of names has no name with number \(number); "
                + "read the body with the current field names of the same collection."
        case .invalidName:
            "A name is inlined that belongs in the table of names; \(Self.damaged)."
        case .invalidUTF8:
            "A string is not valid UTF-8; \(Self.damaged)."
        case .duplicateName(let name):
            "The name \"\(name)\" occurs a second time in one object; \(Self.damaged)."
        case .tooDeep:
            "Arrays and objects are nested more than \(DocumentValue.maximumDepth) deep; flatten the value."
        case .tooLarge:
            "An object takes 4 GiB or more; keep large content outside of the document."
        case .trailingBytes:
            "Bytes follow the value; \(Self.damaged)."
        }
    }

    private static let damaged = "the body is damaged; verify the database and restore the document from a backup"
}
