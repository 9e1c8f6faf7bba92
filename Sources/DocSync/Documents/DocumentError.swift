/// The reason that a document is left out of a replication, although all others take part.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A member at the top of the document begins with `_`, which the protocol reserves.
        case reservedMember
        /// The ID is a number, is empty or begins with `_`.
        case invalidID
        /// The member that holds the ID in this collection has a different value than the ID.
        case idMemberDiffers
        /// A number has no exact form here.
        case numberOutOfRange
        /// The document is nested too deeply.
        case tooDeep
        /// The document is larger than one of the two sides accepts.
        case tooLarge
        /// The document is not what the protocol expects, or contains a value whose form is not valid.
        case malformed
        /// The document would have more entries in an index than allowed.
        case tooManyEntries
        /// An attachment does not have the digest that the document states.
        case digestMismatch
        /// The peer, or this store, does not accept the document, for example because of a rule for its content.
        case refused
        /// The peer listed the version but did not send it, or an attachment of it.
        case unavailable
    }

    /// The kind of problem.
    public let code: Code
    /// The ID as the protocol writes it; empty if it cannot be read.
    public let id: String
    /// The revision; `nil` if it does not matter or cannot be read.
    public let revision: String?
    /// A description of the problem, and what to do. It contains no value of the document.
    public let message: String

    package init(_ code: Code, id: String, revision: String? = nil, _ message: String) {
        self.code = code
        self.id = id
        self.revision = revision
        self.message = message
    }

    /// The document and the message.
    public var description: String { "\(id): \(message) (\(code.rawValue))" }
}

extension DocumentError {
    /// Creates the problem of a document from an error of its attachments.
    package init(_ error: AttachmentError, id: String, revision: String? = nil) {
        let code: Code =
            switch error.code {
            case .malformed: .malformed
            case .wrongLength, .digestMismatch: .digestMismatch
            case .missing, .unlisted: .unavailable
            case .reservedMember: .reservedMember
            }
        self.init(code, id: id, revision: revision, error.message)
    }
}
