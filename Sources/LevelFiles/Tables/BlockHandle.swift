/// Where a block lies in its file: stored as two varints, and meaning the bytes before the five of the block's trailer.
package struct BlockHandle: Hashable, Sendable {
    /// Where it begins.
    package let offset: UInt64
    /// Its bytes as stored, without the trailer.
    package let byteCount: UInt64

    /// A handle with its parts.
    package init(offset: UInt64, byteCount: UInt64) {
        self.offset = offset
        self.byteCount = byteCount
    }

    /// Reads a handle.
    init(_ fields: inout FieldReader) throws(FormatFault) {
        offset = try fields.readVarint64()
        byteCount = try fields.readVarint64()
    }

    /// Reads a handle that is the value of an index entry.
    init(decoding bytes: ArraySlice<UInt8>) throws(FormatFault) {
        var fields = FieldReader(bytes)
        try self.init(&fields)
    }
}
