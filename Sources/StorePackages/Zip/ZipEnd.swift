/// The records after the directory of a zip file, which state where the directory is.
struct ZipEnd: Sendable, Hashable {
    let entryCount: UInt64
    let directoryOffset: UInt64
    let directoryByteCount: UInt64

    private static let signature: UInt32 = 0x0605_4b50
    private static let largeSignature: UInt32 = 0x0606_4b50
    private static let locatorSignature: UInt32 = 0x0706_4b50
    /// The size without the Zip64 records.
    static let smallByteCount = 22
    /// The size with the Zip64 records.
    static let largeByteCount = 56 + 20 + 22

    private var isLarge: Bool {
        entryCount >= UInt64(UInt16.max) || directoryOffset >= UInt64(UInt32.max)
            || directoryByteCount >= UInt64(UInt32.max)
    }

    /// The records.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if isLarge {
            bytes.append(number: Self.largeSignature)
            bytes.append(number: UInt64(44))
            bytes.append(number: UInt16(0x032d))
            bytes.append(number: UInt16(45))
            for _ in 0..<2 { bytes.append(number: UInt32(0)) }
            for _ in 0..<2 { bytes.append(number: entryCount) }
            bytes.append(number: directoryByteCount)
            bytes.append(number: directoryOffset)
            bytes.append(number: Self.locatorSignature)
            bytes.append(number: UInt32(0))
            bytes.append(number: directoryOffset &+ directoryByteCount)
            bytes.append(number: UInt32(1))
        }
        bytes.append(number: Self.signature)
        for _ in 0..<2 { bytes.append(number: UInt16(0)) }
        for _ in 0..<2 { bytes.append(number: UInt16(clamping: entryCount)) }
        bytes.append(number: UInt32(clamping: directoryByteCount))
        bytes.append(number: UInt32(clamping: directoryOffset))
        bytes.append(number: UInt16(0))
        return bytes
    }
}

extension ZipEnd {
    /// Reads the records.
    ///
    /// - Parameter bytes: the last bytes of a file, at most ``largeByteCount``.
    /// - Returns: `nil` unless the file ends with the records that ``bytes`` has.
    init?(endOf bytes: [UInt8]) {
        let start = bytes.count - Self.smallByteCount
        guard start >= 0, bytes.number(at: start, as: UInt32.self) == Self.signature,
            let entryCount = bytes.number(at: start + 10, as: UInt16.self),
            let byteCount = bytes.number(at: start + 12, as: UInt32.self),
            let offset = bytes.number(at: start + 16, as: UInt32.self)
        else { return nil }
        if entryCount == .max || byteCount == .max || offset == .max {
            let large = bytes.count - Self.largeByteCount
            guard let entryCount = bytes.number(at: large + 24, as: UInt64.self),
                let byteCount = bytes.number(at: large + 40, as: UInt64.self),
                let offset = bytes.number(at: large + 48, as: UInt64.self)
            else { return nil }
            self.init(entryCount: entryCount, directoryOffset: offset, directoryByteCount: byteCount)
        } else {
            self.init(
                entryCount: UInt64(entryCount), directoryOffset: UInt64(offset),
                directoryByteCount: UInt64(byteCount))
        }
        guard self.bytes == bytes.suffix(self.bytes.count) else { return nil }
    }
}
