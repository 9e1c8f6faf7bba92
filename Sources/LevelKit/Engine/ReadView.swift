internal import Synchronization

/// The state of a database at one moment, as snapshots and their cursors share it. ``ReadViews`` makes it.
final class ReadView: Sendable {
    /// What holds the state once something was written after it.
    private struct Pin {
        var iterator: EngineIterator?
        var isClosed = false
        /// The reader at whose first or last buffered entry the iterator stands, if nobody has moved it since.
        var holder: UInt64?
    }

    /// The number of the last write that the view sees.
    let write: UInt64
    /// Where later writes note their keys; `nil` if one of them may not have done so.
    let stamps: KeyStamps?
    private let pin = Mutex(Pin())
    private let isPinned = Atomic<Bool>(false)

    init(write: UInt64, stamps: KeyStamps?) {
        self.write = write
        self.stamps = stamps
    }

    /// Whether an iterator holds the state.
    var hasIterator: Bool { isPinned.load(ordering: .acquiring) }

    /// Holds the state with an iterator of the newest state, which must be the view's at this moment.
    func hold(with iterator: EngineIterator) {
        pin.withLock { $0.iterator = iterator }
        isPinned.store(true, ordering: .releasing)
    }

    /// Runs `body` with the iterator, which one thread at a time uses.
    ///
    /// - Parameters:
    ///   - reader: a number that no other reader has.
    ///   - body: gets the iterator, and whether it still stands where the same reader left it; returns whether it is left
    ///     at an entry to which the reader may come back.
    /// - Returns: whether there is an iterator; not if the database is closed.
    func withIterator(
        for reader: UInt64, _ body: (_ iterator: EngineIterator, _ isWhereItWasLeft: Bool) -> Bool
    ) -> Bool {
        pin.withLock { pin in
            guard !pin.isClosed, let iterator = pin.iterator else { return false }
            pin.holder = body(iterator, pin.holder == reader) ? reader : nil
            return true
        }
    }

    /// Lets the state go.
    func close() {
        pin.withLock { pin in
            pin.iterator?.destroy()
            pin.iterator = nil
            pin.isClosed = true
        }
    }
}

extension ReadView {
    /// Whether a key has the value that was just read of the newest state, because no later write changed it.
    func isUnchanged(_ key: Span<UInt8>) -> Bool {
        guard let stamps else { return false }
        return stamps.isUnchanged(key, since: write)
    }
}
