internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension Database {
    /// Creates an empty database in a temporary directory, which is deleted when the database is closed.
    ///
    /// For tests and for data that need not outlive the process. LevelDB's in-memory environment has no C interface, so
    /// the database is on disk; it syncs only on request. A killed process leaves its directory, named `levelkit-…`, in
    /// the directory for temporary files.
    ///
    /// - Throws: ``LevelError`` with `io` if no directory can be created.
    public static func temporary(options: DatabaseOptions = DatabaseOptions()) throws(LevelError) -> Database {
        var parent = "/tmp"
        if let variable = unsafe getenv("TMPDIR") { parent = unsafe String(cString: variable) }
        parent = try DatabaseDirectory(parent).path
        guard DirectoryTrust.mayHoldDirectory(parent) else {
            throw LevelError(
                .io,
                "could not create a directory for a temporary database in \(parent): other users can rename its content; set "
                    + "TMPDIR to another")
        }
        var template = Array("\(parent)/levelkit-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw LevelError(
                .io, "could not create a directory for a temporary database in \(parent); set TMPDIR to another",
                cause: SystemError.last.text)
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let database: Database
        do throws(LevelError) {
            database = try open(at: path, options: options)
        } catch {
            unsafe rmdir(path)
            throw error
        }
        database.core.removesDirectory()
        return database
    }
}
