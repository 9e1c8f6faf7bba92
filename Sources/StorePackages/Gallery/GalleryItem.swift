internal import DocIndex

/// A document in the gallery: its texts, and its attachments that may be pictures.
struct GalleryItem: Sendable {
    let title: String
    /// A longer text; `nil` if there is none.
    let caption: String?
    /// The date or the rating; empty if there are none.
    let details: String
    /// The attachments, in the order of the document.
    let attachments: [Attachment.Digest]

    private static let titleNames = ["title", "headline", "name", "caption", "description"]
    private static let captionNames = ["caption", "description", "note"]
    private static let dateNames = ["taken", "date", "created"]

    init(_ id: DocumentID, _ content: DocumentObject) {
        let title = Self.text(Self.titleNames, in: content)
        let caption = Self.text(Self.captionNames, in: content)
        self.title = title ?? Self.fileName(in: content) ?? "\(id)"
        self.caption = caption == title ? nil : caption
        var details: [String] = []
        if let date = Self.dateNames.lazy.compactMap({ Self.date(content[$0]) }).first { details.append(date) }
        if let rating = content["rating"]?.intValue, 1...5 ~= rating {
            details.append(String(repeating: "★", count: Int(rating)))
        }
        self.details = details.joined(separator: " · ")
        var attachments: [Attachment.Digest] = []
        content.forEachAttachment { attachment in
            if attachments.count < 8, !attachments.contains(attachment.digest) { attachments.append(attachment.digest) }
        }
        self.attachments = attachments
    }

    private static func text(_ names: [String], in content: DocumentObject) -> String? {
        for name in names {
            guard let text = content[name]?.stringValue, text.contains(where: { !$0.isWhitespace }) else { continue }
            return GalleryText.shortened(text, to: 500)
        }
        return nil
    }

    private static func fileName(in content: DocumentObject) -> String? {
        var name: String?
        content.forEachAttachment { name = name ?? $0.name }
        return name
    }

    private static func date(_ value: DocumentValue?) -> String? {
        if let date = value?.dateValue { return String(date.iso8601.prefix(10)) }
        guard let text = value?.stringValue else { return nil }
        // The time of day of an ISO 8601 string is left out.
        let isTimed = text.utf8.count > 10 && text.utf8.dropFirst(10).first == UInt8(ascii: "T")
        return isTimed ? String(text.prefix(10)) : GalleryText.shortened(text, to: 25)
    }
}
