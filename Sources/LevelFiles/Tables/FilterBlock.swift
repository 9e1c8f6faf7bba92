/// The filters of a table, one for every 2 KiB of its data blocks (`table/filter_block.cc`).
///
/// The filters are stored consecutively, followed by an array of their 32-bit offsets, the offset of that array, and
/// the logarithm of the number of file bytes that a filter covers.
package struct FilterBlock: Sendable {
    private let bytes: [UInt8]
    private let arrayStart: Int
    private let baseLog: UInt8
    /// The number of filters.
    package let filterCount: Int

    /// Reads the end of the block.
    ///
    /// - Throws: ``FormatError`` if the array does not fit.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        guard bytes.count >= 5 else { throw FormatError("its filter block is too short") }
        var end = FieldReader(bytes.suffix(5))
        let start = Int(try end.readFixed(UInt32.self))
        baseLog = try end.readByte()
        guard start <= bytes.count - 5, (bytes.count - 5 - start) % 4 == 0, baseLog < 64 else {
            throw FormatError("its filter block is inconsistent")
        }
        self.bytes = bytes
        arrayStart = start
        filterCount = (bytes.count - 5 - start) / 4
    }

    /// Returns the filter for the data block at `offset` in the file. Returns `nil` if it is missing or corrupt;
    /// LevelDB then reads the block. An empty filter excludes every key, wherever it is.
    package func filter(forBlockAt offset: UInt64) -> ArraySlice<UInt8>? {
        guard let index = Int(exactly: offset >> UInt64(baseLog)), index < filterCount else { return nil }
        let start = value(at: arrayStart + 4 * index)
        // The last filter ends at the array. The offset of the array follows the last element.
        let limit = value(at: arrayStart + 4 * (index + 1))
        if start == limit { return [] }
        return start < limit && limit <= arrayStart ? bytes[start..<limit] : nil
    }

    private func value(at offset: Int) -> Int {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
