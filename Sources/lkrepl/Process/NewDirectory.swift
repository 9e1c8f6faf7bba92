import LevelFiles
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database that is built in a private directory next to its final path, and appears there only when complete.
///
/// The private directory is named `<path>.loading-` followed by six random letters. The leftovers of a killed process
/// are removed by the next one that creates a database with the same name.
struct NewDirectory {
    /// The final path, with the links of its parents resolved.
    let path: String
    /// The path until then.
    var partialPath: String { scratch.databasePath }
    private let place: OutputPlace
    private let scratch: ScratchDirectory

    /// - Throws: ``CommandError`` if the path exists, its parent does not, or a link of another user leads to it;
    ///   `LevelError` if other users could replace the new files.
    init(path: String) throws {
        guard !path.isEmpty else {
            throw CommandError(.usage, "the path of the database is empty", hint: "specify a directory")
        }
        var path = path
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = String(path.dropLast()) }
        let parent = FileDescriptor.parent(of: path)
        guard FileDescriptor.isDirectory(parent) else {
            throw CommandError(.cannotCreate, "directory \(parent) does not exist", hint: "create it first")
        }
        // This also restores an old database whose replacement was killed, so that the path exists.
        DatabaseReplacement.clearLeftovers(of: path)
        guard !FileDescriptor.exists(path) else {
            throw CommandError(
                .cannotCreate, "\(path) already exists", hint: "choose another path, or omit --create")
        }
        // A link of another user could lead to one of this user's own directories.
        place = try OutputPlace(path)
        self.path = place.directoryPath == "/" ? "/" + place.name : place.directoryPath + "/" + place.name
        // Its links are not followed again: by now, another user could have placed one.
        let base = place.directoryPath
        let here = base.utf8.first == UInt8(ascii: "/") ? "" : FileDescriptor.resolvingLinks(".")
        scratch = try ScratchDirectory(
            inResolved: here.isEmpty ? base : here + base.dropFirst(),
            prefix: place.name + DatabaseReplacement.marker, trust: .group)
        Interruption.removeAtExit(scratch)
    }

    /// Moves the database to its final path.
    func appear() throws {
        // The system replaces an empty directory, but nothing else.
        guard unsafe rename(partialPath, path) == 0 else {
            let error = SystemError(number: errno)
            throw CommandError.system(error, "cannot rename \(partialPath) to \(path)")
        }
        // A power failure does not undo the renaming.
        place.synchronizeNames()
        scratch.remove()
    }

    /// Removes the unfinished database.
    func remove() { scratch.remove() }
}
