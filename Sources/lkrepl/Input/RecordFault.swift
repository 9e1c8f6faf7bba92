/// Why a piece of the input is no record, and where it stands.
///
/// The one form in which readers of all formats say so: for people it becomes a ``CommandFailure``, for programs a line
/// of the file of rejects.
struct RecordFault: Error {
    /// What is wrong, as files of rejects name it.
    enum Kind: String, Sendable, CaseIterable {
        /// Text that is no JSON.
        case syntax = "json.syntax"
        /// Text that breaks the rules of another format.
        case format
        case utf8
        case base64
        /// A record without its key or id.
        case missingKey = "key.missing"
        /// A key that occurs twice where it must not.
        case duplicateKey = "key.duplicate"
        /// A value of the wrong kind.
        case type = "schema.type"
        /// A line or a value that is too large.
        case size
        /// A key that is there already, or a value that must be unique.
        case conflict
        /// Counts or digests that do not fit.
        case digest
        /// Input that ends too early.
        case truncated
        /// Input that cannot be read on.
        case reading
    }

    var kind: Kind
    /// A sentence without its full stop.
    var message: String
    /// Counted from 1; 0 where the input has no lines.
    var line = 0
    /// In bytes, counted from 1; `nil` if the whole line is meant.
    var column: Int?
    /// The bytes before the record.
    var offset = 0
    /// Where in the record, such as `$.iso`; `nil` if that is not known.
    var path: String?
    var hint: String?
    /// Whether what follows can still be read.
    var isRecoverable = true
    /// The system's error where reading failed.
    var exitCode = ExitCode.badData

    /// A fault whose place the reader of the input adds.
    init(_ kind: Kind, _ message: String, hint: String? = nil, isRecoverable: Bool = true) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.isRecoverable = isRecoverable
    }

    /// The fault, with its place.
    func at(line: Int, column: Int? = nil, offset: Int) -> RecordFault {
        var fault = self
        fault.line = line
        fault.column = column ?? fault.column
        fault.offset = offset
        return fault
    }

    /// The fault after which nothing more can be read.
    var final: RecordFault {
        var fault = self
        fault.isRecoverable = false
        return fault
    }

    /// What the user is told: `photos.jsonl:1042:17: …`.
    func commandFailure(in name: String) -> CommandFailure {
        var place = name
        if line > 0 { place += ":\(line)" }
        if line > 0, let column { place += ":\(column)" }
        var hint = hint
        if kind == .truncated { hint = hint ?? "make the dump anew, or take what is there with --allow-incomplete" }
        return CommandFailure(exitCode, "\(place): \(message)", hint: hint)
    }
}
