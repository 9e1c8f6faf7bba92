#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The pictures below a directory.
enum PictureFiles {
    /// Endings of names, in lower case: what cameras and phones write, and what is made of it.
    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "png", "gif", "tif", "tiff", "webp", "heic", "heif", "hif", "avif", "jp2", "jxl", "bmp",
        "psd", "psb", "dng", "3fr", "arw", "cr2", "cr3", "crw", "dcr", "erf", "fff", "iiq", "k25", "kdc", "mef", "mos",
        "mrw", "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f", "xmp", "mov", "mp4",
        "m4v", "avi", "mts",
    ]

    /// The pictures in a directory and those below it, in the order of their paths; hidden files and directories and
    /// links to directories are left out.
    ///
    /// - Returns: also what had to be left out: pictures whose names exiftool cannot be told, and directories that cannot be read.
    /// - Throws: ``CommandFailure`` with `noInput` if there is no such directory.
    static func list(in directory: String) throws -> (files: [String], leftOut: [String]) {
        guard FileDescriptor.isDirectory(directory) else {
            throw CommandFailure(
                .noInput, "there is no directory \(directory)", hint: "--photos takes a directory of pictures")
        }
        var files: [String] = []
        var leftOut: [String] = []
        var pending = [plainPath(directory)]
        while let path = pending.popLast() {
            try Interruption.check()
            if unsafe access(path, R_OK | X_OK) != 0 { leftOut.append(path) }
            for name in FileDescriptor.names(in: path) where !name.hasPrefix(".") {
                let whole = path.hasSuffix("/") ? path + name : path + "/" + name
                var status = stat()
                guard unsafe lstat(whole, &status) == 0 else {
                    // Bytes that are not UTF-8 are replaced in the name, and there is no such file.
                    if isPicture(name) { leftOut.append(whole) }
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: pending.append(whole)
                case S_IFREG, S_IFLNK:
                    guard isPicture(name), !FileDescriptor.isDirectory(whole) else { continue }
                    // exiftool takes one file a line. Not asked of characters, of which CR LF is one.
                    if whole.utf8.contains(0x0a) { leftOut.append(whole) } else { files.append(whole) }
                default: break
                }
            }
        }
        return (files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, leftOut)
    }

    /// A path that exiftool takes for one: in a file of arguments a line that begins with `-` is an option, one with `#` a
    /// comment, and white space before either is left out.
    static func plainPath(_ path: String) -> String {
        guard let first = path.utf8.first else { return path }
        switch first {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...:
            return path
        default: return "./" + path
        }
    }

    private static func isPicture(_ name: String) -> Bool {
        name.lastIndex(of: ".").map { endings.contains(name[name.index(after: $0)...].lowercased()) } ?? false
    }
}
