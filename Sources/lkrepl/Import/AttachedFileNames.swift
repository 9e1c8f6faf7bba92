import DocIndex

/// Writes attached files into a directory under their own names, which are made safe. An existing file is never
/// overwritten: a file with the same content is kept, otherwise the name gets a number.
struct AttachedFileNames {
    private let directory: String
    private let pattern: String
    /// The names in use, in lowercase, since file systems may not distinguish case, and the attachments with these
    /// names.
    private var contents: [String: Attachment.Digest] = [:]
    /// The number of files, and their size in bytes.
    private(set) var writtenCount = 0
    private(set) var byteCount: Int64 = 0

    /// The maximum length of a file name in bytes, without a number.
    private static let maximumByteCount = 200
    private static let parts = ["{name}", "{stem}", "{ext}", "{id}", "{sha256}"]

    /// - Throws: ``CommandError`` if the directory cannot be created.
    init(in directory: String, pattern: String) throws {
        self.directory = directory
        self.pattern = pattern
        try ContentFiles.makeDirectory(directory)
    }

    /// Throws a ``CommandError`` for an invalid pattern.
    static func check(_ pattern: String) throws {
        var rest = pattern
        for part in parts { rest = rest.replacing(part, with: "") }
        guard pattern != rest, !rest.contains("{"), !rest.contains("}") else {
            throw CommandError(
                .usage, "--name-pattern \(pattern) is not a pattern of names",
                hint: "use \(parts.joined(separator: ", ")), for example {id}-{name}")
        }
    }

    /// Writes the content of an attachment, unless it is there under the same name.
    mutating func write(
        _ attachment: Attachment, of id: DocumentID, from attachments: DocumentStore.Attachments
    ) throws {
        let name = name(of: attachment, in: id)
        let (stem, ending) = Self.split(name)
        var number = 1
        while true {
            let candidate = number == 1 ? name : "\(stem)-\(number)\(ending)"
            number += 1
            let path = directory + "/" + candidate
            let key = candidate.lowercased()
            if let other = contents[key] {
                if other == attachment.digest { return }
                continue
            }
            if FileDescriptor.exists(path) {
                // An earlier export may have written it.
                guard !FileDescriptor.isLinkOrSpecial(path),
                    try ContentFiles.digest(ofFileAt: path) == attachment.digest
                else { continue }
            } else {
                try NewFile.write(path, replacing: false) { output in
                    try ContentFiles.write(attachment, from: attachments, to: output)
                }
            }
            contents[key] = attachment.digest
            writtenCount += 1
            byteCount += attachment.byteCount
            return
        }
    }

    // MARK: - Names

    private func name(of attachment: Attachment, in id: DocumentID) -> String {
        let given = attachment.name.map(Self.safe) ?? ""
        let name =
            given.isEmpty ? attachment.digest.description.prefix(16) + "." + Self.ending(of: attachment.type) : given
        let (stem, ending) = Self.split(name)
        let values = [name, stem, String(ending.dropFirst()), "\(id)", attachment.digest.description]
        var text = pattern
        // A value may look like a part of the pattern, so all parts are replaced in one pass.
        var result = ""
        while let (range, value) = Self.firstPart(of: text, values) {
            result += text[..<range.lowerBound] + value
            text = String(text[range.upperBound...])
        }
        let whole = Self.safe(result + text)
        return whole.isEmpty ? attachment.digest.description : Self.shortened(whole)
    }

    private static func firstPart(of text: String, _ values: [String]) -> (Range<String.Index>, String)? {
        zip(parts, values).compactMap { part, value in text.firstRange(of: part).map { ($0, value) } }
            .min { $0.0.lowerBound < $1.0.lowerBound }
    }

    /// A name without slashes, control characters and leading dots.
    static func safe(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isForbidden = scalar == "/" || scalar == "\\" || scalar == ":" || !scalar.isHarmless
            text.unicodeScalars.append(isForbidden ? "_" : scalar)
        }
        return String(text.drop { $0 == "." })
    }

    /// The part of a name before its ending, and the ending with its dot.
    private static func split(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 16 else {
            return (name, "")
        }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        var (stem, ending) = split(name)
        while stem.utf8.count + ending.utf8.count > maximumByteCount, !stem.isEmpty { stem.removeLast() }
        return stem + ending
    }

    /// The ending of a file of a type that has no name.
    private static func ending(of type: String) -> String {
        let endings = [
            "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/tiff": "tif",
            "image/heic": "heic", "application/pdf": "pdf", "video/mp4": "mp4", "text/plain": "txt",
        ]
        return endings[type] ?? "bin"
    }
}
