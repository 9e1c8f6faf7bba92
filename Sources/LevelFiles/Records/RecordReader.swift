/// Reads the records of a file in LevelDB's log format, which manifests and logs of writes share.
///
/// The file is a row of blocks of 32 KiB. A block holds fragments: a masked CRC-32C of type and payload (4 bytes), the
/// length of the payload (2), a type (1: the whole record, 2: its first part, 3: a middle part, 4: its last part), and
/// the payload. A block's last bytes, where no header fits, mean nothing (`doc/log_format.md`).
///
/// What LevelDB may leave when a process or machine stops is the end of the file: a fragment that is cut short, a record
/// whose last part is missing, zeros up to the end. Everything else that does not fit is damage, and is reported where it
/// lies. Reading goes on after it as LevelDB does: with the next block where the length cannot be trusted. Where LevelDB
/// would skip the rest of a block without a word, records in it are found; see ``UnfinishedFragment``.
package struct RecordReader {
    /// What the records of a file are.
    package enum Content: Sendable {
        /// Batches of a log of writes.
        case batches
        /// Edits of a manifest.
        case edits
    }

    /// What comes next in the file.
    package enum Item: Equatable {
        case record([UInt8])
        case damage(Damage)
    }

    /// Bytes that are no records.
    package struct Damage: Equatable {
        /// Where in the file they begin.
        package let offset: UInt64
        package let byteCount: UInt64
        /// What is wrong with them, as a clause: `its checksum does not fit`.
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
    /// The least sequence number that the next batch can have.
    private var nextSequence: UInt64 = 0
    /// A record that comes after the damage that was returned.
    private var pending: (record: [UInt8], endOffset: UInt64)?

    /// Where the last record that was read ends: what lies behind is torn, or has not been read yet.
    package private(set) var endOffset: UInt64 = 0

    /// Reads records out of memory, beginning at `offset`, where one must begin.
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

    /// Reads records out of a file, a block at a time, from its position.
    package init(_ file: OpenFile, holding content: Content) {
        source = .file(file)
        self.content = content
    }

    /// The next record or damage; `nil` at the end.
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
                // A record without its last part is one that was being written.
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
                    // The fragment is a good one: read it again, as what it is.
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

    /// A record that was read to its end.
    private mutating func whole(_ record: [UInt8]) -> Item {
        if content == .batches, let sequence = BatchExtent.sequence(of: record[...]) {
            nextSequence = max(nextSequence, sequence + UInt64(BatchExtent.operationCount(of: record[...])))
        }
        return .record(record)
    }

    /// Decides what a fragment is that LevelDB skips without a word. Reading goes on with the next record, or ends here.
    ///
    /// - Parameter beginning: the fragments before it that belong to the same record, and where the record begins.
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
                    reason: "its length leads beyond the end of the file and another record follows"))
        case .wrongLength(let end):
            position = end
            let payload = block[start + Self.headerByteCount..<end]
            pending = ((beginning?.payload ?? []) + payload, blockOffset + UInt64(end))
            return .damage(
                Damage(
                    offset: blockOffset + UInt64(start), byteCount: UInt64(Self.headerByteCount),
                    reason:
                        "its length leads beyond the end of the file, and its checksum matches \(payload.count) bytes"))
        }
    }

    // MARK: - Fragments

    private enum FragmentItem {
        /// One whose length leads beyond the end of the file.
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
            return isLastBlock ? .unfinished : dropBlock("its length leads out of its block")
        }
        var stored: UInt32 = 0
        for index in (0..<4).reversed() { stored = stored << 8 | UInt32(header[position + index]) }
        // The checksum covers the type and the payload, which follow each other.
        guard CRC32C.masked(CRC32C.checksum(of: block[position + 6..<end])) == stored else {
            // The length may be what is damaged, so the next fragment cannot be found.
            return dropBlock("its checksum does not fit")
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

    /// Zeros up to the end are room that was reserved and not used; anything behind them shows that something is gone.
    private mutating func skipZeros() throws(SystemError) -> FragmentItem? {
        let offset = blockOffset + UInt64(position)
        guard block[position...].allSatisfy({ $0 == 0 }) else { return dropZeros() }
        repeat {
            guard try readBlock() else { return nil }
        } while block.allSatisfy { $0 == 0 }
        return .damage(
            Damage(offset: offset, byteCount: blockOffset - offset, reason: "there are zeros in its place"))
    }

    /// Goes on with the next record in the block, if there is one.
    private mutating func dropZeros() -> FragmentItem {
        let fragment = UnfinishedFragment(
            block: block, position: position, beginning: nil, content: content, nextSequence: nextSequence)
        guard case .damaged(let next) = fragment.verdict() else { return dropBlock("there are zeros in its place") }
        defer { position = next }
        return .damage(
            Damage(
                offset: blockOffset + UInt64(position), byteCount: UInt64(next - position),
                reason: "there are zeros in its place"))
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
