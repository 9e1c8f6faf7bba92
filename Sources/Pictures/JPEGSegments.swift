/// The segments in front of the first scan of a JPEG file (ITU-T T.81, annex B), in order.
///
/// Bytes between two segments are skipped, as decoders do. A segment that does not end in the file is the last one.
package struct JPEGSegments: Sequence, IteratorProtocol {
    /// A marker and what follows it.
    package struct Segment: Sendable, Hashable {
        /// The second byte of the marker.
        package let marker: UInt8
        /// The range of the segment's content in the file, without the marker and the length.
        package let content: Range<Int>
    }

    static let startOfScan: UInt8 = 0xda
    private static let endOfImage: UInt8 = 0xd9

    private let bytes: [UInt8]
    private var offset: Int?

    /// Starts at the beginning of a file. Another kind of file has no segments.
    package init(in bytes: [UInt8]) {
        self.bytes = bytes
        offset = bytes.starts(with: [0xff, 0xd8]) ? 2 : nil
    }

    /// Returns the next segment; `nil` after the header of the first scan, at the end of the picture, and if the file
    /// ends before the segment does.
    ///
    /// - Complexity: O(*n*) in the number of bytes that are skipped.
    package mutating func next() -> Segment? {
        while let position = offset, let marker = marker(from: position) {
            offset = nil
            let code = bytes[marker]
            guard code != Self.endOfImage else { return nil }
            // Restart markers, the beginning of a picture and TEM have no content.
            if 0xd0...0xd8 ~= code || code == 0x01 {
                offset = marker + 1
                continue
            }
            guard marker + 2 < bytes.count else { return nil }
            let length = Int(bytes[marker + 1]) << 8 | Int(bytes[marker + 2])
            guard length >= 2, length <= bytes.count - marker - 1 else { return nil }
            if code != Self.startOfScan { offset = marker + 1 + length }
            return Segment(marker: code, content: marker + 3..<marker + 1 + length)
        }
        return nil
    }

    /// The position of the next byte that follows `0xff` and is neither a fill byte nor part of data.
    private func marker(from start: Int) -> Int? {
        var isMarker = false
        for position in start..<Swift.max(start, bytes.count) {
            let byte = bytes[position]
            if isMarker, byte != 0xff, byte != 0 { return position }
            isMarker = byte == 0xff
        }
        return nil
    }
}
