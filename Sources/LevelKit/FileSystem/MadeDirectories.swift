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
    private var made: [(parent: DirectoryHandle, name: String, directory: DirectoryHandle)] = []

    init() {}

    /// Creates a directory and its missing parents. They are not writable by others, whatever the umask of the process.
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
                var isNew = true
                do throws(SystemError) {
                    try parent.makeDirectory(name, permissions: 0o775)
                } catch let error where error.number == EEXIST {
                    // Another process created it first, so it is not ours to delete.
                    isNew = false
                }
                let inner = try DirectoryHandle(searching: name, in: parent.descriptor)
                if isNew { made.append((parent, name, inner)) }
                parent = inner
            }
        } catch {
            remove()
            throw LevelError(
                .io, "could not create the directory \(path); check permissions", cause: error.text)
        }
    }

    /// Deletes those that are empty.
    func remove() {
        for (parent, name, directory) in made.reversed() { try? parent.removeDirectory(name, openAs: directory) }
    }
}
