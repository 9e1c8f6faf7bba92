/// The position of a block in its file, stored as two varints. It excludes the five bytes of the block's trailer.
package struct BlockHandle: Hashable, Sendable {
    /// The byte offset of the block.
    package let offset: UInt64
    /// The stored size of the block in bytes, without the trailer.
    package let byteCount: UInt64

    /// Creates a handle.
    package init(offset: UInt64, byteCount: UInt64) {
        self.offset = offset
        self.byteCount = byteCount
    }

    /// The end of the block and its trailer, or the largest number if it exceeds 64 bits.
    var end: UInt64 {
        let (end, isOverflown) = offset.addingReportingOverflow(byteCount)
        let trailer = UInt64(Table.blockTrailerByteCount)
        return isOverflown || end > .max - trailer ? .max : end + trailer
    }

    /// Returns the first block that does not follow the one before it. Tables are written block by block, so a block
    /// that is named again, or that overlaps another, was forged to make a small table take long to read.
    static func firstMisplaced(_ handles: some Collection<BlockHandle>) -> BlockHandle? {
        zip(handles, handles.dropFirst()).first { $1.offset < $0.end }?.1
    }

    /// Reads a handle.
    init(_ fields: inout FieldReader) throws(FormatError) {
        offset = try fields.readVarint64()
        byteCount = try fields.readVarint64()
    }

    /// Decodes a handle from the value of an index entry.
    init(decoding bytes: ArraySlice<UInt8>) throws(FormatError) {
        var fields = FieldReader(bytes)
        try self.init(&fields)
    }
}
