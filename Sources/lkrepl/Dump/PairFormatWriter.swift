import LevelKit

/// Writes pairs in the format of another program.
struct PairFormatWriter {
    let format: PairFormat
    private let output: StandardOutput
    private var buffer: [UInt8] = []
    private(set) var recordCount = 0
    /// The number of pairs that the other program cannot store.
    private(set) var refusedCount = 0

    /// The maximum key length in LMDB (the default of `MDB_MAXKEYSIZE`).
    private static let longestKeyInLMDB = 511

    init(_ format: PairFormat, _ output: StandardOutput) {
        self.format = format
        self.output = output
    }

    /// Writes the header.
    ///
    /// - Parameter byteCount: The approximate size of the database. LMDB needs the size to map, and otherwise stops at
    ///   ten megabytes.
    mutating func begin(byteCount: Int) throws {
        guard format == .mdb || format == .bdb else { return }
        var header = "VERSION=3\nformat=bytevalue\ntype=btree\n"
        if format == .mdb { header += "mapsize=\(max(1 << 20, (byteCount + 4096) / 4096 * 4096 * 4))\n" }
        try output.write(header + "HEADER=END\n")
    }

    mutating func write(key: Span<UInt8>, value: Span<UInt8>) throws {
        recordCount += 1
        buffer.removeAll(keepingCapacity: true)
        switch format {
        case .jsonl: preconditionFailure("jsonl dumps use DumpWriter")
        case .mdb, .bdb:
            if format == .mdb, key.isEmpty || key.count > Self.longestKeyInLMDB { refusedCount += 1 }
            for bytes in [key.copied(), value.copied()] {
                buffer.append(0x20)
                HexText.append(bytes.span, to: &buffer)
                buffer.append(0x0a)
            }
        case .ldb:
            buffer += "0x".utf8
            HexText.append(key, isUpperCase: true, to: &buffer)
            buffer += " ==> 0x".utf8
            HexText.append(value, isUpperCase: true, to: &buffer)
            buffer.append(0x0a)
        case .resp:
            buffer += "*3\r\n$3\r\nSET\r\n".utf8
            for bytes in [key.copied(), value.copied()] {
                buffer += "$\(bytes.count)\r\n".utf8
                buffer += bytes
                buffer += "\r\n".utf8
            }
        }
        try output.write(buffer)
    }

    mutating func finish() throws {
        if format == .mdb || format == .bdb { try output.write("DATA=END\n") }
        try output.flush()
    }

    /// A warning about the output; `nil` for none.
    var warning: String? {
        guard refusedCount > 0 else { return nil }
        return "\(refusedCount) keys are empty or longer than \(Self.longestKeyInLMDB) bytes, which LMDB cannot store"
    }
}
