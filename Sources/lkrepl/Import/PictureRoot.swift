import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The directory of a picture import, and the spellings that earlier imports may have used.
///
/// The ID of a picture is its canonical path. Earlier versions used the path as typed, so `wb` and `/home/me/wb` gave
/// two documents. Such documents are found if the directory is typed in the same way or is below the working directory.
struct PictureRoot {
    /// The canonical path.
    let path: String
    /// Other prefixes of IDs for the pictures below, without a trailing slash.
    let spellings: [String]

    init(_ directory: String) throws {
        let path = FileDescriptor.resolvingLinks(directory)
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw CommandError(
                .noInput, "cannot find the canonical path of \(directory)",
                hint: "check the path and its permissions, or specify an absolute path")
        }
        var typed = directory
        while typed.utf8.count > 1, typed.utf8.last == UInt8(ascii: "/") { typed.removeLast() }
        var spellings = [Self.argument(typed)]
        let here = FileDescriptor.resolvingLinks(".")
        if path == here {
            spellings.append(".")
        } else if path.utf8.starts(with: (here + "/").utf8) {
            let relative = String(path.dropFirst(here.count + 1))
            spellings += [Self.argument(relative), "./" + relative]
        }
        self.path = path
        self.spellings = spellings.filter { $0 != path }
    }

    /// The IDs that a picture below the directory may have, canonical path first.
    func ids(of path: String) -> [String] {
        guard let rest = rest(of: path, behind: self.path) else { return [path] }
        return [path] + spellings.map { $0 == "/" ? "/" + rest : $0 + "/" + rest }
    }

    /// The path of the file for an ID; `nil` if it is not below this directory.
    func file(of id: String) -> String? {
        for spelling in [path] + spellings {
            if let rest = rest(of: id, behind: spelling) { return path == "/" ? "/" + rest : path + "/" + rest }
        }
        return nil
    }

    /// Whether a canonical path is below the directory.
    func contains(_ path: String) -> Bool { rest(of: path, behind: self.path) != nil }

    /// The ranges of IDs that pictures below the directory may have.
    var idRanges: [DocumentID.Interval] { ([path] + spellings).map { .prefix($0 == "/" ? "/" : $0 + "/") } }

    private func rest(of path: String, behind directory: String) -> String? {
        let start = directory == "/" ? "/" : directory + "/"
        guard path.utf8.starts(with: start.utf8) else { return nil }
        return String(Substring(path.utf8.dropFirst(start.utf8.count)))
    }

    /// A path as earlier versions passed it to exiftool, whose argument files treat a line beginning with `-` as an
    /// option and one beginning with `#` as a comment.
    private static func argument(_ path: String) -> String {
        guard let first = path.utf8.first else { return path }
        switch first {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...:
            return path
        default: return "./" + path
        }
    }
}
