/// The last 48 bytes of every table (`table/format.h`): the handles of the metaindex block and the index block,
/// padding, and a magic number. They are not covered by a checksum.
package struct Footer: Hashable, Sendable {
    /// The position of the metaindex block, which contains the names of filters.
    package let metaIndex: BlockHandle
    /// The position of the index of the data blocks.
    package let index: BlockHandle

    /// The size of a footer in bytes.
    package static let byteCount = 48
    /// `kTableMagicNumber`, little-endian. Stored on disk, never change.
    package static let magic: [UInt8] = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
    /// The magic number of RocksDB's tables, which LevelDB does not support.
    private static let rocksMagic: [UInt8] = [0xf7, 0xcf, 0xf4, 0x85, 0xb7, 0x41, 0xe2, 0x88]

    /// Creates a footer.
    init(metaIndex: BlockHandle, index: BlockHandle) {
        self.metaIndex = metaIndex
        self.index = index
    }

    /// Decodes a footer.
    ///
    /// - Throws: ``FormatError`` if the magic number is missing.
    package init(decoding bytes: [UInt8]) throws(FormatError) {
        guard bytes.count == Self.byteCount else { throw FormatError("it is too short for a table") }
        guard bytes.suffix(Self.magic.count).elementsEqual(Self.magic) else {
            throw FormatError(
                bytes.suffix(8).elementsEqual(Self.rocksMagic)
                    ? "it is a table of RocksDB, which LevelDB cannot read; use RocksDB's ldb and sst_dump"
                    : "it does not end with a table footer")
        }
        var fields = FieldReader(bytes.prefix(Self.byteCount - Self.magic.count))
        metaIndex = try BlockHandle(&fields)
        index = try BlockHandle(&fields)
    }
}
