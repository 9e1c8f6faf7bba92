/// An uncompressed block of sorted entries of a table (`doc/table_format.md`, `table/block.cc`).
///
/// An entry consists of three varints (the number of key bytes shared with the previous key, the number of remaining
/// key bytes, the size of the value), the rest of the key, and the value. At regular intervals a key is stored
/// completely. The offsets of these restart points are in an array of 32-bit numbers at the end of the block, followed
/// by their count.
package struct Block: Sendable {
    /// The bytes of the block.
    package let bytes: [UInt8]
    /// The end of the entries.
    private let entriesEnd: Int
    /// The number of restart points.
    package let restartCount: Int

    /// Reads the end of a block.
    ///
    /// - Throws: ``FormatError`` if the restart array does not fit.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        self.bytes = bytes
        var last = FieldReader(bytes.suffix(4))
        let count = Int(try last.readFixed(UInt32.self))
        guard count <= (bytes.count - 4) / 4 else { throw FormatError("its block is too short for its restart points") }
        restartCount = count
        entriesEnd = bytes.count - 4 - 4 * count
    }

    /// Returns a reader of the entries.
    package func entries() -> Entries { Entries(rest: bytes[..<entriesEnd]) }

    /// The offsets of the restart points.
    package var restarts: [Int] {
        (0..<restartCount).map { index in
            let start = entriesEnd + 4 * index
            return bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// The entries of a block, in order.
    package struct Entries {
        fileprivate var rest: ArraySlice<UInt8>
        /// The key of the last entry read; empty before the first.
        package private(set) var key: [UInt8] = []
        /// The value of the last entry read.
        package private(set) var value: ArraySlice<UInt8> = []
        /// The offset of the next entry.
        package var offset: Int { rest.startIndex }

        fileprivate init(rest: ArraySlice<UInt8>) { self.rest = rest }

        /// Reads the next entry.
        ///
        /// - Returns: `false` at the end.
        /// - Throws: ``FormatError`` for lengths that do not fit.
        package mutating func next() throws(FormatError) -> Bool {
            guard !rest.isEmpty else { return false }
            let shared = try readLength()
            let unshared = try readLength()
            let valueCount = try readLength()
            guard shared <= key.count, unshared <= rest.count, valueCount <= rest.count - unshared else {
                throw FormatError("its block has an entry that does not fit")
            }
            key.removeLast(key.count - shared)
            key += rest.prefix(unshared)
            rest = rest.dropFirst(unshared)
            value = rest.prefix(valueCount)
            rest = rest.dropFirst(valueCount)
            return true
        }

        private mutating func readLength() throws(FormatError) -> Int {
            do throws(Varint.Problem) {
                return Int(try Varint.read(from: &rest, byteLimit: 5))
            } catch .truncated {
                throw FormatError("its block ends within a length")
            } catch {
                throw FormatError("its block has a length that is too long")
            }
        }
    }
}
