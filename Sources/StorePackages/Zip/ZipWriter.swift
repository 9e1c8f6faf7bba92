/// Writes a zip file from its beginning to its end, without going back, so that it can also be a pipe.
struct ZipWriter {
    private let sink: ([UInt8]) throws -> Void
    private(set) var entries: [ZipEntry] = []
    /// The number of bytes written.
    private(set) var byteCount: UInt64 = 0

    init(_ sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

    /// Writes an entry whose bytes are in memory.
    mutating func write(_ content: [UInt8], named name: String) throws {
        var checksum = CRC32()
        checksum.update(content)
        try begin(name, checksum: checksum.value, byteCount: UInt64(content.count))
        try append(content)
    }

    /// Writes the header of an entry, whose bytes must follow in ``append(_:)``.
    mutating func begin(_ name: String, checksum: UInt32, byteCount: UInt64) throws {
        let entry = ZipEntry(name: name, checksum: checksum, byteCount: byteCount, offset: self.byteCount)
        entries.append(entry)
        try append(entry.localHeader)
    }

    /// Writes some of the bytes of the entry.
    mutating func append(_ part: [UInt8]) throws {
        try sink(part)
        byteCount += UInt64(part.count)
    }

    /// Writes the directory.
    mutating func finish() throws {
        let offset = byteCount
        var part: [UInt8] = []
        for entry in entries {
            part += entry.centralHeader
            if part.count >= 64 << 10 {
                try append(part)
                part.removeAll(keepingCapacity: true)
            }
        }
        try append(part)
        let end = ZipEnd(
            entryCount: UInt64(entries.count), directoryOffset: offset, directoryByteCount: byteCount - offset)
        try append(end.bytes)
    }
}
