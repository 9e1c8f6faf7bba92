internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directories that were created for a database, so that a failure can delete them.
///
/// They are created and deleted through open directories. A parent that another user replaces by a link in the meantime
/// does not redirect that.
struct MadeDirectories {
    private var made: [(parent: DirectoryHandle, name: String)] = []

    /// Creates a directory and its missing parents, and flushes their names to the disk. They are not writable by
    /// others, whatever the umask of the process.
    ///
    /// - Throws: ``LevelError`` with `io`. Nothing is left then.
    init(_ directory: DatabaseDirectory) throws(LevelError) {
        let existing = directory.existingPath
        var path = existing
        do throws(SystemError) {
            var parent = try DirectoryHandle.at(resolved: existing)
            for step in directory.path.utf8.dropFirst(existing.utf8.count).split(separator: UInt8(ascii: "/")) {
                let name = String(Substring(step))
                path = DatabaseDirectory(resolved: path).file(name)
                do throws(SystemError) {
                    try parent.makeDirectory(name, permissions: 0o775)
                    made.append((parent, name))
                } catch let error where error.number == EEXIST {
                    // Another process created it first, so it is not ours to delete.
                }
                parent = try DirectoryHandle(searching: name, in: parent.descriptor)
            }
        } catch {
            remove()
            throw LevelError(
                .io,
                path == existing
                    ? "could not create a directory in \(existing); choose a path whose parent is a directory"
                    : "could not create the directory \(path); check permissions", cause: error.text)
        }
        // A file system that cannot do this, or a parent that may not be read, does not prevent the use.
        for (parent, _) in made { try? parent.synchronize() }
    }

    /// Deletes those that are empty.
    func remove() {
        for (parent, name) in made.reversed() { try? parent.removeDirectory(name) }
    }
}
