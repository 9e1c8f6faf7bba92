internal import DocIndex

/// The kinds of pictures that browsers show. Their bytes tell the kind; what a document says is not trusted.
enum PictureKind: String, CaseIterable, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"

    /// The number of bytes at the beginning that tell the kind.
    static let signatureByteCount = 16

    /// Whether the type of an attachment is one of them.
    static func isRaster(_ type: String) -> Bool { PictureKind(rawValue: type.lowercased()) != nil }

    /// Reads the first bytes of an attachment; `nil` for everything that is not such a picture.
    init?(of bytes: [UInt8]) {
        func has(_ text: String, at offset: Int) -> Bool {
            bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
        }
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if has("GIF87a", at: 0) || has("GIF89a", at: 0) {
            self = .gif
        } else if has("RIFF", at: 0), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftypavif", at: 4) {
            self = .avif
        } else {
            return nil
        }
    }
}
