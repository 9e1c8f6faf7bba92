/// The reason that one of LevelDB's files is unreadable, and the position in it.
package struct FileError: Error, Hashable, CustomStringConvertible {
    /// The kinds of faults that a program may want to distinguish.
    package enum Kind: Hashable, Sendable {
        /// The bytes are not what LevelDB writes.
        case damaged
        /// The bytes may be intact, but only another program can read them.
        case foreign
        /// The file does not exist.
        case missing
        /// The system refused to read.
        case unreadable
    }

    /// The kind of fault.
    package let kind: Kind
    /// The name of the file, without its directory.
    package let file: String
    /// The byte offset in the file, or `nil` if no position applies.
    package let offset: UInt64?
    /// The reason, as a clause: `its checksum does not match`.
    package let reason: String

    /// Creates a fault.
    package init(_ kind: Kind, file: String, offset: UInt64? = nil, reason: String) {
        self.kind = kind
        self.file = file
        self.offset = offset
        self.reason = reason
    }

    /// Converts the error of an attempt to read a file.
    package init(_ error: SystemError, file: String) {
        self.init(error.isMissingFile ? .missing : .unreadable, file: file, reason: error.text)
    }

    /// The file, the position in it and the reason.
    package var description: String {
        let place = offset.map { "\(file), byte \($0)" } ?? file
        return "\(place): \(reason)"
    }
}
