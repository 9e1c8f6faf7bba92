internal import DocIndex

/// The attachments that a document refers to, and their names on the wire.
struct AttachmentReferences {
    /// An attachment that the document refers to, perhaps several times.
    struct Reference {
        /// A reference to the content, with the least of the types.
        var attachment: Attachment
        /// The file names of the references that can be names on the wire, by their bytes.
        fileprivate var names: [[UInt8]: String]
        /// The least of the extensions of the file names; `nil` if none has one.
        fileprivate var pathExtension: String?

        /// The name that only this content can have.
        var digestName: String {
            AttachmentReferences.digestPrefix + attachment.digest.description + (pathExtension.map { "." + $0 } ?? "")
        }
    }

    /// The attachments in the order of their first references.
    private(set) var list: [Reference] = []
    /// The number of attachments that want a name.
    private var claims: [[UInt8]: Int] = [:]

    static let digestPrefix = "sha256-"

    init(of content: DocumentObject) {
        var positions: [Attachment.Digest: Int] = [:]
        content.forEachAttachment { attachment in
            if let position = positions[attachment.digest] {
                list[position].add(attachment)
            } else {
                positions[attachment.digest] = list.count
                list.append(Reference(attachment))
            }
        }
        for reference in list {
            for name in reference.names.keys { claims[name, default: 0] += 1 }
        }
    }

    /// Returns the file name under which an attachment is sent unless the document has that name in `_attachments`;
    /// `nil` if it has none, or if other attachments have it too. The order of members makes no difference.
    func name(of reference: Reference) -> String? {
        reference.names.filter { claims[$0.key] == 1 }.min { $0.key.lexicographicallyPrecedes($1.key) }?.value
    }

    /// Returns whether a file name can be a name on the wire: one that peers take, that is one part of a URL, and that
    /// looks like no ``Reference/digestName``.
    static func isUsable(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "_"), name != ".", name != ".." else { return false }
        return !name.utf8.starts(with: digestPrefix.utf8)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0..<0x20, 0x7f, UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): false
                default: true
                }
            }
    }

    /// Returns the content that a name stands for because it contains the digest; `nil` for any other name.
    static func digest(inName name: String) -> Attachment.Digest? {
        let prefix = digestPrefix.utf8
        let rest = name.utf8.dropFirst(prefix.count)
        let digits = rest.prefix(2 * Attachment.Digest.byteCount)
        guard name.utf8.starts(with: prefix),
            rest.count == digits.count || rest.dropFirst(digits.count).first == UInt8(ascii: ".")
        else { return nil }
        return Attachment.Digest(String(decoding: digits, as: UTF8.self))
    }
}

extension AttachmentReferences.Reference {
    fileprivate init(_ attachment: Attachment) {
        self.attachment = attachment
        names = [:]
        addName(attachment.name)
    }

    fileprivate mutating func add(_ other: Attachment) {
        if other.type.utf8.lexicographicallyPrecedes(attachment.type.utf8),
            let same = Attachment(
                digest: attachment.digest, byteCount: attachment.byteCount, type: other.type, name: attachment.name)
        {
            attachment = same
        }
        addName(other.name)
    }

    private mutating func addName(_ name: String?) {
        guard let name else { return }
        if AttachmentReferences.isUsable(name) { names[Array(name.utf8)] = name }
        guard let found = Self.pathExtension(of: name) else { return }
        if pathExtension.map({ found.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true { pathExtension = found }
    }

    /// Returns the extension of a file name if it consists of at most ten ASCII letters and digits.
    private static func pathExtension(of name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = name.utf8[name.utf8.index(after: dot)...]
        guard 1...10 ~= suffix.count, suffix.allSatisfy({ $0.isDigit || (0x61...0x7a).contains($0 | 0x20) }) else {
            return nil
        }
        return String(Substring(suffix))
    }
}
