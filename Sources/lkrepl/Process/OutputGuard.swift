#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps output out of files that another user of the machine chose.
///
/// In a directory that everybody can write to, such as `/tmp`, anybody can make a link, a pipe or a file under the name that a
/// command is about to write to. Linux can refuse to follow these (`fs.protected_symlinks`, `fs.protected_fifos`,
/// `fs.protected_regular`); other systems, and other settings, do not.
enum OutputGuard {
    /// Throws where writing to a path could reach something that another user has put there.
    ///
    /// Links of this user, of the owner of the system, and of the owner of the directory are followed. A link of anybody else
    /// is refused as the last step of the path, and as any step in a shared directory.
    static func check(_ path: String) throws {
        var steps = Steps(path)
        while let step = steps.next() {
            guard let status = status(step.path, followsLinks: false) else { return }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            let isShared = Self.isShared(step.parent)
            if isLink, isShared || step.isLast, !isTrusted(status.st_uid, in: step.parent) {
                throw refusal(step.path, "it is a link that belongs to another user")
            }
            if isLink { steps.follow(step) }
            if step.isLast, !isLink { try checkTarget(step.path, status, isShared: isShared, in: step.parent) }
        }
    }

    private static func checkTarget(_ path: String, _ status: stat, isShared: Bool, in parent: String) throws {
        let kind = status.st_mode & S_IFMT
        guard isShared, kind == S_IFIFO || kind == S_IFREG, !isTrusted(status.st_uid, in: parent) else { return }
        throw refusal(path, "it belongs to another user, in a directory that everybody can write to")
    }

    /// Throws where a file that is open is one that another user has put into a shared directory.
    static func check(_ descriptor: FileDescriptor, openAt path: String) throws {
        var status = stat()
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { return }
        let parent = FileDescriptor.parent(of: FileDescriptor.resolvingLinks(path))
        try checkTarget(path, status, isShared: isShared(parent), in: parent)
    }

    private static func refusal(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "cannot write to \(path): \(reason)", hint: "write to another path")
    }

    /// Whether everybody can make files in a directory.
    private static func isShared(_ directory: String) -> Bool {
        status(directory, followsLinks: true).map { $0.st_mode & 0o002 != 0 } ?? false
    }

    private static func isTrusted(_ owner: uid_t, in directory: String) -> Bool {
        owner == geteuid() || owner == status("/", followsLinks: true)?.st_uid
            || !isShared(directory) && owner == status(directory, followsLinks: true)?.st_uid
    }

    private static func status(_ path: String, followsLinks: Bool) -> stat? {
        var status = stat()
        return unsafe (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
    }

    /// The steps of a path, one link after the other resolved.
    private struct Steps {
        struct Step {
            let parent: String
            let path: String
            let isLast: Bool
        }

        private var parent: String
        private var rest: [String]
        /// As many links as the system follows.
        private var linkCount = 0

        init(_ path: String) {
            parent = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
            rest = Self.steps(of: path)
        }

        private static func steps(of path: String) -> [String] {
            path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        }

        mutating func next() -> Step? {
            guard !rest.isEmpty else { return nil }
            let name = rest.removeFirst()
            let path = (parent == "/" ? "/" : parent + "/") + name
            defer { parent = path }
            return Step(parent: parent, path: path, isLast: rest.isEmpty)
        }

        /// Goes on with where a link leads.
        mutating func follow(_ step: Step) {
            linkCount += 1
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = unsafe readlink(step.path, &buffer, Int(PATH_MAX))
            guard count > 0, linkCount <= 40 else {
                rest = []
                return
            }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Links of the kernel, such as /proc/self/fd/1, lead to names that are none, as `pipe:[12]`.
            parent = target.utf8.first == UInt8(ascii: "/") ? "/" : step.parent
            rest = Self.steps(of: target) + rest
        }
    }
}
