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
