import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database that is being made in a private directory beside its place, and appears there as a whole.
///
/// The private directory is named `<path>.loading-` and six random letters. What a killed process has left of it is removed
/// by the next one that makes a database of the same name.
struct NewDirectory {
    /// The name that it gets.
    let path: String
    /// The name that it has until then.
    var partialPath: String { scratch.databasePath }
    private let scratch: ScratchDirectory

    /// - Throws: ``CommandFailure`` if the name is taken, or there is no directory to make it in; `LevelError` where others
    ///   could replace what is made.
    init(path: String) throws {
        guard !path.isEmpty else {
            throw CommandFailure(.usage, "the path of the database is empty", hint: "give the path of a directory")
        }
        var path = path
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = String(path.dropLast()) }
        let parent = FileDescriptor.parent(of: path)
        guard FileDescriptor.isDirectory(parent) else {
            throw CommandFailure(.cannotCreate, "there is no directory \(parent)", hint: "make it first")
        }
        // Also puts an old database back whose replacement was killed, so that the name is taken.
        DatabaseReplacement.clearLeftovers(of: path)
        guard !FileDescriptor.exists(path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) exists already", hint: "choose another path, or leave out --create")
        }
        self.path = path
        let prefix = FileDescriptor.lastStep(of: path) + DatabaseReplacement.marker
        scratch = try ScratchDirectory(in: parent, prefix: prefix, trust: .group)
        Interruption.removeAtExit(scratch)
    }

    /// Gives the database its name.
    func appear() throws {
        // The system puts a directory in place of an empty one, and of nothing else.
        guard unsafe rename(partialPath, path) == 0 else {
            let error = SystemError(number: errno)
            throw CommandFailure.system(error, "cannot rename \(partialPath) to \(path)")
        }
        scratch.remove()
    }

    /// Removes what was made of it.
    func remove() { scratch.remove() }
}
