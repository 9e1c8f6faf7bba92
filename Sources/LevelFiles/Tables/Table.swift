/// A table file, open for reading. Table files never change once written, so they can be read while another process has
/// the database open.
///
/// ```
/// data blocks · filter block · index of filters · index · footer
/// ```
///
/// Each block is followed by its compression byte, and by the masked CRC-32C of the block and that byte.
package struct Table: Sendable {
    /// The bytes after every block.
    package static let blockTrailerByteCount = 5
    /// Larger blocks are treated as corrupt. LevelDB's own limit on the block size is far lower, and a block contains
    /// at most one pair beyond it.
    private static let blockByteCountLimit: UInt64 = 2 << 30

    /// The name of the file, without its directory.
    package let name: String
    /// The size of the file in bytes.
    package let byteCount: UInt64
    /// The footer.
    package let footer: Footer
    let file: OpenFile

    /// A block read from the file.
    package struct StoredBlock: Sendable {
        /// Its position.
        package let handle: BlockHandle
        /// Its compression.
        package let compression: Compression
        /// The uncompressed bytes.
        package let bytes: [UInt8]
    }

    /// Opens a table and reads its footer.
    ///
    /// - Throws: ``FileError``.
    package init(at path: String) throws(FileError) {
        let name = path.lastPathComponent
        let file: OpenFile
        let byteCount: UInt64
        do throws(SystemError) {
            file = try OpenFile(reading: path)
            byteCount = try file.status().byteCount
        } catch {
            throw FileError(error, file: name)
        }
        try self.init(file, name: name, byteCount: byteCount)
    }

    /// Reads the footer of an open table file.
    ///
    /// - Parameter byteCount: the end of the table. LevelDB uses the size from the manifest.
    /// - Throws: ``FileError``.
    package init(_ file: OpenFile, name: String, byteCount: UInt64) throws(FileError) {
        self.file = file
        self.name = name
        self.byteCount = byteCount
        guard byteCount >= UInt64(Footer.byteCount) else {
            throw FileError(.damaged, file: name, reason: "it has \(byteCount) bytes, too few for a table")
        }
        let offset = byteCount - UInt64(Footer.byteCount)
        let bytes = try Self.read(file, at: offset, byteCount: Footer.byteCount, name: name)
        do throws(FormatError) {
            footer = try Footer(decoding: bytes)
        } catch {
            throw FileError(
                error.reason.contains("RocksDB") ? .foreign : .damaged, file: name, offset: offset, reason: error.reason
            )
        }
    }

    /// Creates a table without a footer, from which only blocks can be read.
    ///
    /// - Parameter blocksEnd: the end of the blocks, after the checksum of the last one.
    init(unfinished file: OpenFile, name: String, blocksEnd: UInt64) {
        self.file = file
        self.name = name
        byteCount = blocksEnd + UInt64(Footer.byteCount)
        let nothing = BlockHandle(offset: byteCount, byteCount: 0)
        footer = Footer(metaIndex: nothing, index: nothing)
    }

    // MARK: - Blocks

    /// Reads and decompresses a block, and verifies its checksum.
    ///
    /// - Throws: ``FileError``: `damaged`, `foreign` for an unsupported compression, `unreadable`.
    package func block(at handle: BlockHandle) throws(FileError) -> StoredBlock {
        guard holds(handle) else {
            throw fault("a block of \(handle.byteCount) bytes extends beyond the end of the file", at: handle.offset)
        }
        guard let (stored, compression) = try checkedBytes(at: handle) else {
            throw fault("the checksum of a block of \(handle.byteCount) bytes does not match", at: handle.offset)
        }
        do throws(FormatError) {
            return StoredBlock(handle: handle, compression: compression, bytes: try compression.unpack(stored))
        } catch {
            throw FileError(
                compression.refusal == nil ? .damaged : .foreign, file: name, offset: handle.offset,
                reason: error.reason)
        }
    }

    /// Returns whether a block is within the file.
    func holds(_ handle: BlockHandle) -> Bool {
        let blocksEnd = byteCount - UInt64(Footer.byteCount)
        return handle.offset <= blocksEnd && handle.byteCount <= Self.blockByteCountLimit
            && handle.byteCount + UInt64(Self.blockTrailerByteCount) <= blocksEnd - handle.offset
    }

    /// Reads the stored bytes of a block that is within the file. Returns `nil` if the checksum does not match.
    func checkedBytes(
        at handle: BlockHandle
    ) throws(FileError) -> (stored: [UInt8], compression: Compression)? {
        let count = Int(handle.byteCount)
        var stored = try Self.read(
            file, at: handle.offset, byteCount: count + Self.blockTrailerByteCount, name: name)
        var checksum: UInt32 = 0
        for index in (count + 1..<count + 5).reversed() { checksum = checksum << 8 | UInt32(stored[index]) }
        guard CRC32C.masked(CRC32C.checksum(of: stored[...count])) == checksum else { return nil }
        let type = stored[count]
        stored.removeLast(Self.blockTrailerByteCount)
        return (stored, Compression(type: type, stored: stored[...]))
    }

    /// Returns the apparent number of entries in an unreadable data block, determined without regard to its checksum.
    ///
    /// - Returns: `nil` if the bytes cannot be decompressed, or contain no entry.
    package func apparentEntryCount(ofBlockAt handle: BlockHandle) -> UInt64? {
        let blocksEnd = byteCount - UInt64(Footer.byteCount)
        guard handle.offset <= blocksEnd, handle.byteCount <= Self.blockByteCountLimit,
            handle.byteCount + UInt64(Self.blockTrailerByteCount) <= blocksEnd - handle.offset,
            var stored = try? Self.read(
                file, at: handle.offset, byteCount: Int(handle.byteCount) + Self.blockTrailerByteCount, name: name)
        else { return nil }
        let type = stored[Int(handle.byteCount)]
        stored.removeLast(Self.blockTrailerByteCount)
        guard let bytes = try? Compression(type: type, stored: stored[...]).unpack(stored),
            let block = try? Block(bytes)
        else { return nil }
        var entries = block.entries()
        var count: UInt64 = 0
        while (try? entries.next()) == true { count += 1 }
        return count == 0 ? nil : count
    }

    /// Returns the entries of a block.
    package func entries(at handle: BlockHandle) throws(FileError) -> Block.Entries {
        let stored = try block(at: handle)
        return try formatted(at: handle.offset) { () throws(FormatError) in try Block(stored.bytes).entries() }
    }

    /// An entry of the index: a data block, and a key that is not less than its last key and less than all keys of the
    /// next block.
    package struct IndexEntry: Hashable, Sendable {
        /// The key as stored: a user key and eight bytes.
        package let separator: [UInt8]
        /// The position of the block.
        package let handle: BlockHandle
    }

    /// Returns the index: every data block, in order.
    ///
    /// - Throws: ``FileError``: `damaged` also for blocks that overlap, and for keys that exceed ``KeyBudget``.
    /// - Complexity: O(n) in the number of blocks.
    package func index() throws(FileError) -> [IndexEntry] { try index { _ in .use } }

    /// Returns the entries of the index for the blocks that may contain a user key, in bytewise order.
    ///
    /// - Throws: ``FileError`` like ``index()``, for the part of the index up to the key.
    /// - Complexity: O(n) in the number of blocks up to the key.
    package func index(of key: [UInt8]) throws(FileError) -> [IndexEntry] {
        try index { separator in
            // The separator does not sort before the last key of the block.
            let last = separator.dropLast(8)
            if last.lexicographicallyPrecedes(key) { return .skip }
            return key.lexicographicallyPrecedes(last) ? .useAsLast : .use
        }
    }

    /// What becomes of an entry of the index.
    private enum IndexChoice {
        case skip
        case use
        case useAsLast
    }

    private func index(_ choose: (_ separator: [UInt8]) -> IndexChoice) throws(FileError) -> [IndexEntry] {
        let stored = try block(at: footer.index)
        return try formatted(at: footer.index.offset) { () throws(FormatError) in
            var entries = try Block(stored.bytes).entries()
            var budget = KeyBudget(blockByteCount: stored.bytes.count)
            var index: [IndexEntry] = []
            var end: UInt64 = 0
            while try entries.next() {
                try budget.spend(entries.key.count)
                let handle = try BlockHandle(decoding: entries.value)
                guard end <= handle.offset else { throw FormatError(Self.overlap(handle)) }
                end = handle.end
                let choice = choose(entries.key)
                if choice != .skip { index.append(IndexEntry(separator: entries.key, handle: handle)) }
                if choice == .useAsLast { break }
            }
            return index
        }
    }

    /// The memory for the keys of an index. LevelDB stores each of them completely. A forged index can share a long
    /// prefix between many keys, which would fill the memory.
    struct KeyBudget {
        private var byteCount: Int

        init(blockByteCount: Int) { byteCount = 16 * blockByteCount }

        mutating func spend(_ keyByteCount: Int) throws(FormatError) {
            byteCount -= keyByteCount
            guard byteCount >= 0 else {
                throw FormatError("the keys of its index have many times the size of the index")
            }
        }
    }

    /// Returns the entries of the metaindex. A filter is named `filter.` plus the name of its policy.
    package func metaIndex() throws(FileError) -> [(name: String, handle: BlockHandle)] {
        let stored = try block(at: footer.metaIndex)
        return try formatted(at: footer.metaIndex.offset) { () throws(FormatError) in
            var entries = try Block(stored.bytes).entries()
            var budget = KeyBudget(blockByteCount: stored.bytes.count)
            var names: [(name: String, handle: BlockHandle)] = []
            while try entries.next() {
                try budget.spend(entries.key.count)
                names.append((String(decoding: entries.key, as: UTF8.self), try BlockHandle(decoding: entries.value)))
            }
            return names
        }
    }

    /// Returns the Bloom filters, or `nil` if the table has no filters or uses another policy.
    package func bloomFilters() throws(FileError) -> FilterBlock? {
        for (name, handle) in try metaIndex() where name == "filter." + BloomFilter.name {
            let stored = try block(at: handle)
            return try formatted(at: handle.offset) { () throws(FormatError) in try FilterBlock(stored.bytes) }
        }
        return nil
    }

    // MARK: - Entries

    /// An entry of the table.
    package struct Entry: Hashable, Sendable {
        /// The key with its number and kind.
        package let key: InternalKey
        /// The value; empty for a deletion.
        package let value: ArraySlice<UInt8>
    }

    /// Calls `body` with every entry of a data block.
    ///
    /// - Throws: ``FileError``. Entries before the corruption have already been passed to `body`.
    package func forEachEntry(
        inBlockAt handle: BlockHandle, _ body: (Entry) throws(FileError) -> Void
    ) throws(FileError) {
        var entries = try self.entries(at: handle)
        while try formatted(at: handle.offset, { () throws(FormatError) in try entries.next() }) {
            let key = try formatted(at: handle.offset) { () throws(FormatError) in
                try InternalKey(decoding: entries.key[...])
            }
            try body(Entry(key: key, value: entries.value))
        }
    }

    /// Calls `body` with every entry, in order.
    package func forEachEntry(_ body: (Entry) throws(FileError) -> Void) throws(FileError) {
        for entry in try index() { try forEachEntry(inBlockAt: entry.handle, body) }
    }

    // MARK: - Faults

    /// The reason that an index is corrupt if this block does not follow the one before it.
    static func overlap(_ handle: BlockHandle) -> String {
        "its index names a block at byte \(handle.offset) that does not follow the block before it"
    }

    func fault(_ reason: String, at offset: UInt64) -> FileError {
        FileError(.damaged, file: name, offset: offset, reason: reason)
    }

    private func formatted<R>(
        at offset: UInt64, _ body: () throws(FormatError) -> R
    ) throws(FileError) -> R {
        do throws(FormatError) { return try body() } catch { throw fault(error.reason, at: offset) }
    }

    private static func read(
        _ file: OpenFile, at offset: UInt64, byteCount: Int, name: String
    ) throws(FileError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.read(at: offset, byteCount: byteCount)
        } catch {
            throw FileError(error, file: name)
        }
        guard bytes.count == byteCount else {
            throw FileError(.damaged, file: name, offset: offset, reason: "it was truncated while being read")
        }
        return bytes
    }
}

extension String {
    /// The part after the last slash.
    var lastPathComponent: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
