/// Checks that LevelDB can read a block without ending the process and without skipping entries.
///
/// LevelDB trusts a block whose checksum matches. A key shorter than the eight bytes of its number ends the process in
/// an assertion (`db/dbformat.h`, `ExtractUserKey`), and two lengths whose sum exceeds 32 bits make it read outside the
/// block (`table/block.cc`, `DecodeEntry`). It treats a block without restart points as empty, and it misses entries
/// before the first restart point. LevelDB writes no such block, so the block was forged.
enum BlockSafety {
    /// The bytes after the user key in every key of a data block or an index.
    static let numberByteCount = 8

    /// Returns the problem with a block, as a clause, or `nil` if LevelDB can read it.
    ///
    /// - Parameters:
    ///   - bytes: the uncompressed block.
    ///   - shortest: the minimum number of bytes in a key.
    ///   - sequence: the keys so far, which the keys of the block must follow; `nil` to check no keys.
    ///   - entry: called for each entry with the size of its key in bytes and the range of its value.
    /// - Complexity: O(n) in the number of entries, or in the bytes of the keys if they are checked.
    @inline(__always)
    static func hazard(
        in bytes: [UInt8], shortestKey shortest: Int, following sequence: inout KeySequence?,
        _ entry: (_ keyByteCount: Int, _ value: Range<Int>) -> Void = { _, _ in }
    ) -> String? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var walk = unsafe Walk(bytes)
            return unsafe walk.run(shortestKey: shortest, following: &sequence, entry)
        }
    }

    @unsafe private struct Walk {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var position = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { unsafe self.bytes = bytes }

        @inline(__always)
        mutating func run(
            shortestKey shortest: Int, following sequence: inout KeySequence?, _ entry: (Int, Range<Int>) -> Void
        ) -> String? {
            let restartCount = unsafe bytes.count < 4 ? Int.max : number(at: bytes.count - 4)
            guard unsafe bytes.count >= 4, unsafe restartCount <= (bytes.count - 4) / 4 else {
                return "its block is too short for its restart points"
            }
            let end = unsafe bytes.count - 4 - 4 * restartCount
            let firstRestart = restartCount == 0 ? -1 : unsafe number(at: end)
            guard firstRestart == 0 else { return "its block has no restart point at its start" }
            var restart = 0
            var keyByteCount = 0
            while unsafe position < end {
                let start = unsafe position
                guard let shared = unsafe length(before: end), let unshared = unsafe length(before: end),
                    let valueByteCount = unsafe length(before: end), shared <= keyByteCount,
                    unsafe unshared + valueByteCount <= end - position
                else { return "its block has an entry that does not fit" }
                let rest = unsafe UnsafeBufferPointer(rebasing: bytes[position..<position + unshared])
                unsafe position += unshared + valueByteCount
                keyByteCount = shared + unshared
                guard keyByteCount >= shortest else { return "its block has a key of \(keyByteCount) bytes" }
                if let fault = unsafe sequence?.fault(adding: shared, rest) { return fault }
                unsafe entry(keyByteCount, position - valueByteCount..<position)
                // A search starts at a restart point and expects a complete key there.
                while restart < restartCount, unsafe number(at: end + 4 * restart) == start {
                    guard shared == 0 else { return "its block has a restart point at an incomplete key" }
                    restart += 1
                }
            }
            // An empty block has a single restart point, at its end.
            while restart < restartCount, end == 0, unsafe number(at: 4 * restart) == 0 { restart += 1 }
            return restart == restartCount ? nil : "its block has a restart point where no entry starts"
        }

        private func number(at offset: Int) -> Int {
            Int(
                unsafe UInt32(
                    littleEndian: UnsafeRawPointer(bytes.baseAddress!)
                        .loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }

        /// Reads a length of at most 32 bits. Returns `nil` if it does not end before `end`.
        ///
        /// Not with ``Varint``, because it reads through a pointer: opening may check every entry of a database.
        private mutating func length(before end: Int) -> Int? {
            var length = 0
            for shift in stride(from: 0, through: 28, by: 7) {
                guard unsafe position < end else { return nil }
                let byte = unsafe Int(bytes[position])
                unsafe position += 1
                length |= (byte & 0x7f) << shift
                if byte < 0x80 { return length <= Int(UInt32.max) ? length : nil }
            }
            return nil
        }
    }
}
