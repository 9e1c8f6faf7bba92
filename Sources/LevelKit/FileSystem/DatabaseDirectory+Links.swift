internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension DatabaseDirectory {
    /// Resolves the path of a database that is about to be created, changed or deleted.
    ///
    /// A link that another user placed in a shared directory could redirect the change to any database of this user.
    /// Reading follows such links.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` for such a link, and like ``init(_:)``.
    /// - Complexity: one system call per path component, and some for each link.
    init(toChange path: String) throws(LevelError) {
        _ = try DatabaseDirectory(path)
        self.init(resolved: try Self.followTrustedLinks(path))
    }

    /// Returns the resolved path. Missing components and dangling links are kept.
    private static func followTrustedLinks(_ path: String) throws(LevelError) -> String {
        let slash = UInt8(ascii: "/")
        var current = "/"
        if path.utf8.first != slash, let here = unsafe realpath(".", nil) {
            defer { unsafe free(here) }
            current = unsafe String(cString: here)
        }
        var steps = Array(path.utf8.split(separator: slash).map { String(Substring($0)) }.reversed())
        var linkCount = 0
        while let step = steps.popLast() {
            if step == "." { continue }
            if step == ".." {
                current = parent(of: current) ?? "/"
                continue
            }
            let place = (current == "/" ? "/" : current + "/") + step
            guard let status = FileStatus(linkAt: place), status.isLink else {
                current = place
                continue
            }
            guard DirectoryTrust.isTrustedLink(status, in: current) else {
                throw LevelError(
                    .invalidArgument,
                    "could not change the database at \(path): \(place) is a link that belongs to another user, or that "
                        + "another user can replace; give the path that the link leads to")
            }
            linkCount += 1
            // The limit is the system's.
            guard FileStatus(path: place) != nil, linkCount <= 40 else {
                current = place
                continue
            }
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe readlink(place, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), Int(PATH_MAX))
            }
            guard count > 0 else { throw SystemError.last.levelError("read the link \(place)") }
            let target = buffer[..<count]
            if target.first == slash { current = "/" }
            steps += target.split(separator: slash).reversed().map { String(decoding: $0, as: UTF8.self) }
        }
        return current
    }

    /// Opens the directory of a resolved path without following links, and its parent.
    ///
    /// A component that was replaced by a link after the path was resolved is an error.
    func openWithParent() throws(SystemError) -> (parent: DirectoryHandle, directory: DirectoryHandle) {
        let parent = try DirectoryHandle.at(resolved: parentPath)
        return (parent, try DirectoryHandle(path == "/" ? "." : name, in: parent.descriptor))
    }
}
