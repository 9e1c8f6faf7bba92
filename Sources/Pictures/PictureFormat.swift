/// The kinds of pictures that are recognized. The first bytes tell the kind; the media type of an attachment and the
/// extension of a file name are not trusted.
package enum PictureFormat: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"
    case heic = "image/heic"
    case jpegXL = "image/jxl"
    /// TIFF, and the raw formats of cameras that are TIFF: DNG, NEF, CR2, ARW, PEF and others.
    case tiff = "image/tiff"
    /// The raw formats of cameras that are not TIFF.
    case raf = "image/x-fuji-raf"
    case cr3 = "image/x-canon-cr3"

    /// The number of bytes at the beginning that tell the kind.
    package static let signatureByteCount = 16

    /// The media type.
    package var mediaType: String { rawValue }

    /// Reads the first bytes of a file; `nil` for everything that is not such a picture.
    package init?(of bytes: some RandomAccessCollection<UInt8>) {
        let start = Array(bytes.prefix(Self.signatureByteCount))
        guard let match = Self.signatures.first(where: { $0.matches(start) }) else { return nil }
        self = match.format
    }

    /// Bytes at an offset.
    private struct Signature {
        let format: PictureFormat
        let parts: [(offset: Int, bytes: [UInt8])]

        init(_ format: PictureFormat, _ parts: (Int, [UInt8])...) {
            self.format = format
            self.parts = parts
        }

        init(_ format: PictureFormat, _ texts: (Int, String)...) {
            self.format = format
            parts = texts.map { ($0.0, Array($0.1.utf8)) }
        }

        func matches(_ bytes: [UInt8]) -> Bool {
            parts.allSatisfy { part in bytes.dropFirst(part.offset).starts(with: part.bytes) }
        }
    }

    private static let signatures: [Signature] = [
        Signature(.jpeg, (0, [0xff, 0xd8, 0xff])),
        Signature(.png, (0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
        Signature(.gif, (0, "GIF87a")), Signature(.gif, (0, "GIF89a")),
        Signature(.webp, (0, "RIFF"), (8, "WEBP")),
        Signature(.avif, (4, "ftypavif")), Signature(.avif, (4, "ftypavis")),
        Signature(.heic, (4, "ftypheic")), Signature(.heic, (4, "ftypheix")), Signature(.heic, (4, "ftypmif1")),
        Signature(.cr3, (4, "ftypcrx ")),
        Signature(.raf, (0, "FUJIFILMCCD-RAW ")),
        Signature(.jpegXL, (0, [0xff, 0x0a])), Signature(.jpegXL, (4, "JXL \r\n")),
        Signature(.tiff, (0, [0x49, 0x49, 0x2a, 0x00])), Signature(.tiff, (0, [0x4d, 0x4d, 0x00, 0x2a])),
        // Olympus and Panasonic changed the number of the format.
        Signature(.tiff, (0, "IIRO")), Signature(.tiff, (0, "IIRS")), Signature(.tiff, (0, "MMOR")),
        Signature(.tiff, (0, [0x49, 0x49, 0x55, 0x00])),
    ]
}
