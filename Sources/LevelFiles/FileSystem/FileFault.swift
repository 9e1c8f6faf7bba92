/// Why a file of LevelDB's cannot be read, and where in it.
package struct FileFault: Error, Hashable, CustomStringConvertible {
    /// The kinds of faults a program may want to tell apart.
    package enum Kind: Hashable, Sendable {
        /// The bytes are not what LevelDB writes.
        case damaged
        /// The bytes may be sound, and only another program can read them.
        case foreign
        /// There is no such file.
        case missing
        /// The system refused to read.
        case unreadable
    }

    /// The kind of fault.
    package let kind: Kind
    /// The name of the file, without its directory.
    package let file: String
    /// Where in the file; `nil` where no place is to blame.
    package let offset: UInt64?
    /// What is wrong, as a clause: `its checksum does not fit`.
    package let reason: String

    /// A fault with its parts.
    package init(_ kind: Kind, file: String, offset: UInt64? = nil, reason: String) {
        self.kind = kind
        self.file = file
        self.offset = offset
        self.reason = reason
    }

    /// The answer of the system to an attempt to read a file.
    package init(_ error: SystemError, file: String) {
        self.init(error.isMissingFile ? .missing : .unreadable, file: file, reason: error.text)
    }

    /// The file, the place in it and what is wrong.
    package var description: String {
        let place = offset.map { "\(file), byte \($0)" } ?? file
        return "\(place): \(reason)"
    }
}
