/// The intact data blocks at the beginning of a table file whose footer or index is unreadable, for example because the
/// file was cut.
///
/// Only the index of a table names its blocks. But the first block begins at byte 0, the others follow without a gap,
/// and each is followed by its checksum. So the end of a block is found by computing the checksum byte by byte, until
/// the stored one follows. The search ends at the first bytes that are not an intact data block with higher keys.
package struct TableRemains {
    /// The table, whose footer must not be used.
    let table: Table
    /// The blocks. The separator of each is its last key.
    let index: [Table.IndexEntry]
    /// The last key.
    package let lastKey: InternalKey
    /// The offset of the first byte after the blocks.
    package let endOffset: UInt64
    /// The reason that the table is unreadable.
    let fault: FileError

    /// Compares two user keys: negative, zero or positive.
    package typealias Order = ([UInt8], [UInt8]) -> Int

    /// Searches for the blocks of a table.
    ///
    /// - Returns: `nil` if the index of the table is readable, or if the file does not begin with an intact block.
    /// - Throws: ``FileError`` with `unreadable`.
    /// - Complexity: O(n) in the size of the file, which is read into memory.
    package init?(ofTableAt path: String, order: @escaping Order) throws(FileError) {
        do throws(FileError) {
            _ = try Table(at: path).index()
            return nil
        } catch  where error.kind == .damaged {
            fault = error
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile.content(of: path)
        } catch {
            throw FileError(error, file: fault.file)
        }
        var search = BlockSearch(bytes, order: order)
        while search.next() {}
        guard let lastKey = search.lastKey else { return nil }
        index = search.index
        self.lastKey = lastKey
        endOffset = search.endOffset
        do throws(SystemError) {
            table = Table(unfinished: try OpenFile(reading: path), name: fault.file, blocksEnd: endOffset)
        } catch {
            throw FileError(error, file: fault.file)
        }
    }

    /// The bytes of a complete table with the same blocks, without filters.
    ///
    /// - Throws: ``FileError`` if the file cannot be read.
    package func completeTable() throws(FileError) -> [UInt8] {
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try table.file.read(at: 0, byteCount: Int(endOffset))
        } catch {
            throw FileError(error, file: table.name)
        }
        let metaIndex = Self.append([], to: &bytes)
        let entries = index.map { (key: $0.separator, value: Self.encoded($0.handle)) }
        let index = Self.append(entries, to: &bytes)
        var footer = Self.encoded(metaIndex) + Self.encoded(index)
        footer += [UInt8](repeating: 0, count: Footer.byteCount - Footer.magic.count - footer.count)
        return bytes + footer + Footer.magic
    }

    /// Appends a block in which every key is stored completely, as LevelDB writes an index.
    private static func append(_ entries: [(key: [UInt8], value: [UInt8])], to bytes: inout [UInt8]) -> BlockHandle {
        var block: [UInt8] = []
        // An empty block has a restart point, too.
        var restarts: [Int] = entries.isEmpty ? [0] : []
        for (key, value) in entries {
            restarts.append(block.count)
            for length in [0, key.count, value.count] { Varint.append(UInt64(length), to: &block) }
            block += key + value
        }
        for number in restarts + [restarts.count] { Self.append(UInt32(truncatingIfNeeded: number), to: &block) }
        let handle = BlockHandle(offset: UInt64(bytes.count), byteCount: UInt64(block.count))
        // Not compressed.
        block.append(0)
        bytes += block
        append(CRC32C.masked(CRC32C.checksum(of: block[...])), to: &bytes)
        return handle
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func encoded(_ handle: BlockHandle) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(handle.offset, to: &bytes)
        Varint.append(handle.byteCount, to: &bytes)
        return bytes
    }
}

/// Finds one block after the other, by their checksums.
private struct BlockSearch {
    /// How often bytes with the right checksum may turn out to be no block, so that the search takes linear time.
    private static let maximumFalseCount = 8
    private let bytes: [UInt8]
    private let order: TableRemains.Order
    private(set) var index: [Table.IndexEntry] = []
    private(set) var lastKey: InternalKey?

    init(_ bytes: [UInt8], order: @escaping TableRemains.Order) {
        self.bytes = bytes
        self.order = order
    }

    var endOffset: UInt64 { index.last?.handle.end ?? 0 }

    /// Moves to the next data block. Returns `false` if none follows.
    mutating func next() -> Bool {
        let start = Int(endOffset)
        var crc = CRC32C.Running()
        var falseCount = 0
        // A block is followed by its compression and its checksum.
        for end in start..<max(start, bytes.count - Table.blockTrailerByteCount + 1) {
            crc.add(bytes[end])
            guard CRC32C.masked(crc.checksum) == number(at: end + 1) else { continue }
            // Four bytes may agree by chance, but not often: bytes that agree again and again are forged.
            if add(start..<end) { return true }
            falseCount += 1
            if falseCount == Self.maximumFalseCount { return false }
        }
        return false
    }

    private func number(at offset: Int) -> UInt32 {
        (0..<4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[offset + $1]) }
    }

    /// Adds a block if it is a data block whose keys follow the others.
    private mutating func add(_ range: Range<Int>) -> Bool {
        let stored = Array(bytes[range])
        let compression = Compression(type: bytes[range.upperBound], stored: stored[...])
        var noSequence: KeySequence?
        guard let unpacked = try? compression.unpack(stored),
            BlockSafety.hazard(
                in: unpacked, shortestKey: BlockSafety.numberByteCount, following: &noSequence) == nil,
            var entries = try? Block(unpacked).entries()
        else { return false }
        var last = lastKey
        var separator: [UInt8] = []
        while (try? entries.next()) == true {
            guard let key = try? InternalKey(decoding: entries.key[...]), last.map({ follows($0, key) }) ?? true
            else { return false }
            // The index looks like a data block whose first value is the position of the first block.
            if separator.isEmpty, let first = index.first?.handle,
                (try? BlockHandle(decoding: entries.value)) == first
            {
                return false
            }
            last = key
            separator = entries.key
        }
        guard !separator.isEmpty else { return false }
        let handle = BlockHandle(offset: UInt64(range.lowerBound), byteCount: UInt64(range.count))
        index.append(Table.IndexEntry(separator: separator, handle: handle))
        lastKey = last
        return true
    }

    /// Returns whether a key sorts behind another: for equal user keys, the newest comes first.
    private func follows(_ first: InternalKey, _ second: InternalKey) -> Bool {
        let difference = order(first.userKey, second.userKey)
        return difference < 0 || difference == 0 && first.sequence > second.sequence
    }
}
