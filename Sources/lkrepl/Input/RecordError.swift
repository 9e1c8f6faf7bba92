/// The reason that a part of the input is not a valid record, and its position.
///
/// The readers of all formats report errors in this form. It is converted to a ``CommandError`` for users, and to a
/// line of the rejects file for programs.
struct RecordError: Error {
    /// The kind of error, by its name in rejects files.
    enum Kind: String, Sendable, CaseIterable {
        /// Invalid JSON.
        case syntax = "json.syntax"
        /// A violation of the rules of another format.
        case format
        case utf8
        case base64
        /// A record without its key or ID.
        case missingKey = "key.missing"
        /// A duplicate key.
        case duplicateKey = "key.duplicate"
        /// A value of the wrong type.
        case type = "schema.type"
        /// A line or a value that is too large.
        case size
        /// A key that already exists, or a duplicate of a unique value.
        case conflict
        /// An attachment whose content is missing or damaged.
        case attachment
        /// A mismatch of counts or digests.
        case digest
        /// Truncated input.
        case truncated
        /// A read error.
        case reading
    }

    var kind: Kind
    /// A sentence without its final period.
    var message: String
    /// The line number from 1; 0 if the input has no lines.
    var line = 0
    /// In bytes, from 1; `nil` for the whole line.
    var column: Int?
    /// The number of bytes before the record.
    var offset = 0
    /// The path within the record, such as `$.iso`; `nil` if unknown.
    var path: String?
    var hint: String?
    /// Whether the following records can still be read.
    var isRecoverable = true
    /// The exit code; that of the system error if reading failed.
    var exitCode = ExitCode.badData

    /// Creates a fault without a position, which the reader of the input adds.
    init(_ kind: Kind, _ message: String, hint: String? = nil, isRecoverable: Bool = true) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.isRecoverable = isRecoverable
    }

    /// The fault with a position.
    func at(line: Int, column: Int? = nil, offset: Int) -> RecordError {
        var fault = self
        fault.line = line
        fault.column = column ?? fault.column
        fault.offset = offset
        return fault
    }

    /// The fault, marked as unrecoverable.
    var final: RecordError {
        var fault = self
        fault.isRecoverable = false
        return fault
    }

    /// The error for the user: `photos.jsonl:1042:17: …`.
    func commandError(in name: String) -> CommandError {
        var place = name
        if line > 0 { place += ":\(line)" }
        if line > 0, let column { place += ":\(column)" }
        var hint = hint
        if kind == .truncated { hint = hint ?? "create the dump again, or accept it with --allow-incomplete" }
        return CommandError(exitCode, "\(place): \(message)", hint: hint)
    }
}
