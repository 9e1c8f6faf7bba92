/// Why the bytes of a key are not a key of a ``KeySchema``.
///
/// The message never contains the value of a component: errors get logged, the values of users stay out of logs.
public struct KeySchemaError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The bytes where the component should be are no element, or one of another kind, or not there.
        case malformed
        /// The element has the right kind but stands for no value of the component's type.
        case invalidValue
        /// The key goes on after the last component.
        case trailingBytes
    }

    /// What is wrong.
    public let code: Code
    /// The name of the component in question; `nil` if the key goes on after the last one.
    public let component: String?
    /// Where in the key the fault begins, in bytes.
    public let offset: Int
    /// What happened and what to do about it, in sentences for a person.
    public let message: String
    /// Why the component cannot be read; `nil` where the encoding itself is sound.
    public let cause: TupleError?
}

extension KeySchemaError: CustomStringConvertible {
    /// The message, followed by the cause in parentheses.
    public var description: String {
        cause.map { "\(message) (\($0.message))" } ?? message
    }
}

// MARK: - The messages

extension KeySchemaError {
    static func malformed(component: String, of schema: String, cause: TupleError) -> KeySchemaError {
        KeySchemaError(
            code: .malformed, component: component, offset: cause.offset,
            message: "Byte \(cause.offset) of a key: the component \(component) of the key schema \(schema) cannot be "
                + "read. The key was written with another schema, or is damaged.",
            cause: cause)
    }

    static func invalidValue(
        component: KeyComponentDescription, of schema: String, offset: Int
    ) -> KeySchemaError {
        KeySchemaError(
            code: .invalidValue, component: component.name, offset: offset,
            message: "Byte \(offset) of a key: the component \(component.name) of the key schema \(schema) has a value "
                + "that its type (stored as \(component.typeName)) does not know. "
                + "The key was written by a program that knew more values.",
            cause: nil)
    }

    static func trailingBytes(after schema: String, offset: Int) -> KeySchemaError {
        KeySchemaError(
            code: .trailingBytes, component: nil, offset: offset,
            message: "Byte \(offset) of a key: it goes on after the last component of the key schema \(schema). "
                + "The key was written with another schema.",
            cause: nil)
    }
}
