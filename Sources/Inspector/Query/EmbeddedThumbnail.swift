/// Finds the small picture that cameras embed in a JPEG file (Exif 2.32, section 4.5.2; TIFF 6.0, section 2).
///
/// It looks at the first 128 KB and follows no more offsets than the format needs, so that a forged file costs nothing.
enum EmbeddedThumbnail {
    /// The number of bytes at the beginning of a file that are looked at.
    static let examinedByteCount = 128 << 10

    /// Returns the range of the embedded picture in the bytes; `nil` if there is none.
    static func range(in bytes: [UInt8]) -> Range<Int>? {
        guard let block = exifBlock(in: bytes) else { return nil }
        let reader = TIFFReader(bytes: bytes, block: block)
        guard let second = reader.secondDirectory, let start = reader.value(of: 0x0201, in: second),
            let count = reader.value(of: 0x0202, in: second), count > 4, let range = reader.range(start, count: count),
            bytes[range].starts(with: [0xff, 0xd8, 0xff])
        else { return nil }
        return range
    }

    /// The range of the TIFF structure in the first segment with metadata.
    private static func exifBlock(in bytes: [UInt8]) -> Range<Int>? {
        guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
        var offset = 2
        // Metadata comes before the picture, after a few other segments.
        for _ in 0..<16 {
            guard offset + 4 <= bytes.count, bytes[offset] == 0xff else { return nil }
            let marker = bytes[offset + 1]
            guard marker != 0xda, marker != 0xd9 else { return nil }
            let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            guard length >= 2 else { return nil }
            let end = offset + 2 + length
            if marker == 0xe1, bytes.count >= offset + 10, bytes[(offset + 4)...].starts(with: Array("Exif\0\0".utf8)) {
                return end <= bytes.count ? offset + 10..<max(offset + 10, end) : nil
            }
            offset = end
        }
        return nil
    }
}

/// Reads the directories of a TIFF structure. Offsets count from its beginning, and stay in it.
private struct TIFFReader {
    let bytes: [UInt8]
    let block: Range<Int>
    private let isBigEndian: Bool

    init(bytes: [UInt8], block: Range<Int>) {
        self.bytes = bytes
        self.block = block
        isBigEndian = block.count >= 2 && bytes[block.lowerBound] == UInt8(ascii: "M")
    }

    /// Returns the range of some bytes; `nil` if it is not in the structure.
    func range(_ offset: Int, count: Int) -> Range<Int>? {
        guard offset >= 0, count >= 0, offset <= block.count, count <= block.count - offset else { return nil }
        return block.lowerBound + offset..<block.lowerBound + offset + count
    }

    private func number(_ offset: Int, byteCount: Int) -> Int? {
        guard let range = range(offset, count: byteCount) else { return nil }
        let digits = isBigEndian ? Array(bytes[range]) : bytes[range].reversed()
        return digits.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The offset of the second directory, which describes the embedded picture.
    var secondDirectory: Int? {
        guard number(2, byteCount: 2) == 42, let first = number(4, byteCount: 4),
            let count = number(first, byteCount: 2), let second = number(first + 2 + 12 * count, byteCount: 4),
            second > 0
        else { return nil }
        return second
    }

    /// Returns the number that an entry of a directory contains; `nil` if the entry is missing.
    func value(of tag: Int, in directory: Int) -> Int? {
        guard let count = number(directory, byteCount: 2) else { return nil }
        for entry in 0..<min(count, 64) {
            let offset = directory + 2 + 12 * entry
            guard let found = number(offset, byteCount: 2) else { return nil }
            if found == tag {
                // A number of two or of four bytes.
                return number(offset + 8, byteCount: number(offset + 2, byteCount: 2) == 3 ? 2 : 4)
            }
        }
        return nil
    }
}
