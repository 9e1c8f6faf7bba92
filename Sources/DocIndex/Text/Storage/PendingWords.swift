/// A word of a document that is in no segment yet.
struct PendingWord {
    let slot: UInt32
    let place: TextPlace
    /// The number of the term in the log that the word belongs to.
    let term: UInt32
    /// The word of the same term before this one, plus one; 0 if there is none.
    let previous: UInt32
}

/// Words in the order in which they came, in memory that grows piece by piece: a load has millions of them, and an array would
/// copy all of them each time it grows, and have twice the room meanwhile.
@safe final class PendingWords: @unchecked Sendable {
    // Unchecked: grows under the lock of the log that it belongs to, and is read without it only when the log is closed.
    private var pieces: [UnsafeMutablePointer<PendingWord>] = unsafe []
    private(set) var count = 0

    private static let pieceBits = 15
    private static let pieceCount = 1 << pieceBits

    deinit {
        // A word is plain numbers: nothing is to be deinitialized.
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
