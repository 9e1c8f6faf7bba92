#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// What an application shows in an alert: `localizedDescription` is the message, which contains the next step. The
// strings are in English.

extension DocIndexError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension JSONError: LocalizedError {
    /// The position and the message.
    public var errorDescription: String? { description }
}

extension FieldPath.SyntaxError: LocalizedError {
    /// The position and the message.
    public var errorDescription: String? { description }
}

extension DocumentObject.DuplicateNameError: LocalizedError {
    /// The name, its position, and the next step.
    public var errorDescription: String? { description }
}
