/// An error of the document layer: a code for programs and a message for people.
///
/// The message names collections, indexes, fields and IDs, but never contains document content, so it may be logged.
/// Failures of the underlying database are thrown as `LevelError`. For alerts, the `localizedDescription` of each
/// public error of DocIndex is its message.
public struct DocIndexError: Error, Sendable, Hashable {
    /// The kinds of errors that a program may want to distinguish.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The directory contains a database that is not a document store.
        case notADocumentStore
        /// The store was written by a newer version of this library, or by a program with a newer schema or newer
        /// migrations.
        case storeTooNew
        /// The stored data is inconsistent.
        case corruption
        /// The schema is invalid.
        case invalidSchema
        /// There is no collection with that name.
        case unknownCollection
        /// There is no album with that name.
        case unknownAlbum
        /// The stored definition of an album cannot be used, for example because its condition is invalid.
        case invalidAlbum
        /// There is no index with that name, or it cannot answer queries.
        case unknownIndex
        /// A document has no valid ID, or an update would change its ID.
        case invalidID
        /// The value is not an object, or cannot be stored.
        case invalidDocument
        /// A document with that ID already exists.
        case documentExists
        /// There is no document with that ID.
        case documentMissing
        /// The document was last changed by another commit than the expected one; see ``DocIndexError/conflict``.
        case conflict
        /// A commit or a version is not in the history: its collection keeps none, or it is outside the bounds.
        case notInHistory
        /// A sequence number belongs to another copy of the store.
        case epochChanged
        /// A migration cannot be run, or would lose data that it does not declare as dropped.
        case migrationFailed
        /// The content of an attachment is not stored.
        case attachmentMissing
        /// The content of an attachment is not in the package that contains the documents.
        case attachmentElsewhere
        /// The stored content of an attachment has a different length or digest than it should have.
        case attachmentDamaged
        /// Attachments cannot be deleted now, because a reader or a checkpoint needs them, or because it is not certain
        /// which ones documents refer to.
        case attachmentsInUse
        /// A query is malformed.
        case invalidQuery
        /// An update is malformed, or cannot be applied to a document.
        case invalidUpdate
        /// A change of many documents would need several commits, which its options refuse.
        case changeTooLarge
        /// A query would read every document, which its options refuse.
        case scanRefused
        /// A query needs more than its options allow, such as more memory for sorting.
        case queryTooLarge
        /// A write was started inside a write.
        case nestedWrite
        /// Two documents have the same value in a unique index; see ``DocIndexError/uniqueViolation``.
        case duplicateValue
        /// A document would have more entries in an index than allowed.
        case tooManyEntries
    }

    /// The kind of error.
    public let code: Code
    /// A description of the failure: the operation, its object, and what to do next.
    public let message: String
    /// The offset of the mistake in the text of a query or an update, in characters from 0; `nil` for other errors.
    public let position: Int?
    /// All problems of a schema; empty for other errors.
    public let schemaViolations: [DocIndexError.SchemaViolation]
    /// The values that two documents share in a unique index; `nil` for other errors. Unlike the message, it contains
    /// document content.
    public let uniqueViolation: DocIndexError.UniqueViolation?
    /// The document that prevents an undo, because it has changed again; `nil` for other errors.
    public let conflict: DocIndexError.Conflict?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, position: Int? = nil, schemaViolations: [DocIndexError.SchemaViolation] = [],
        uniqueViolation: DocIndexError.UniqueViolation? = nil, conflict: DocIndexError.Conflict? = nil
    ) {
        self.code = code
        self.message = message
        self.position = position
        self.schemaViolations = schemaViolations
        self.uniqueViolation = uniqueViolation
        self.conflict = conflict
    }
}

extension DocIndexError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
