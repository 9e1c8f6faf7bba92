/// The width and height of a picture in pixels, as its first bytes state them.
///
/// Decoders check the size themselves; this one is read before a decoder is started, so that enormous pictures are
/// refused without one.
package struct PictureSize: Sendable, Hashable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels.
    package var pixelCount: Int { width.multipliedReportingOverflow(by: height).overflow ? .max : width * height }

    /// Reads the size of a picture; `nil` if it is unknown, as for HEIC.
    package init?(of bytes: [UInt8]) {
        let big = BoundedBytes(bytes: bytes, range: 0..<bytes.count)
        let little = BoundedBytes(bytes: bytes, range: 0..<bytes.count, isBigEndian: false)
        let size: (width: Int?, height: Int?)
        switch PictureFormat(of: bytes) {
        case .jpeg:
            let header = JPEGHeader(bytes)
            size = (header?.width, header?.height)
        case .png: size = (big.number(16, byteCount: 4), big.number(20, byteCount: 4))
        case .gif: size = (little.number(6, byteCount: 2), little.number(8, byteCount: 2))
        case .webp: size = Self.webP(little)
        case .tiff:
            guard let structure = TIFFStructure(bytes, 0..<bytes.count), let first = structure.first else { return nil }
            size = (structure.number(of: 0x0100, in: first), structure.number(of: 0x0101, in: first))
        default: return nil
        }
        guard let width = size.width, let height = size.height, width > 0, height > 0 else { return nil }
        self.init(width: width, height: height)
    }

    /// The size in the first chunk of a WebP file (RFC 9649).
    private static func webP(_ bytes: BoundedBytes) -> (width: Int?, height: Int?) {
        if bytes.has("VP8X", at: 12) {
            return (bytes.number(24, byteCount: 3).map { $0 + 1 }, bytes.number(27, byteCount: 3).map { $0 + 1 })
        }
        if bytes.has("VP8L", at: 12) {
            let bits = bytes.number(21, byteCount: 4)
            return (bits.map { $0 & 0x3fff + 1 }, bits.map { $0 >> 14 & 0x3fff + 1 })
        }
        return (bytes.number(26, byteCount: 2).map { $0 & 0x3fff }, bytes.number(28, byteCount: 2).map { $0 & 0x3fff })
    }
}
