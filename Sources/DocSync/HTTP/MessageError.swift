/// A message of a peer that cannot be read as a whole.
public struct MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The message ends too early.
        case truncated
        /// The message is not what the protocol expects.
        case malformed
        /// A part of the message is larger than what is kept in memory.
        case tooLarge
    }

    /// The kind of error.
    public let code: Code
    /// A description of the problem, the message, and what to do next. It contains no document content.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
