/// Reads the records of a file in LevelDB's log format, which manifests and logs share.
///
/// The file consists of blocks of 32 KiB. A block contains fragments: a masked CRC-32C of type and payload (4 bytes),
/// the length of the payload (2 bytes), a type (1: a whole record, 2: its first part, 3: a middle part, 4: its last
/// part), and the payload. Bytes at the end of a block that are too few for a header are ignored (`doc/log_format.md`).
///
/// Results of an interrupted process or machine count as the end of the file: a truncated fragment, a record without
/// its last part, or zeros up to the end. All other inconsistencies are corruption and are reported with their
/// position. Reading then continues as in LevelDB: with the next block if the length cannot be trusted. Where LevelDB
/// would silently skip the rest of a block, the reader still finds the records in it; see ``UnfinishedFragment``.
package struct RecordReader {
    /// The kind of records in a file.
    package enum Content: Sendable {
        /// Batches of a log.
        case batches
        /// Edits of a manifest.
        case edits
    }

    /// The next item in the file.
    package enum Item: Equatable {
        case record([UInt8])
        case damage(Damage)
    }

    /// Bytes that are not part of a record.
    package struct Damage: Equatable {
        /// The byte offset in the file.
        package let offset: UInt64
        package let byteCount: UInt64
        /// The reason, as a clause: `its checksum does not match`.
        package let reason: String
    }

    private enum Source {
        case bytes(ArraySlice<UInt8>)
        case file(OpenFile)
    }

    private enum Fragment {
        case whole, first, middle, last
    }

    package static let blockByteCount = 32 << 10
    package static let headerByteCount = 7

    private var source: Source
    private var block: [UInt8] = []
    private var blockOffset: UInt64 = 0
    private var position = 0
    private var isLastBlock = false
    private let content: Content
    /// The smallest sequence number that the next batch can have.
    private var nextSequence: UInt64 = 0
    /// A record after the corruption that was just returned.
    private var pending: (record: [UInt8], endOffset: UInt64)?

    /// The end of the last record read. The bytes after it are torn, or have not been read yet.
    package private(set) var endOffset: UInt64 = 0

    /// Creates a reader of bytes in memory. A record must start at `offset`.
    package init(_ bytes: [UInt8], from offset: Int = 0, holding content: Content) {
        let start = offset - offset % Self.blockByteCount
        let next = bytes[start...].prefix(Self.blockByteCount)
        block = Array(next)
        blockOffset = UInt64(start)
        position = offset - start
        isLastBlock = next.count < Self.blockByteCount
        source = .bytes(bytes[next.endIndex...])
        endOffset = UInt64(offset)
        self.content = content
    }

    /// Creates a reader of a file, block by block, from its current position.
    package init(_ file: OpenFile, holding content: Content) {
        source = .file(file)
        self.content = content
    }

    /// Returns the next record or corruption, or `nil` at the end.
    package mutating func next() throws(SystemError) -> Item? {
        if let pending {
            endOffset = pending.endOffset
            self.pending = nil
            return whole(pending.record)
        }
        var record: [UInt8] = []
        var recordOffset: UInt64?
        while true {
            let start = (block: blockOffset, position: position)
            switch try nextFragment() {
            case nil:
                // A record without its last part was still being written.
                return nil
            case .unfinished:
                return judge(recordOffset.map { (record, $0) })
            case .damage(let damage):
                let offset = recordOffset ?? damage.offset
                return .damage(
                    Damage(
                        offset: offset, byteCount: damage.offset - offset + damage.byteCount, reason: damage.reason))
            case .fragment(let kind, let payload):
                switch (kind, recordOffset) {
                case (.whole, nil), (.last, .some):
                    endOffset = blockOffset + UInt64(position)
                    return whole(record.isEmpty ? Array(payload) : record + payload)
                case (.first, nil), (.middle, .some):
                    if recordOffset == nil { recordOffset = blockOffset + UInt64(position - payload.count - 7) }
                    record += payload
                case (.whole, .some(let offset)), (.first, .some(let offset)):
                    // The fragment is intact. Read it again, as the start of a record.
                    position -= payload.count + Self.headerByteCount
                    return .damage(
                        Damage(
                            offset: offset, byteCount: blockOffset + UInt64(position) - offset,
                            reason: "its end is missing and another record follows"))
                case (.middle, nil), (.last, nil):
                    let byteCount = payload.count + Self.headerByteCount
                    return .damage(
                        Damage(
                            offset: blockOffset + UInt64(position - byteCount), byteCount: UInt64(byteCount),
                            reason: "its beginning is missing"))
                }
            }
            assert(blockOffset > start.block || position > start.position, "reading moves on")
        }
    }

    /// Returns a complete record.
    private mutating func whole(_ record: [UInt8]) -> Item {
        if content == .batches, let sequence = BatchExtent.sequence(of: record[...]) {
            nextSequence = max(nextSequence, sequence + UInt64(BatchExtent.operationCount(of: record[...])))
        }
        return .record(record)
    }

    /// Decides how to treat a fragment that LevelDB skips silently. Reading continues with the next record, or ends
    /// here.
    ///
    /// - Parameter beginning: the payload of the preceding fragments of the same record, and the offset of the record.
    private mutating func judge(_ beginning: (payload: [UInt8], offset: UInt64)?) -> Item? {
        let start = position
        let fragment = UnfinishedFragment(
            block: block, position: start, beginning: beginning?.payload, content: content, nextSequence: nextSequence)
        let offset = beginning?.offset ?? blockOffset + UInt64(start)
        switch fragment.verdict() {
        case .unfinished:
            position = block.count
            return nil
        case .damaged(let next):
            position = next
            return .damage(
                Damage(
                    offset: offset, byteCount: blockOffset + UInt64(next) - offset,
                    reason: "its length extends beyond the file and another record follows"))
        case .wrongLength(let end):
            position = end
            let payload = block[start + Self.headerByteCount..<end]
            pending = ((beginning?.payload ?? []) + payload, blockOffset + UInt64(end))
            return .damage(
                Damage(
                    offset: blockOffset + UInt64(start), byteCount: UInt64(Self.headerByteCount),
                    reason:
                        "its length extends beyond the file, and its checksum matches \(payload.count) bytes"))
        }
    }

    // MARK: - Fragments

    private enum FragmentItem {
        /// A fragment whose length extends beyond the end of the file.
        case unfinished
        case fragment(Fragment, ArraySlice<UInt8>)
        case damage(Damage)
    }

    private mutating func nextFragment() throws(SystemError) -> FragmentItem? {
        while block.count - position < Self.headerByteCount {
            guard try readBlock() else { return nil }
        }
        let header = block[position..<position + Self.headerByteCount]
        let byteCount = Int(header[position + 4]) | Int(header[position + 5]) << 8
        let type = header[position + 6]
        if type == 0 && byteCount == 0 { return try skipZeros() }
        let end = position + Self.headerByteCount + byteCount
        guard end <= block.count else {
            return isLastBlock ? .unfinished : dropBlock("its length extends beyond its block")
        }
        var stored: UInt32 = 0
        for index in (0..<4).reversed() { stored = stored << 8 | UInt32(header[position + index]) }
        // The checksum covers the type and the payload, which are adjacent.
        guard CRC32C.masked(CRC32C.checksum(of: block[position + 6..<end])) == stored else {
            // The length may be corrupt, so the next fragment cannot be located.
            return dropBlock("its checksum does not match")
        }
        let payload = block[position + Self.headerByteCount..<end]
        let kinds: [Fragment] = [.whole, .first, .middle, .last]
        guard (1...4).contains(type) else {
            let offset = blockOffset + UInt64(position)
            let dropped = UInt64(end - position)
            position = end
            return .damage(Damage(offset: offset, byteCount: dropped, reason: "its type is unknown"))
        }
        position = end
        return .fragment(kinds[Int(type) - 1], payload)
    }

    /// Zeros up to the end are unused preallocated space. Anything after them shows that records were lost.
    private mutating func skipZeros() throws(SystemError) -> FragmentItem? {
        let offset = blockOffset + UInt64(position)
        guard block[position...].allSatisfy({ $0 == 0 }) else { return dropZeros() }
        repeat {
            guard try readBlock() else { return nil }
        } while block.allSatisfy { $0 == 0 }
        return .damage(
            Damage(offset: offset, byteCount: blockOffset - offset, reason: "it is overwritten with zeros"))
    }

    /// Continues with the next record in the block, if any.
    private mutating func dropZeros() -> FragmentItem {
        let fragment = UnfinishedFragment(
            block: block, position: position, beginning: nil, content: content, nextSequence: nextSequence)
        guard case .damaged(let next) = fragment.verdict() else { return dropBlock("it is overwritten with zeros") }
        defer { position = next }
        return .damage(
            Damage(
                offset: blockOffset + UInt64(position), byteCount: UInt64(next - position),
                reason: "it is overwritten with zeros"))
    }

    private mutating func dropBlock(_ reason: String) -> FragmentItem {
        let damage = Damage(
            offset: blockOffset + UInt64(position), byteCount: UInt64(block.count - position), reason: reason)
        position = block.count
        return .damage(damage)
    }

    private mutating func readBlock() throws(SystemError) -> Bool {
        guard !isLastBlock else {
            position = block.count
            return false
        }
        let next: [UInt8]
        switch source {
        case .bytes(let bytes):
            next = Array(bytes.prefix(Self.blockByteCount))
            source = .bytes(bytes.dropFirst(Self.blockByteCount))
        case .file(let file):
            next = try file.read(upTo: Self.blockByteCount)
        }
        isLastBlock = next.count < Self.blockByteCount
        blockOffset += UInt64(block.count)
        block = next
        position = 0
        return !next.isEmpty
    }
}
