#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason that bytes cannot be decoded as a tuple.
///
/// The message never contains the value of an element, because errors are logged and user data must not appear in logs.
public struct TupleError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// No further element exists.
        case endOfTuple
        /// Elements follow the expected end of the tuple.
        case trailingElements
        /// The key ends inside an element of fixed size.
        case truncated
        /// The key ends before the terminator of a byte string, a string, a nested tuple or a descending element.
        case unterminated
        /// An unknown type code.
        case unknownCode
        /// A string whose bytes are not UTF-8.
        case invalidUTF8
        /// An integer in more bytes than necessary.
        case nonCanonical
        /// The nesting exceeds ``Tuple/maximumDepth``.
        case tooDeep
        /// An element of a different type than requested.
        case typeMismatch
        /// An integer that the requested type cannot represent.
        case outOfRange
    }

    /// The kind of error.
    public let code: Code
    /// The byte offset of the element in the key.
    public let offset: Int
    /// The error and the next step, in sentences for people.
    public let message: String

    /// Private, because the functions below create all errors.
    private init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension TupleError: CustomStringConvertible {
    /// The position and the message.
    public var description: String { "Byte \(offset) of a tuple key: \(message)" }
}

extension TupleError: LocalizedError {
    /// The position and the message, which contains the next step.
    public var errorDescription: String? { description }
}

// MARK: - The messages

extension TupleError {
    static func endOfTuple(at offset: Int) -> TupleError {
        TupleError(
            .endOfTuple, at: offset,
            "The tuple has no further element. Compare the number of elements read with the number written."
        )
    }

    static func trailingElements(at offset: Int) -> TupleError {
        TupleError(
            .trailingElements, at: offset,
            "The tuple continues after the last expected element. Compare the number of elements read with the number "
                + "written."
        )
    }

    static func truncated(_ kind: Tuple.Element.Kind, at offset: Int) -> TupleError {
        TupleError(
            .truncated, at: offset,
            "The key ends inside \(kind.phrase). It was cut short, or it is not the key of a tuple."
        )
    }

    static func unterminated(_ kind: Tuple.Element.Kind, at offset: Int) -> TupleError {
        TupleError(
            .unterminated, at: offset,
            "The key ends before the terminator of \(kind.phrase). It was cut short, or it is not the key of a tuple."
        )
    }

    static func unknownCode(_ code: UInt8, at offset: Int) -> TupleError {
        TupleError(
            .unknownCode, at: offset,
            "No element has the type code \(hexadecimal([code])). The bytes are not the key of a tuple, or were "
                + "written with a type that only the writer supports."
        )
    }

    static func invalidUTF8(at offset: Int) -> TupleError {
        TupleError(
            .invalidUTF8, at: offset,
            "The bytes of a string are not valid UTF-8. Other software wrote them; skip the element, or read the key "
                + "as bytes."
        )
    }

    static func nonCanonical(at offset: Int) -> TupleError {
        TupleError(
            .nonCanonical, at: offset,
            "An integer takes more bytes than it needs. No tuple has this key; encode the value again to get its key."
        )
    }

    static func tooDeep(at offset: Int) -> TupleError {
        TupleError(
            .tooDeep, at: offset,
            "Elements are nested more than \(Tuple.maximumDepth) levels deep, the limit of LevelKit."
        )
    }

    static func typeMismatch(
        expected: Tuple.Element.Kind, found: Tuple.Element.Kind, at offset: Int
    ) -> TupleError {
        TupleError(
            .typeMismatch, at: offset,
            "The next element is \(found.phrase), not \(expected.phrase). Read it as that type, or with decodeElement()."
        )
    }

    static func outOfRange(_ type: String, at offset: Int) -> TupleError {
        TupleError(
            .outOfRange, at: offset,
            "The integer does not fit into \(type). Read it with decodeBigInteger()."
        )
    }
}

extension Tuple.Element.Kind {
    /// The kind with its article.
    fileprivate var phrase: String {
        switch self {
        case .null: "a null"
        case .bytes: "a byte string"
        case .string: "a string"
        case .tuple: "a nested tuple"
        case .integer: "an integer"
        case .float: "a 32-bit float"
        case .double: "a 64-bit float"
        case .bool: "a Boolean"
        case .uuid: "a UUID"
        case .versionstamp: "a versionstamp"
        case .descending: "a descending element"
        }
    }
}
