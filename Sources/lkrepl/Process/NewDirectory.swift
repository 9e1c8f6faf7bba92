#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database that is being made under a name of its own, and appears under its right one as a whole.
struct NewDirectory {
    /// The name that it gets.
    let path: String
    /// The name that it has until then.
    let partialPath: String

    /// - Throws: ``CommandFailure`` if the name is taken, or there is no directory to make it in.
    init(path: String) throws {
        guard !path.isEmpty else {
            throw CommandFailure(.usage, "the path of the database is empty", hint: "give the path of a directory")
        }
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard FileDescriptor.isDirectory(parent) else {
            throw CommandFailure(.cannotCreate, "there is no directory \(parent)", hint: "make it first")
        }
        guard !FileDescriptor.exists(path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) exists already", hint: "choose another path, or leave out --create")
        }
        self.path = path
        partialPath = "\(path).loading-\(getpid())"
        Self.removeLeftovers(of: path, in: parent)
        Interruption.removeAtExit(partialPath)
    }

    /// Gives the database its name.
    func appear() throws {
        guard unsafe rename(partialPath, path) == 0 else {
            throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partialPath) to \(path)")
        }
        Interruption.keep(partialPath)
    }

    /// Removes what was made of it.
    func remove() {
        FileDescriptor.removeDatabase(partialPath)
        Interruption.keep(partialPath)
    }

    /// Removes what killed processes have left of databases of the same name.
    private static func removeLeftovers(of path: String, in parent: String) {
        let prefix = (path.split(separator: "/").last.map(String.init) ?? path) + ".loading-"
        for name in FileDescriptor.names(in: parent) where name.hasPrefix(prefix) {
            guard let identifier = pid_t(name.dropFirst(prefix.count)), identifier > 0, kill(identifier, 0) == -1,
                errno == ESRCH
            else { continue }
            FileDescriptor.removeDatabase("\(parent)/\(name)")
        }
    }
}
