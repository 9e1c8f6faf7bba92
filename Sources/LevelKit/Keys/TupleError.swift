/// Why the bytes of a key cannot be read as the tuple they were taken for.
///
/// The message never contains the value of an element: errors get logged, the values of users stay out of logs.
public struct TupleError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// There is no further element to read.
        case endOfTuple
        /// Elements follow where the tuple should be over.
        case trailingElements
        /// The key ends inside an element of a given size.
        case truncated
        /// The key ends before the terminator of a byte string, a string, a nested tuple or a descending element.
        case unterminated
        /// A type code that no element has.
        case unknownCode
        /// A string whose bytes are not UTF-8.
        case invalidUTF8
        /// An integer in more bytes than it needs.
        case nonCanonical
        /// Elements that contain one another beyond ``Tuple/maximumDepth``.
        case tooDeep
        /// An element of another type than the one asked for.
        case typeMismatch
        /// An integer that the type asked for cannot hold.
        case outOfRange
    }

    /// What is wrong.
    public let code: Code
    /// Where in the key the element in question begins, in bytes.
    public let offset: Int
    /// What happened and what to do about it, in sentences for a person.
    public let message: String

    /// An error of its parts; all of the library's are made by the functions below.
    private init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension TupleError: CustomStringConvertible {
    /// The message and the position.
    public var description: String { "Byte \(offset) of a tuple key: \(message)" }
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
            "The tuple goes on after the last element expected. Compare the number of elements read with the number "
                + "written."
        )
    }

    static func truncated(_ kind: TupleElement.Kind, at offset: Int) -> TupleError {
        TupleError(
            .truncated, at: offset,
            "The key ends inside \(kind.phrase). It was cut short, or it is not the key of a tuple."
        )
    }

    static func unterminated(_ kind: TupleElement.Kind, at offset: Int) -> TupleError {
        TupleError(
            .unterminated, at: offset,
            "The key ends before the terminator of \(kind.phrase). It was cut short, or it is not the key of a tuple."
        )
    }

    static func unknownCode(_ code: UInt8, at offset: Int) -> TupleError {
        TupleError(
            .unknownCode, at: offset,
            "No element begins with the type code \(hexadecimal([code])). The key is not that of a tuple, or was "
                + "written with a type that only its writer knows."
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
            "An integer takes more bytes than it needs. No tuple has this key; write the value again to get its own."
        )
    }

    static func tooDeep(at offset: Int) -> TupleError {
        TupleError(
            .tooDeep, at: offset,
            "Elements contain one another more than \(Tuple.maximumDepth) levels deep, the most that LevelKit reads."
        )
    }

    static func typeMismatch(
        expected: TupleElement.Kind, found: TupleElement.Kind, at offset: Int
    ) -> TupleError {
        TupleError(
            .typeMismatch, at: offset,
            "Here is \(found.phrase), not \(expected.phrase). Read it as what it is, or with decodeElement()."
        )
    }

    static func outOfRange(_ type: String, at offset: Int) -> TupleError {
        TupleError(
            .outOfRange, at: offset,
            "The integer does not fit into \(type). Read it with decodeBigInteger()."
        )
    }
}

extension TupleElement.Kind {
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
        case .bool: "a truth value"
        case .uuid: "a UUID"
        case .versionstamp: "a versionstamp"
        case .descending: "a descending element"
        }
    }
}
