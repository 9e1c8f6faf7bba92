#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason that bytes are not a key of a ``KeySchema``.
///
/// The message never contains the value of a component, because errors are logged and user data must not appear in
/// logs.
public struct KeySchemaError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The bytes of the component are missing, are not a tuple element, or are an element of a different kind.
        case malformed
        /// The element has the right kind, but is not a value of the component's type.
        case invalidValue
        /// Bytes follow the last component.
        case trailingBytes
    }

    /// The kind of error.
    public let code: Code
    /// The name of the component, or `nil` if bytes follow the last component.
    public let component: String?
    /// The byte offset of the error in the key.
    public let offset: Int
    /// The error and the next step, in sentences for people.
    public let message: String
    /// The reason that the component is unreadable, or `nil` if the encoding itself is valid.
    public let cause: TupleError?
}

extension KeySchemaError: CustomStringConvertible {
    /// The message, followed by the cause in parentheses.
    public var description: String {
        cause.map { "\(message) (\($0.message))" } ?? message
    }
}

extension KeySchemaError: LocalizedError {
    /// The message, which contains the next step.
    public var errorDescription: String? { message }

    /// The reason that the component is unreadable, or `nil` if the encoding itself is valid.
    public var failureReason: String? { cause?.message }
}

// MARK: - The messages

extension KeySchemaError {
    static func malformed(component: String, of schema: String, cause: TupleError) -> KeySchemaError {
        KeySchemaError(
            code: .malformed, component: component, offset: cause.offset,
            message: "Byte \(cause.offset) of a key: the component \(component) of the key schema \(schema) cannot be "
                + "read. The key was written with a different schema, or is damaged.",
            cause: cause)
    }

    static func invalidValue(
        component: KeyComponentDescription, of schema: String, offset: Int
    ) -> KeySchemaError {
        KeySchemaError(
            code: .invalidValue, component: component.name, offset: offset,
            message: "Byte \(offset) of a key: the component \(component.name) of the key schema \(schema) has a value "
                + "that its type (stored as \(component.typeName)) does not have. "
                + "The key was written by a program that knew more values.",
            cause: nil)
    }

    static func trailingBytes(after schema: String, offset: Int) -> KeySchemaError {
        KeySchemaError(
            code: .trailingBytes, component: nil, offset: offset,
            message: "Byte \(offset) of a key: bytes follow the last component of the key schema \(schema). "
                + "The key was written with a different schema.",
            cause: nil)
    }
}
