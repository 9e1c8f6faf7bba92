/// A file in a zip file, stored without compression.
///
/// Its two headers follow from these properties alone: the time is 1980-01-01, the permissions are those of a readable
/// file, and Zip64 fields exist only where a number needs them. So the same content gives the same bytes, and a reader
/// detects any other header by comparing bytes.
struct ZipEntry: Sendable, Hashable {
    /// The name. At most 65,535 bytes.
    let name: String
    /// The CRC-32 of the content.
    let checksum: UInt32
    let byteCount: UInt64
    /// The offset of the local header in the file.
    let offset: UInt64

    /// The size of a local header without the name and Zip64 fields.
    static let localByteCount = 30
    /// The size of a central header without the name and Zip64 fields.
    static let centralByteCount = 46
    static let localSignature: UInt32 = 0x0403_4b50
    static let centralSignature: UInt32 = 0x0201_4b50

    private static let limit = UInt64(UInt32.max)
    /// Names are UTF-8.
    private static let flags: UInt16 = 0x0800
    /// 1980-01-01, the earliest date.
    private static let date: UInt16 = 0x0021
    /// Unix, version 4.5.
    private static let maker: UInt16 = 0x032d
    /// A regular file that its owner can write, and others can read.
    private static let attributes: UInt32 = 0o100644 << 16

    private var isLarge: Bool { byteCount >= Self.limit }
    private var isFar: Bool { offset >= Self.limit }
    private var shownByteCount: UInt32 { isLarge ? .max : UInt32(truncatingIfNeeded: byteCount) }

    /// The size of the local header.
    var localHeaderByteCount: UInt64 { UInt64(Self.localByteCount + name.utf8.count + (isLarge ? 20 : 0)) }

    /// The offset of the content.
    ///
    /// - Returns: `nil` if it exceeds 64 bits.
    var contentOffset: UInt64? {
        let (sum, overflow) = offset.addingReportingOverflow(localHeaderByteCount)
        return overflow ? nil : sum
    }

    /// The offset after the content.
    ///
    /// - Returns: `nil` if it exceeds 64 bits.
    var end: UInt64? {
        guard let (sum, overflow) = contentOffset?.addingReportingOverflow(byteCount) else { return nil }
        return overflow ? nil : sum
    }

    /// The header before the content.
    var localHeader: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: Self.localSignature)
        appendCommon(to: &bytes, needsLarge: isLarge)
        bytes.append(number: UInt16(isLarge ? 20 : 0))
        bytes += name.utf8
        if isLarge { appendLargeFields([byteCount, byteCount], to: &bytes) }
        return bytes
    }

    /// The header in the directory at the end of the file.
    var centralHeader: [UInt8] {
        let fields = (isLarge ? [byteCount, byteCount] : []) + (isFar ? [offset] : [])
        var bytes: [UInt8] = []
        bytes.append(number: Self.centralSignature)
        bytes.append(number: Self.maker)
        appendCommon(to: &bytes, needsLarge: !fields.isEmpty)
        bytes.append(number: UInt16(fields.isEmpty ? 0 : 4 + 8 * fields.count))
        // No comment, the first disk, no internal attributes.
        for _ in 0..<3 { bytes.append(number: UInt16(0)) }
        bytes.append(number: Self.attributes)
        bytes.append(number: isFar ? UInt32.max : UInt32(truncatingIfNeeded: offset))
        bytes += name.utf8
        if !fields.isEmpty { appendLargeFields(fields, to: &bytes) }
        return bytes
    }

    /// The fields from the version to the length of the name, which both headers have.
    private func appendCommon(to bytes: inout [UInt8], needsLarge: Bool) {
        bytes.append(number: UInt16(needsLarge ? 45 : 10))
        bytes.append(number: Self.flags)
        bytes.append(number: UInt16(0))  // stored
        bytes.append(number: UInt16(0))  // midnight
        bytes.append(number: Self.date)
        bytes.append(number: checksum)
        bytes.append(number: shownByteCount)
        bytes.append(number: shownByteCount)
        bytes.append(number: UInt16(truncatingIfNeeded: name.utf8.count))
    }

    private func appendLargeFields(_ fields: [UInt64], to bytes: inout [UInt8]) {
        bytes.append(number: UInt16(1))
        bytes.append(number: UInt16(8 * fields.count))
        for field in fields { bytes.append(number: field) }
    }
}

extension ZipEntry {
    /// Reads a header of the directory.
    ///
    /// - Parameter offset: the offset of the header; moved to the end of it.
    /// - Returns: `nil` unless the bytes equal ``centralHeader``.
    init?(central bytes: [UInt8], at position: inout Int) {
        let start = position
        guard bytes.number(at: start, as: UInt32.self) == Self.centralSignature,
            let checksum = bytes.number(at: start + 16, as: UInt32.self),
            let shortByteCount = bytes.number(at: start + 20, as: UInt32.self),
            let nameByteCount = bytes.number(at: start + 28, as: UInt16.self),
            let extraByteCount = bytes.number(at: start + 30, as: UInt16.self),
            let shortOffset = bytes.number(at: start + 42, as: UInt32.self)
        else { return nil }
        let nameStart = start + Self.centralByteCount
        let nameEnd = nameStart + Int(nameByteCount)
        let end = nameEnd + Int(extraByteCount)
        guard end <= bytes.count, let name = String(validating: bytes[nameStart..<nameEnd], as: UTF8.self) else {
            return nil
        }
        var (byteCount, offset) = (UInt64(shortByteCount), UInt64(shortOffset))
        // The fields follow their identifier and size, in this order.
        var field = nameEnd + 4
        if shortByteCount == .max {
            guard let large = bytes.number(at: field, as: UInt64.self) else { return nil }
            byteCount = large
            field += 16
        }
        if shortOffset == .max {
            guard let large = bytes.number(at: field, as: UInt64.self) else { return nil }
            offset = large
        }
        self.init(name: name, checksum: checksum, byteCount: byteCount, offset: offset)
        guard centralHeader[...] == bytes[start..<end] else { return nil }
        position = end
    }
}
