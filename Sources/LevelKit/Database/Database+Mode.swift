extension Database {
    /// What an open database may be used for.
    public enum Mode: Sendable, Hashable {
        /// Reading and writing. One process at a time has a database open in this mode.
        case readWrite
        /// Reading the state at the moment of opening. Nothing in the directory changes, no lock is taken, and other
        /// processes may write meanwhile.
        case readOnly
    }

    /// What this database may be used for.
    public var mode: Mode { core.isReadOnly ? .readOnly : .readWrite }

    /// The error of every call that would change this database; `nil` if it was opened for writing.
    package var refusal: LevelError? { core.isReadOnly ? core.readOnlyError : nil }

    /// The directory that LevelDB has open: the database itself, or the private one through which it is read.
    ///
    /// Files are looked at there by those who want them as they were at the moment that is read.
    package var enginePath: String { core.enginePath }

    /// The private directory through which the database is read; `nil` if it was opened for writing.
    package var scratch: ScratchDirectory? { core.readOnlyFiles?.scratch }

    /// The process that has the database in a directory open for writing, which may be this one; `nil` if none has, or if
    /// that cannot be told. Takes no lock.
    package static func writer(at path: String) -> Int32? {
        guard let directory = try? DatabaseDirectory(path) else { return nil }
        return LockFile.holder(in: directory)
    }
}

extension DatabaseCore {
    /// Whether the database was opened for reading.
    var isReadOnly: Bool { readOnlyFiles != nil }

    /// The directory that LevelDB has open.
    var enginePath: String { readOnlyFiles?.enginePath ?? path }

    /// Throws `readOnly` if the database was opened for reading.
    @inline(__always)
    func requireWritable() throws(LevelError) {
        if readOnlyFiles != nil { throw readOnlyError }
    }

    var readOnlyError: LevelError {
        LevelError(.readOnly, "the database at \(path) is open for reading; open it for writing to change it")
    }
}
