#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// What an application shows in an alert: `localizedDescription` is the message, which contains the next step. The
// strings are in English.

extension SyncError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension TransportError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension MessageError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension DocumentError: LocalizedError {
    /// The document and the message.
    public var errorDescription: String? { description }
}
