/// What went wrong in the document layer: a code for programs, a sentence for people.
///
/// The sentence names collections, indexes, fields and ids, never the content of a document, so it may be logged.
/// Failures of the storage below come as `LevelError`.
public struct DocIndexError: Error, Sendable, Hashable {
    /// The kinds of failure a program may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The directory holds a database that is no document store.
        case notADocumentStore
        /// The store was written by a newer version of this library, or by a program whose schema or migrations are newer.
        case storeTooNew
        /// What is stored contradicts itself.
        case corruption
        /// The schema cannot be used.
        case invalidSchema
        /// There is no collection of that name.
        case unknownCollection
        /// There is no index of that name, or none that can answer.
        case unknownIndex
        /// A document has no id where the schema expects one, or an id of another kind.
        case invalidID
        /// A document is no object.
        case invalidDocument
        /// A document with that id exists already.
        case documentExists
        /// There is no document with that id.
        case documentMissing
        /// A document was changed by another commit than the one expected.
        case conflict
        /// A sequence number is of another copy of the store.
        case epochChanged
        /// A migration cannot be carried out, or would lose something that it does not declare.
        case migrationFailed
        /// A query cannot be understood.
        case invalidQuery
        /// A query needs more than it was allowed: a look at every document, or memory for sorting.
        case queryTooLarge
        /// A write was begun inside a write.
        case nestedWrite
        /// Two documents have the same values in a unique index; see ``DocIndexError/uniqueViolation``.
        case duplicateValue
        /// A document would have more entries in an index than are allowed.
        case tooManyEntries
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, to what, and what to do next.
    public let message: String
    /// Where in the text of a query the fault was found, in characters from 0; `nil` for other failures.
    public let position: Int?
    /// Everything that is wrong with a schema; empty for other failures.
    public let schemaViolations: [SchemaViolation]
    /// Which values two documents have in common; `nil` for other failures. Unlike the message it holds values.
    public let uniqueViolation: UniqueViolation?

    /// An error with its parts.
    public init(
        _ code: Code, _ message: String, position: Int? = nil, schemaViolations: [SchemaViolation] = [],
        uniqueViolation: UniqueViolation? = nil
    ) {
        self.code = code
        self.message = message
        self.position = position
        self.schemaViolations = schemaViolations
        self.uniqueViolation = uniqueViolation
    }
}

extension DocIndexError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
