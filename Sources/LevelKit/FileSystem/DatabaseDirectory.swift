internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory of a database, as an absolute path.
///
/// LevelDB opens its files lazily, by the path it was given. After a `chdir` a relative path would lead elsewhere, and
/// LevelDB would report every key as absent. Paths are therefore made absolute before LevelDB sees them.
struct DatabaseDirectory: Hashable {
    /// The absolute path, with links resolved as far as the path exists.
    let path: String

    /// The content of a directory, judged by its file names alone.
    enum Content: Equatable {
        /// The path does not exist.
        case missing
        /// The directory contains no LevelDB file with entries. It may contain a lock file, a message log, or the
        /// manifest of a database whose creation is in progress or was interrupted.
        case empty
        /// The directory contains a `CURRENT` file.
        case database
        /// The directory contains table files or logs, but no `CURRENT`.
        case databaseWithoutCurrent
        /// The directory contains files that do not belong to LevelDB.
        case foreign
        /// The path is not a directory.
        case notADirectory
    }

    /// Resolves `path`.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` for an empty path, one that starts with `~`, or one that contains
    ///   a NUL byte, which would truncate the C string.
    init(_ path: String) throws(LevelError) {
        guard !path.isEmpty else {
            throw LevelError(.invalidArgument, "the path of the database is empty; give the path of a directory")
        }
        guard !path.utf8.contains(0) else {
            throw LevelError(.invalidArgument, "the path of the database contains a NUL byte; remove it")
        }
        guard path.utf8.first != UInt8(ascii: "~") else {
            throw LevelError(
                .invalidArgument,
                "the path \(path) starts with ~, which only a shell replaces with the home directory; start it with "
                    + "NSHomeDirectory(), or write ./\(path) for a directory of that name")
        }
        self.path = try Self.resolved(path)
    }

    /// Takes a path that is absolute and without links.
    init(resolved path: String) { self.path = path }

    /// Returns the path of a file in the directory.
    func file(_ name: String) -> String {
        path == "/" ? "/" + name : path + "/" + name
    }

    /// The last component of the path.
    var name: String {
        guard let slash = path.utf8.lastIndex(of: Self.slash) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// Classifies the content of the directory.
    ///
    /// - Throws: ``LevelError`` with `io` if the directory cannot be listed.
    func content() throws(LevelError) -> Content {
        guard let kind = FileStatus(path: path) else { return .missing }
        guard kind.isDirectory else { return .notADirectory }
        var content = Content.empty
        for name in try names() {
            if name == "CURRENT" { return .database }
            if name == "LOCK" || name == "LOG" || name == "LOG.old" { continue }
            if Self.holdsEntries(name) {
                content = .databaseWithoutCurrent
            } else if content == .empty, !Self.isEngineFile(name) {
                content = .foreign
            }
        }
        // A listing may miss a file that was created or renamed while the directory was read.
        if content == .databaseWithoutCurrent, FileStatus(path: file("CURRENT")) != nil { return .database }
        return content
    }

    /// Returns the names in the directory, unordered, without `.` and `..`.
    func names() throws(LevelError) -> [String] {
        do throws(SystemError) {
            return try DirectoryNames.list(path)
        } catch {
            throw LevelError(.io, "could not list \(path); check its permissions", cause: error.text)
        }
    }

    /// Throws if other users could create files in the directory, or replace the directory.
    ///
    /// LevelDB opens files by path, follows links and truncates their targets.
    ///
    /// - Parameter action: a phrase that completes "could not …", such as `make a database in`.
    func requireClosed(to action: String) throws(LevelError) {
        guard !DirectoryTrust.mayHoldDatabase(path) else { return }
        throw openError(action)
    }

    /// Does the same for a directory that does not exist yet: throws if other users could replace what is created there.
    func requireClosedPlace(to action: String) throws(LevelError) {
        let existing = existingPath
        guard existing != path else { return try requireClosed(to: action) }
        // Nothing can be created in a file, and the attempt says so.
        guard FileStatus(path: existing)?.isDirectory == true, !DirectoryTrust.mayHoldDirectory(existing) else {
            return
        }
        throw openError(action)
    }

    private func openError(_ action: String) -> LevelError {
        LevelError(
            .invalidArgument,
            "could not \(action) \(path): the directory or one of its parents belongs to another user or is writable by "
                + "everybody, so other users could place links to your files there; use your own directory, change its owner or "
                + "permissions, or run the command as its owner")
    }

    /// The path itself if it exists; otherwise that of the nearest parent that does.
    var existingPath: String {
        var current = path
        while FileStatus(path: current) == nil, let parent = Self.parent(of: current) { current = parent }
        return current
    }

    /// Deletes LevelDB's files, and the directory if nothing else is in it.
    func remove() {
        for name in (try? names()) ?? [] where Self.isEngineFile(name) || Self.isEngineName(name) {
            unsafe unlink(file(name))
        }
        unsafe rmdir(path)
    }

    /// Returns whether `name` is one of LevelDB's unnumbered files.
    static func isEngineName(_ name: String) -> Bool {
        ["CURRENT", "LOCK", "LOG", "LOG.old"].contains(name)
    }

    /// Returns whether `name` is a name that LevelDB gives to a data file.
    static func isEngineFile(_ name: String) -> Bool {
        switch EngineFileName(name) {
        case .current, .manifest, .table, .log, .temporary: true
        case .lock, .messages, nil: false
        }
    }

    /// Returns whether a file of this name contains user entries, that is, whether it is a table file or a log.
    static func holdsEntries(_ name: String) -> Bool {
        isEngineFile(name) && [".ldb", ".sst", ".log"].contains { name.hasSuffix($0) }
    }

    private static func resolved(_ path: String) throws(LevelError) -> String {
        // Missing path components, last first, and the number of `..` not yet applied to a component before them.
        var tail: [Substring] = []
        var parentCount = 0
        var head = path
        while true {
            if let resolved = unsafe realpath(head, nil) {
                defer { unsafe free(resolved) }
                var base = unsafe String(cString: resolved)
                for _ in 0..<parentCount { base = parent(of: base) ?? "/" }
                return tail.isEmpty ? base : (base == "/" ? "" : base) + "/" + tail.reversed().joined(separator: "/")
            }
            // The last component does not exist yet, so resolve the path before it. A `..` after a missing directory
            // cancels that directory.
            let trimmed = trimmingTrailingSlashes(head)
            let step: Substring
            if let slash = trimmed.utf8.lastIndex(of: slash) {
                step = trimmed[trimmed.utf8.index(after: slash)...]
                head = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
            } else if trimmed != "." {
                step = trimmed[...]
                head = "."
            } else {
                throw LevelError(
                    .io,
                    "could not make the path \(path) absolute, because the working directory no longer exists; give an "
                        + "absolute path", cause: SystemError.last.text)
            }
            switch step {
            case ".": break
            case "..": parentCount += 1
            case _ where parentCount > 0: parentCount -= 1
            default: tail.append(step)
            }
        }
    }

    // Paths are split as bytes, because a slash followed by a combining accent is a single `Character`.
    private static let slash = UInt8(ascii: "/")

    private static func trimmingTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == slash { path = path[..<path.utf8.index(before: path.endIndex)] }
        return String(path)
    }

    /// Returns the parent directory of a path, or `nil` for the root.
    static func parent(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: slash), path != "/" else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
