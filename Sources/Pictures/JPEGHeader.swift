/// The properties of a JPEG picture that its segments state before anything is decoded: size, components, orientation
/// and color profile, and what decoding will cost.
package struct JPEGHeader: Sendable, Hashable {
    /// The size of the stored picture in pixels, before it is turned. Not zero.
    package let width: Int
    package let height: Int
    /// The number of components: 1 for gray, 3 for color, 4 for print.
    package let componentCount: Int
    /// Whether the components arrive in several scans, so that a decoder keeps the coefficients of the whole picture.
    package let hasSeveralScans: Bool
    /// Where the data of the first scan begin.
    package let scanOffset: Int
    /// The orientation of the picture.
    package let orientation: PictureOrientation
    /// The color profile, if it fits the components; `nil` if there is none or if it is invalid.
    package let profile: ColorProfile?
    /// The number of blocks of 8 × 8 coefficients.
    package let blockCount: Int

    /// Reads the segments in front of the first scan; `nil` if the file ends before it, or if they are invalid.
    ///
    /// - Parameter orientation: the orientation of a picture whose metadata do not state one.
    /// - Complexity: O(*n*) in the size of these segments.
    package init?(_ bytes: [UInt8], orientation: PictureOrientation = .normal) {
        var frame: Frame?
        var scan: JPEGSegments.Segment?
        var orientation = orientation
        var hasMetadata = false
        var chunks = ColorProfile.Chunks()
        for segment in JPEGSegments(in: bytes) {
            switch segment.marker {
            case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(segment.marker):
                frame = frame ?? Frame(segment, in: bytes)
            case JPEGSegments.startOfScan: scan = segment
            case 0xe1 where !hasMetadata:
                guard let block = ExifBlock.range(of: segment, in: bytes) else { continue }
                hasMetadata = true
                orientation = TIFFStructure(bytes, block)?.orientation ?? orientation
            case 0xe2: chunks.add(bytes[segment.content])
            default: break
            }
        }
        guard let frame, let scan, let scanned = bytes[scan.content].first else { return nil }
        width = frame.width
        height = frame.height
        componentCount = frame.samplings.count
        hasSeveralScans = frame.isProgressive || Int(scanned) < frame.samplings.count
        scanOffset = scan.content.upperBound
        blockCount = frame.blockCount
        self.orientation = orientation
        profile = chunks.profile(componentCount: frame.samplings.count)
    }

    /// The number of scans, counted no further than a limit.
    ///
    /// - Complexity: O(*n*) in the size of the file.
    package func scanCount(in bytes: [UInt8], limit: Int) -> Int {
        var count = 1
        var offset = scanOffset
        while count < limit, offset < bytes.count, let found = bytes[offset...].firstIndex(of: 0xff) {
            guard found + 1 < bytes.count else { break }
            if bytes[found + 1] == JPEGSegments.startOfScan { count += 1 }
            offset = found + (bytes[found + 1] == 0xff ? 1 : 2)
        }
        return count
    }

    /// The segment that describes the components.
    private struct Frame {
        let width: Int
        let height: Int
        let samplings: [(horizontal: Int, vertical: Int)]
        let isProgressive: Bool

        init?(_ segment: JPEGSegments.Segment, in bytes: [UInt8]) {
            let content = BoundedBytes(bytes: bytes, range: segment.content)
            guard let height = content.number(1, byteCount: 2), let width = content.number(3, byteCount: 2),
                let count = content.number(5, byteCount: 1), width > 0, height > 0, 1...4 ~= count
            else { return nil }
            var samplings: [(horizontal: Int, vertical: Int)] = []
            for component in 0..<count {
                guard let factors = content.number(7 + 3 * component, byteCount: 1),
                    1...4 ~= factors >> 4, 1...4 ~= factors & 15
                else { return nil }
                samplings.append((factors >> 4, factors & 15))
            }
            self.width = width
            self.height = height
            self.samplings = samplings
            isProgressive = [0xc2, 0xc6, 0xca, 0xce].contains(segment.marker)
        }

        /// The number of blocks, rounded up to whole units of all components (ITU-T T.81, A.2).
        var blockCount: Int {
            let horizontal = samplings.map(\.horizontal).max() ?? 1
            let vertical = samplings.map(\.vertical).max() ?? 1
            let columns = (width + 8 * horizontal - 1) / (8 * horizontal)
            let rows = (height + 8 * vertical - 1) / (8 * vertical)
            return samplings.reduce(0) { $0 + columns * $1.horizontal * rows * $1.vertical }
        }
    }
}

/// Finds the TIFF structure with a picture's metadata (Exif 2.32, section 4.5.2).
enum ExifBlock {
    /// Returns the range of the structure in a segment; `nil` if the segment has none.
    static func range(of segment: JPEGSegments.Segment, in bytes: [UInt8]) -> Range<Int>? {
        let content = BoundedBytes(bytes: bytes, range: segment.content)
        guard segment.marker == 0xe1, content.has("Exif\0", at: 0), content.count > 6 else { return nil }
        return content.range(6, count: content.count - 6)
    }
}
