/// Finds the pictures that cameras embed in TIFF structures as JPEG files: previews in raw files, and the thumbnail in the
/// metadata of a JPEG file (Exif 2.32, section 4.5.2; TIFF 6.0, sections 2 and 22; DNG 1.4).
package enum EmbeddedPictures {
    /// Returns the ranges of the embedded JPEG files in a TIFF file; empty if there are none.
    package static func ranges(inTIFF bytes: [UInt8]) -> [Range<Int>] {
        guard let structure = TIFFStructure(bytes, 0..<bytes.count) else { return [] }
        var found: [Range<Int>] = []
        for directory in structure.directories {
            for range in [exchanged(in: directory, of: structure), strip(in: directory, of: structure)] {
                if let range, isPicture(bytes[range]), !found.contains(range) { found.append(range) }
            }
        }
        return found
    }

    /// The orientation of a TIFF file, such as a raw file.
    package static func orientation(ofTIFF bytes: [UInt8]) -> PictureOrientation {
        TIFFStructure(bytes, 0..<bytes.count)?.orientation ?? .normal
    }

    /// The file that `JPEGInterchangeFormat` refers to.
    static func exchanged(in directory: TIFFStructure.Directory, of structure: TIFFStructure) -> Range<Int>? {
        guard let start = structure.number(of: 0x0201, in: directory),
            let count = structure.number(of: 0x0202, in: directory), count > 4
        else { return nil }
        return structure.range(start, count: count)
    }

    /// The only strip of a picture that is compressed as JPEG.
    private static func strip(in directory: TIFFStructure.Directory, of structure: TIFFStructure) -> Range<Int>? {
        let strips = structure.numbers(of: 0x0111, in: directory, limit: 2)
        let counts = structure.numbers(of: 0x0117, in: directory, limit: 2)
        guard [6, 7].contains(structure.number(of: 0x0103, in: directory)), strips.count == 1, counts.count == 1,
            counts[0] > 4
        else { return nil }
        return structure.range(strips[0], count: counts[0])
    }

    /// Whether bytes begin like a JPEG file with a lossy picture, which decoders read: raw data are lossless.
    private static func isPicture(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard PictureFormat(of: bytes) == .jpeg else { return false }
        for segment in JPEGSegments(in: Array(bytes.prefix(1 << 20))) {
            if 0xc0...0xc2 ~= segment.marker { return true }
            if segment.marker == 0xc3 { return false }
        }
        return false
    }
}
