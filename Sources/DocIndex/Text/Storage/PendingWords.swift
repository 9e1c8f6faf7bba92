/// A word of a document that is not in a segment yet.
struct PendingWord {
    let slot: UInt32
    let place: TextPosition
    /// The number of the term in the log.
    let term: UInt32
    /// The index plus one of the previous word of the same term; 0 if there is none.
    let previous: UInt32
}

/// Words in insertion order, in a buffer that grows by fixed-size pieces. A load adds millions of words; an array would
/// copy all of them each time it grows, and need twice the memory while it does.
@safe final class PendingWords: @unchecked Sendable {
    // Unchecked: grows under the lock of its log, and is read without the lock only after the log is closed.
    private var pieces: [UnsafeMutablePointer<PendingWord>] = unsafe []
    private(set) var count = 0

    private static let pieceBits = 15
    private static let pieceCount = 1 << pieceBits

    deinit {
        // Words are trivial and need no deinitialization.
        for index in unsafe pieces.indices { unsafe pieces[index].deallocate() }
    }

    @inline(__always)
    func append(_ word: PendingWord) {
        if count & (Self.pieceCount - 1) == 0 { unsafe pieces.append(.allocate(capacity: Self.pieceCount)) }
        unsafe (pieces[count >> Self.pieceBits] + count & (Self.pieceCount - 1)).initialize(to: word)
        count += 1
    }

    @inline(__always)
    subscript(index: Int) -> PendingWord {
        precondition(index >= 0 && index < count)
        return unsafe pieces[index >> Self.pieceBits][index & (Self.pieceCount - 1)]
    }

    /// Calls `body` with each word, in order.
    @inline(__always)
    func forEach(_ body: (PendingWord) -> Void) {
        var start = 0
        while start < count {
            let piece = unsafe pieces[start >> Self.pieceBits]
            for index in 0..<min(Self.pieceCount, count - start) { unsafe body(piece[index]) }
            start += Self.pieceCount
        }
    }
}
