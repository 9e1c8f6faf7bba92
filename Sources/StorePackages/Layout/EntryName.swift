internal import DocIndex

/// The names of the files in a package. No other name is accepted, so unpacking cannot write anywhere else.
enum EntryName: Sendable, Hashable {
    /// The gallery.
    case gallery
    /// The description of the package, with the digests of all other files.
    case manifest
    /// The documents, as a dump.
    case documents
    /// An original.
    case blob(Attachment.Digest)
    /// A rendition of an original, by the name of its specification.
    case rendition(String, Attachment.Digest)
    /// A picture under a name for people.
    case picture(String)

    /// The path in the package.
    var path: String {
        switch self {
        case .gallery: "index.html"
        case .manifest: "package.json"
        case .documents: "documents.lkd.jsonl"
        case .blob(let digest): "blobs/\(digest.description.prefix(2))/\(digest)"
        case .rendition(let name, let digest): "renditions/\(name)/\(digest).jpg"
        case .picture(let name): "pictures/\(name)"
        }
    }

    /// Reads a path; `nil` if ``path`` never has this form.
    init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("index.html", 1): self = .gallery
        case ("package.json", 1): self = .manifest
        case ("documents.lkd.jsonl", 1): self = .documents
        case ("blobs", 3):
            guard let digest = Attachment.Digest(parts[2]) else { return nil }
            self = .blob(digest)
        case ("renditions", 3):
            guard parts[2].hasSuffix(".jpg"), let digest = Attachment.Digest(String(parts[2].dropLast(4))),
                Self.isSpecification(parts[1])
            else { return nil }
            self = .rendition(parts[1], digest)
        case ("pictures", 2):
            guard Self.isPictureName(parts[1]) else { return nil }
            self = .picture(parts[1])
        default: return nil
        }
        // Strings that are equal can have different bytes.
        guard self.path.hasSameBytes(as: path) else { return nil }
    }

    /// Whether a string is the name of a specification of renditions.
    static func isSpecification(_ name: String) -> Bool {
        1...32 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-")
            }
    }

    /// The maximum size of the name of a picture in bytes, which every file system allows.
    static let maximumPictureNameByteCount = 120

    /// Whether every file system accepts a name, which begins with four or more digits.
    static func isPictureName(_ name: String) -> Bool {
        name.utf8.count <= maximumPictureNameByteCount
            && name.utf8.prefix(4).count == 4
            && name.utf8.prefix(4).allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            && name.unicodeScalars.allSatisfy { isPlain($0) } && name.utf8.last != UInt8(ascii: ".")
            && name.utf8.last != UInt8(ascii: " ")
    }

    /// Whether a character may be in the name of a picture. Windows refuses some, and others are invisible or turn the
    /// text around them.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if "/\\:*?\"<>|".unicodeScalars.contains(scalar) { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }

    /// The endings of picture files. Titles are often file names, and the renditions of all of them are JPEG files.
    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "tif", "tiff", "webp", "heic", "heif", "avif", "jxl", "bmp", "psd",
        "dng", "nef", "cr2", "cr3", "arw", "raf", "orf", "rw2", "pef", "srw",
    ]

    /// Returns a title without the ending of a picture file.
    private static func withoutEnding(_ title: String) -> String {
        guard let point = title.lastIndex(of: "."),
            endings.contains(title[title.index(after: point)...].lowercased())
        else { return title }
        return String(title[..<point])
    }

    /// Returns the name of a picture for people: `0001 Old bridge.jpg`.
    ///
    /// - Parameters:
    ///   - number: its number, from 1.
    ///   - title: its title, without the ending of a picture file and characters that a file name cannot have.
    static func pictureName(_ number: Int, _ title: String) -> String {
        let digits = String(number)
        var name = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        let plain = String(String.UnicodeScalarView(withoutEnding(title).unicodeScalars.map { isPlain($0) ? $0 : " " }))
        for word in plain.split(whereSeparator: \.isWhitespace) {
            guard name.utf8.count + word.utf8.count < maximumPictureNameByteCount - 4 else { break }
            name += " " + word
        }
        return name + ".jpg"
    }
}
