import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A picture's path, and the properties by which changes are detected.
struct PictureFile: Equatable {
    /// The canonical path: absolute, without symbolic links.
    let path: String
    let byteCount: Int64
    /// The modification time in seconds since 1970.
    let seconds: Int64
}

/// The pictures below a directory, and the skipped files.
struct PictureListing {
    let root: PictureRoot
    /// The pictures, ordered by path.
    var files: [PictureFile] = []
    /// Pictures whose names cannot be passed to exiftool, and unreadable directories.
    var leftOut: [String] = []
    /// Files without a picture's extension, each with its extension or another reason.
    var skipped: [(path: String, kind: String)] = []

    /// The number of skipped files of each kind, such as `3 txt, 2 hidden`; `nil` for none.
    var skippedText: String? {
        guard !skipped.isEmpty else { return nil }
        let counts = Dictionary(grouping: skipped, by: \.kind).mapValues(\.count)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(HumanNumber.grouped($0.value)) \($0.key)" }.joined(separator: ", ")
    }
}

/// Finds the pictures below a directory.
enum PictureFiles {
    /// Lowercase file extensions: formats of cameras and phones, formats derived from them, and other picture formats
    /// that exiftool reads.
    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "mpo", "png", "apng", "mng", "jng", "gif", "tif", "tiff", "webp", "heic", "heif",
        "hif", "avif", "jp2", "jpf", "jpx", "jpm", "j2k", "j2c", "jpc", "jxl", "jxr", "wdp", "hdp", "bmp", "dib", "ico",
        "ppm", "pgm", "pbm", "eps", "exr", "hdr", "psd", "psb", "dng", "3fr", "arw", "arq", "cr2", "cr3", "crw", "dcr",
        "erf", "fff", "gpr", "iiq", "k25", "kdc", "mef", "mos", "mrw", "nef", "nrw", "orf", "ori", "pef", "raf", "raw",
        "rw2", "rwl", "sr2", "srf", "srw", "x3f", "xmp", "mov", "mp4", "m4v", "3gp", "3g2", "avi", "mts", "m2ts",
        "insp",
    ]

    /// The pictures in a directory and those below it. Hidden files and directories, links to directories and links out
    /// of the directory are skipped.
    ///
    /// - Throws: ``CommandError`` with `noInput` if the directory does not exist.
    static func list(in directory: String) throws -> PictureListing {
        guard FileDescriptor.isDirectory(directory) else {
            guard !FileDescriptor.exists(directory) else {
                throw CommandError(
                    .noInput, "\(directory) is a file, not a directory",
                    hint: "--photos needs a directory of pictures; omit it to import a file of documents")
            }
            throw CommandError(
                .noInput, "directory \(directory) does not exist",
                hint: "--photos needs a directory of pictures; if it is on an external disk, mount that disk")
        }
        var listing = PictureListing(root: try PictureRoot(directory))
        var pending = [listing.root.path]
        while let path = pending.popLast() {
            try Interruption.check()
            if unsafe access(path, R_OK | X_OK) != 0 { listing.leftOut.append(path) }
            for name in FileDescriptor.names(in: path) {
                let whole = path == "/" ? "/" + name : path + "/" + name
                if let directory = add(name, whole, to: &listing) { pending.append(directory) }
            }
        }
        skipSidecars(of: &listing)
        // Several links may lead to one picture.
        var seen: Set<[UInt8]> = []
        listing.files = listing.files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            .filter { seen.insert(Array($0.path.utf8)).inserted }
        return listing
    }

    /// Skips IMG_1.xmp and IMG_1.jpg.xmp beside IMG_1.jpg: they describe the picture, and are none. Others are kept, for
    /// pictures that are elsewhere.
    private static func skipSidecars(of listing: inout PictureListing) {
        func stem(_ path: String) -> String { path.lastIndex(of: ".").map { String(path[..<$0]) } ?? path }
        let pictures = listing.files.map(\.path).filter { ending(of: $0) != "xmp" }
        let owners = Set(pictures).union(pictures.map(stem))
        let sidecars = listing.files.filter { ending(of: $0.path) == "xmp" && owners.contains(stem($0.path)) }
        if sidecars.isEmpty { return }
        listing.skipped += sidecars.map { ($0.path, "sidecars of pictures") }
        let paths = Set(sidecars.map(\.path))
        listing.files.removeAll { paths.contains($0.path) }
    }

    /// Adds a directory entry. Returns its path if it is a directory to list.
    private static func add(_ name: String, _ path: String, to listing: inout PictureListing) -> String? {
        if name.hasPrefix(".") {
            listing.skipped.append((path, "hidden"))
            return nil
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // The name may have contained bytes that are not UTF-8; with their replacements, no such file exists.
            if isPicture(name) { listing.leftOut.append(path) } else { listing.skipped.append((path, kind(name))) }
            return nil
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if !isLink, status.st_mode & S_IFMT == S_IFDIR { return path }
        guard unsafe stat(path, &status) == 0 else {
            listing.skipped.append((path, "links to nothing"))
            return nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: listing.skipped.append((path, "links to directories"))
        case S_IFREG where !isPicture(name): listing.skipped.append((path, kind(name)))
        case S_IFREG:
            let path = isLink ? FileDescriptor.resolvingLinks(path) : path
            // A link must not bring in files that the directory does not contain.
            guard !isLink || listing.root.contains(path) else {
                listing.skipped.append((path, "links out of the directory"))
                return nil
            }
            // exiftool reads one file name per line. UTF-8 is checked because CR LF is one `Character`.
            guard !path.utf8.contains(0x0a) else {
                listing.leftOut.append(path)
                return nil
            }
            listing.files.append(
                PictureFile(path: path, byteCount: Int64(status.st_size), seconds: Int64(status.modificationSeconds)))
        default: listing.skipped.append((path, "devices and pipes"))
        }
        return nil
    }

    private static func isPicture(_ name: String) -> Bool { ending(of: name).map(endings.contains) ?? false }

    private static func ending(of name: String) -> String? {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    }

    /// The kind of a file that is not a picture: its extension, if it has a reasonable one.
    private static func kind(_ name: String) -> String {
        guard let ending = ending(of: name), !ending.isEmpty, ending.utf8.count <= 12 else { return "without ending" }
        return ending
    }
}

extension stat {
    fileprivate var modificationSeconds: Int {
        #if canImport(Glibc)
            st_mtim.tv_sec
        #else
            st_mtimespec.tv_sec
        #endif
    }
}
