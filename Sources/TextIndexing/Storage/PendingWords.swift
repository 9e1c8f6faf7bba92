/// The words of documents that are not in a segment yet, by term.
///
/// The words of a term are a list of bytes that grows at its end: for each word, the distance of its slot from the
/// previous one and its position, as varints. So a word takes three or four bytes.
///
/// All lists share one buffer. A list consists of slices, each twice as large as the one before, up to 1 KiB; the bytes
/// after a full slice say where the next one is. For example, a list that needs 20 bytes has a slice of 8 bytes and one of 16. Lucene's
/// `ByteBlockPool` works in the same way.
///
/// Copies share the buffer, so only one of them may grow.
@safe struct PendingWords: @unchecked Sendable {
    // Unchecked: grows and is read under the lock of its log, and is read without the lock only after the log is closed.

    /// A word of a term.
    struct Word: Equatable {
        let slot: UInt32
        let position: TextPosition
    }

    /// Releases the memory of the buffer.
    @safe private final class Owner {
        var pieces: [UnsafeMutablePointer<UInt8>] = unsafe []

        deinit {
            // Bytes are trivial and need no deinitialization.
            for index in unsafe pieces.indices { unsafe pieces[index].deallocate() }
        }
    }

    /// The list of a term.
    fileprivate struct List {
        /// The start of the first slice, in units of four bytes.
        var head: UInt32 = 0
        /// The slot of the last word.
        var slot: UInt32
        /// The place of the next byte.
        var end = 0
        /// The number of bytes that still fit into the last slice.
        var room: Int16 = 0
        /// The level of the last slice; -1 if there is none.
        var level: Int16 = -1

        @inline(__always)
        mutating func advance(by byteCount: Int16) {
            end += Int(byteCount)
            room -= byteCount
        }
    }

    private var lists: [List] = []
    /// The bytes in pieces of a fixed size. One array would be copied each time it grows, and need twice the memory
    /// while it does.
    private var pieces: [UnsafeMutablePointer<UInt8>] = unsafe []
    private let owner = Owner()
    /// The number of bytes in use.
    private var byteCount = 0
    /// The slot from which the first word of each list counts.
    fileprivate var base: UInt32 = 0
    /// The number of words.
    private(set) var count = 0

    private static let pieceBits = 16
    private static let pieceByteCount = 1 << pieceBits
    /// The level from which on slices have the same size.
    private static let lastLevel: Int16 = 7
    /// The size of the place of the next slice.
    private static let linkByteCount = 4

    /// Adds a word. The slots of words must ascend.
    @inline(__always)
    mutating func append(_ term: UInt32, slot: UInt32, position: TextPosition) {
        if count == 0 { base = slot }
        while lists.count <= Int(term) { lists.append(List(slot: base)) }
        var list = lists[Int(term)]
        let (distance, position) = (slot &- list.slot, Self.rotated(position))
        if distance < 0x80, position < 0x4000, list.room >= 3 {
            // Nearly all words, without a check for each byte.
            let bytes = unsafe address(list.end)
            unsafe bytes[0] = UInt8(truncatingIfNeeded: distance)
            if position < 0x80 {
                unsafe bytes[1] = UInt8(truncatingIfNeeded: position)
                list.advance(by: 2)
            } else {
                unsafe bytes[1] = UInt8(truncatingIfNeeded: position) | 0x80
                unsafe bytes[2] = UInt8(truncatingIfNeeded: position >> 7)
                list.advance(by: 3)
            }
        } else {
            append(distance, to: &list)
            append(position, to: &list)
        }
        list.slot = slot
        lists[Int(term)] = list
        count += 1
    }

    /// Returns the words of a term, in order.
    func words(of term: UInt32) -> Words {
        Words(buffer: self, list: Int(term) < lists.count ? lists[Int(term)] : List(slot: base))
    }

    // MARK: - Places

    /// Returns a position as a number that is small for low positions.
    @inline(__always)
    private static func rotated(_ position: TextPosition) -> UInt32 { position.bits << 5 | position.bits >> 27 }

    @inline(__always)
    private static func position(_ rotated: UInt32) -> TextPosition {
        TextPosition(field: Int(rotated & 31), position: rotated >> 5)
    }

    // MARK: - Slices

    /// Returns the size of the slices of a level, in bytes.
    @inline(__always)
    private static func sliceByteCount(_ level: Int16) -> Int16 { 8 << level }

    /// Returns the place of a new slice, a multiple of four.
    private mutating func allocate(_ sliceByteCount: Int16) -> Int {
        let needed = Int(sliceByteCount) + Self.linkByteCount
        if byteCount & (Self.pieceByteCount - 1) + needed > Self.pieceByteCount
            || byteCount >> Self.pieceBits == pieceCount
        {
            byteCount = pieceCount << Self.pieceBits
            let piece = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.pieceByteCount)
            unsafe pieces.append(piece)
            unsafe owner.pieces.append(piece)
        }
        defer { byteCount += needed }
        return byteCount
    }

    private var pieceCount: Int { unsafe pieces.count }

    /// Returns the address of an offset. Slices do not cross pieces.
    @inline(__always)
    private func address(_ offset: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(offset < byteCount)
        return unsafe pieces[offset >> Self.pieceBits] + offset & (Self.pieceByteCount - 1)
    }

    /// Appends a number to a list as a varint.
    @inline(__always)
    private mutating func append(_ number: UInt32, to list: inout List) {
        var rest = number
        while rest >= 0x80 {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80, to: &list)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest), to: &list)
    }

    @inline(__always)
    private mutating func append(byte: UInt8, to list: inout List) {
        if list.room == 0 { addSlice(to: &list) }
        unsafe address(list.end).pointee = byte
        list.advance(by: 1)
    }

    private mutating func addSlice(to list: inout List) {
        if list.level < Self.lastLevel { list.level += 1 }
        list.room = Self.sliceByteCount(list.level)
        let start = allocate(list.room)
        // Stops the program at 16 GiB of words, because a shorter link would lead to other words.
        let place = UInt32(start >> 2)
        if list.level == 0 {
            list.head = place
        } else {
            let link = unsafe address(list.end)
            for index in 0..<Self.linkByteCount { unsafe link[index] = UInt8(truncatingIfNeeded: place >> (8 * index)) }
        }
        list.end = start
    }

    /// The words of a term.
    @safe struct Words: IteratorProtocol, Sequence {
        private let buffer: PendingWords
        private let end: Int
        private var offset: Int
        /// The address of the offset; `nil` for an empty list.
        private var bytes: UnsafeMutablePointer<UInt8>?
        private var room: Int16
        private var level: Int16 = 0
        private var slot: UInt32

        fileprivate init(buffer: PendingWords, list: List) {
            self.buffer = buffer
            end = list.end
            offset = Int(list.head) << 2
            unsafe bytes = offset == end ? nil : buffer.address(offset)
            room = PendingWords.sliceByteCount(0)
            slot = buffer.base
        }

        @inline(__always)
        mutating func next() -> Word? {
            if offset == end { return nil }
            slot &+= nextNumber()
            return Word(slot: slot, position: PendingWords.position(nextNumber()))
        }

        @inline(__always)
        private mutating func nextNumber() -> UInt32 {
            var number: UInt32 = 0
            var shift: UInt32 = 0
            while true {
                if room == 0 { follow() }
                // Only an empty list has no address, and it has no word to read.
                guard let address = unsafe bytes else { return 0 }
                let byte = unsafe address.pointee
                unsafe bytes = address + 1
                offset += 1
                room -= 1
                number |= UInt32(byte & 0x7f) << shift
                if byte < 0x80 { return number }
                shift += 7
            }
        }

        /// Moves to the next slice.
        private mutating func follow() {
            guard let link = unsafe bytes else { return }
            var start = 0
            for index in 0..<PendingWords.linkByteCount { start |= Int(unsafe link[index]) << (2 + 8 * index) }
            if level < PendingWords.lastLevel { level += 1 }
            offset = start
            unsafe bytes = buffer.address(start)
            room = PendingWords.sliceByteCount(level)
        }
    }
}
