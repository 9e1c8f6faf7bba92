import Foundation
import Pictures
import TestSupport

@testable import Renditions

/// Pictures that tests make, and the parts that they are made of.
enum MadePictures {
    /// A picture whose pixels tell their position: red grows to the right, green downward, blue along both.
    static func gradient(width: Int, height: Int, channelCount: Int = 3) -> Pixels {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let values = [
                    x * 255 / max(1, width - 1), y * 255 / max(1, height - 1), (x + y) * 255 / (width + height),
                ]
                bytes += values[..<channelCount].map { UInt8($0) }
            }
        }
        return Pixels(width: width, height: height, channelCount: channelCount, bytes: bytes)
    }

    /// Random pixels.
    static func noise(width: Int, height: Int, channelCount: Int = 3, _ random: inout SplitMix64) -> Pixels {
        let count = width * height * channelCount
        return Pixels(
            width: width, height: height, channelCount: channelCount,
            bytes: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    // MARK: - Segments

    /// A segment of a JPEG file.
    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }

    /// A file with segments in front of its others.
    static func file(_ file: [UInt8], adding segments: [UInt8]) -> [UInt8] { file[..<2] + segments + file[2...] }

    /// A number in TIFF's order of bytes.
    static func number(_ value: Int, _ count: Int, isBigEndian: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// A segment with metadata: the orientation, the place of a camera in words, and an embedded picture.
    static func exif(orientation: Int? = nil, thumbnail: [UInt8] = [], isBigEndian: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { Self.number(value, count, isBigEndian: isBigEndian) }
        func entry(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4)
        }
        func short(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2)
        }
        var tiff = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        // The second directory begins at 26, and the thumbnail at 64.
        tiff += number(1, 2) + (orientation.map { short(0x0112, $0) } ?? short(0x0100, 640)) + number(26, 4)
        tiff += number(2, 2) + entry(0x0201, 64) + entry(0x0202, thumbnail.count) + number(0, 4)
        tiff += Array("MY HOUSE".utf8) + thumbnail
        return segment(0xe1, Array("Exif\0\0".utf8) + tiff)
    }

    /// A color profile that is valid as far as it is checked.
    static func profile(_ space: String = "RGB ", byteCount: Int = 560) -> [UInt8] {
        var bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        bytes.replaceSubrange(0..<4, with: number(byteCount, 4, isBigEndian: true))
        bytes.replaceSubrange(16..<20, with: space.utf8)
        bytes.replaceSubrange(36..<40, with: "acsp".utf8)
        return bytes
    }

    // MARK: - Other formats

    /// A TIFF file like the raw file of a camera: the first directory has the orientation and a small preview, a
    /// subdirectory a large one.
    static func raw(orientation: Int, small: [UInt8], large: [UInt8]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { Self.number(value, count, isBigEndian: true) }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let start = 8 + 2 + 6 * 12 + 4 + 2 + 3 * 12 + 4
        var file = Array("MM".utf8) + number(42, 2) + number(8, 4)
        file += number(6, 2)
        file += entry(0x0100, 4, number(160, 4)) + entry(0x0101, 4, number(120, 4))
        file += entry(0x0112, 3, number(orientation, 2)) + entry(0x014a, 4, number(86, 4))
        file += entry(0x0201, 4, number(start, 4)) + entry(0x0202, 4, number(small.count, 4)) + number(0, 4)
        file += number(3, 2) + entry(0x0103, 3, number(7, 2))
        file +=
            entry(0x0111, 4, number(start + small.count, 4)) + entry(0x0117, 4, number(large.count, 4)) + number(0, 4)
        return file + small + large
    }

    /// A raw file of Fujifilm with a preview, and nothing else.
    static func raf(preview: [UInt8]) -> [UInt8] {
        var file = Array("FUJIFILMCCD-RAW 0201FF383501FinePix X".utf8)
        file += [UInt8](repeating: 0, count: 60 - file.count) + Array("0100".utf8) + [UInt8](repeating: 0, count: 20)
        file += number(160, 4, isBigEndian: true) + number(preview.count, 4, isBigEndian: true)
        return file + [UInt8](repeating: 0, count: 160 - file.count) + preview
    }

    /// A PNG file, uncompressed.
    static func png(_ pixels: Pixels) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { number(value, 4, isBigEndian: true) }
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let typed = Array(type.utf8) + content
            return big(content.count) + typed + big(Int(crc32(typed)))
        }
        var rows: [UInt8] = []
        let rowByteCount = pixels.width * pixels.channelCount
        for y in 0..<pixels.height { rows += [0] + pixels.bytes[y * rowByteCount..<(y + 1) * rowByteCount] }
        var deflated: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: rows.count, by: 65_535) {
            let part = rows[start..<min(rows.count, start + 65_535)]
            let count = number(part.count, 2, isBigEndian: false)
            deflated += [part.endIndex == rows.count ? 1 : 0] + count + count.map { ~$0 } + part
        }
        let colors: [UInt8] = [8, pixels.channelCount == 1 ? 0 : 2, 0, 0, 0]
        let header = big(pixels.width) + big(pixels.height) + colors
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        let checksum = big(Int(adler32(rows)))
        var file = signature + chunk("IHDR", header)
        file += chunk("IDAT", deflated + checksum)
        file += chunk("IEND", [])
        return file
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}

/// Real pictures of cameras, next to the repository.
enum RealPictures {
    static let names: [String] = {
        guard SharedTestData.has("photos") else {
            print("skipped: \(SharedTestData.path(of: "photos")) with real pictures does not exist")
            return []
        }
        return ((try? TestFiles.names(in: SharedTestData.path(of: "photos"))) ?? []).filter { $0.hasSuffix(".jpg") }
    }()

    static func bytes(of name: String) throws -> [UInt8] { try SharedTestData.bytes(of: "photos/" + name) }
}

/// Paths that tests examine.
extension TestFiles {
    /// Returns the paths of all files below a directory, sorted.
    static func paths(below directory: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).sorted().map { directory + "/" + $0 }
            .filter { path in
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return attributes?[.type] as? FileAttributeType == .typeRegular
            }
    }

    /// Creates a symbolic link.
    static func makeLink(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
}
