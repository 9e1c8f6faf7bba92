/// The ICC profile of a picture: what its numbers mean as colors (ISO 15076-1). It is the only metadata that renditions
/// keep, because without it the colors are wrong.
package struct ColorProfile: Sendable, Hashable {
    /// The maximum size, in bytes. Camera and editor profiles take a few kilobytes, printer profiles a few hundred.
    package static let maximumByteCount = 1 << 20
    /// The number of bytes of a profile that fit into a segment of a JPEG file.
    private static let chunkByteCount = 65_519
    private static let label = Array("ICC_PROFILE\0".utf8)

    /// The profile as it is stored.
    package let bytes: [UInt8]

    /// Checks the header of a profile; `nil` if it is invalid, or not for pictures with that number of components.
    package init?(_ bytes: [UInt8], componentCount: Int) {
        let content = BoundedBytes(bytes: bytes, range: 0..<bytes.count)
        guard 128...Self.maximumByteCount ~= bytes.count, content.number(0, byteCount: 4) == bytes.count,
            content.has("acsp", at: 36)
        else { return nil }
        switch componentCount {
        case 1: guard content.has("GRAY", at: 16) else { return nil }
        case 3: guard content.has("RGB ", at: 16) else { return nil }
        case 4: guard content.has("CMYK", at: 16) else { return nil }
        default: return nil
        }
        self.bytes = bytes
    }

    /// Returns a JPEG file with this profile in front of its other segments. The file must not contain one.
    package func inserted(in file: [UInt8]) -> [UInt8] {
        // The segment of JFIF, if there is one, has to be the first.
        var offset = 2
        if let first = JPEGSegments(in: file).first(where: { _ in true }), first.marker == 0xe0 {
            offset = first.content.upperBound
        }
        guard offset <= file.count else { return file }
        return file[..<offset] + segments + file[offset...]
    }

    /// The segments of a JPEG file that contain the profile (ISO 15076-1, B.4).
    private var segments: [UInt8] {
        let count = (bytes.count + Self.chunkByteCount - 1) / Self.chunkByteCount
        var result: [UInt8] = []
        for number in 0..<count {
            let part = bytes[number * Self.chunkByteCount..<min(bytes.count, (number + 1) * Self.chunkByteCount)]
            let length = 2 + Self.label.count + 2 + part.count
            result += [0xff, 0xe2, UInt8(length >> 8), UInt8(length & 0xff)] + Self.label
            result += [UInt8(number + 1), UInt8(count)] + part
        }
        return result
    }

    /// The parts of a profile, which may be in any order.
    struct Chunks {
        private var parts: [UInt8: ArraySlice<UInt8>] = [:]
        private var count: UInt8?
        private var isInvalid = false

        /// Adds the content of a segment. Does nothing if it has no part of a profile.
        mutating func add(_ segment: ArraySlice<UInt8>) {
            guard segment.starts(with: label), segment.count > label.count + 2 else { return }
            let rest = segment.dropFirst(label.count)
            let number = rest[rest.startIndex]
            let total = rest[rest.startIndex + 1]
            if number == 0 || number > total || parts[number] != nil || total != count ?? total { isInvalid = true }
            count = total
            parts[number] = rest.dropFirst(2)
        }

        /// The profile; `nil` if there is none, or a part is missing.
        func profile(componentCount: Int) -> ColorProfile? {
            guard let count, !isInvalid, parts.count == Int(count) else { return nil }
            var bytes: [UInt8] = []
            for number in 1...count { bytes += parts[number] ?? [] }
            return ColorProfile(bytes, componentCount: componentCount)
        }
    }
}
