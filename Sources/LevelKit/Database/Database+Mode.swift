extension Database {
    /// The access mode of an open database.
    public enum Mode: Sendable, Hashable {
        /// Reading and writing. Only one process at a time can open a database in this mode.
        case readWrite
        /// Reading the state at the moment of opening. Nothing in the directory changes, no lock is taken, and other
        /// processes may keep writing.
        case readOnly
    }

    /// The access mode of this database.
    public var mode: Mode { core.isReadOnly ? .readOnly : .readWrite }

    /// The error that every modifying call throws, or `nil` if the database is open for writing.
    package var refusal: LevelError? { core.isReadOnly ? core.readOnlyError : nil }

    /// The directory that LevelDB has open: the database itself, or the private directory through which it is read.
    ///
    /// Callers that inspect files in the state that is being read look here.
    package var enginePath: String { core.enginePath }

    /// The private directory through which the database is read, or `nil` if it is open for writing.
    package var scratch: ScratchDirectory? { core.readOnlyFiles?.scratch }

    /// Returns the process that has the database open for writing, which may be this one. Returns `nil` if no process
    /// has, or if it cannot be determined. Takes no lock.
    package static func writer(at path: String) -> Int32? {
        guard let directory = try? DatabaseDirectory(path) else { return nil }
        return LockFile.holder(in: directory)
    }
}

extension DatabaseCore {
    /// Whether the database is open for reading only.
    var isReadOnly: Bool { readOnlyFiles != nil }

    /// The directory that LevelDB has open.
    var enginePath: String { readOnlyFiles?.enginePath ?? path }

    /// Throws `readOnly` if the database is open for reading only.
    @inline(__always)
    func requireWritable() throws(LevelError) {
        if readOnlyFiles != nil { throw readOnlyError }
    }

    var readOnlyError: LevelError {
        LevelError(.readOnly, "the database at \(path) is open for reading; open it for writing to change it")
    }
}
