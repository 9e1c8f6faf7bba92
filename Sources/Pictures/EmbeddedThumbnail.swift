/// Finds the small picture that cameras embed in a JPEG file.
///
/// It looks at the first 128 KB and follows no more offsets than the format needs, so that a forged file costs nothing.
package enum EmbeddedThumbnail {
    /// The number of bytes at the beginning of a file that are looked at.
    package static let examinedByteCount = 128 << 10

    /// Returns the range of the embedded picture in the bytes; `nil` if there is none.
    package static func range(in bytes: [UInt8]) -> Range<Int>? {
        for segment in JPEGSegments(in: bytes) {
            guard let block = ExifBlock.range(of: segment, in: bytes) else { continue }
            guard let structure = TIFFStructure(bytes, block), let first = structure.first,
                let second = structure.next(after: first),
                let range = EmbeddedPictures.exchanged(in: second, of: structure),
                bytes[range].starts(with: [0xff, 0xd8, 0xff])
            else { return nil }
            return range
        }
        return nil
    }
}
