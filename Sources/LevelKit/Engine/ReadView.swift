internal import Synchronization

/// The state of a database at one moment, shared by snapshots and their cursors. Created by ``ReadViews``.
final class ReadView: Sendable {
    /// The iterator that holds the state after later writes.
    private struct Pin {
        var iterator: EngineIterator?
        var isClosed = false
        /// The reader at whose first or last buffered entry the iterator is, unless it has been moved since.
        var holder: UInt64?
    }

    /// The number of the last write that the view sees.
    let write: UInt64
    /// Where later writes record their keys, or `nil` if one of them may not have recorded its keys.
    let stamps: KeyStamps?
    private let pin = Mutex(Pin())
    private let isPinned = Atomic<Bool>(false)

    init(write: UInt64, stamps: KeyStamps?) {
        self.write = write
        self.stamps = stamps
    }

    /// Whether an iterator holds the state.
    var hasIterator: Bool { isPinned.load(ordering: .acquiring) }

    /// Holds the state with an iterator over the newest state, which must equal the view's state at this moment.
    func hold(with iterator: EngineIterator) {
        pin.withLock { $0.iterator = iterator }
        isPinned.store(true, ordering: .releasing)
    }

    /// Runs `body` with the iterator. Only one thread uses it at a time.
    ///
    /// - Parameters:
    ///   - reader: a number unique to the reader.
    ///   - body: receives the iterator, and whether it is still where the same reader left it. Returns whether it is
    ///     left at an entry from which the reader may continue.
    /// - Returns: whether an iterator exists. `false` if the database is closed.
    func withIterator(
        for reader: UInt64, _ body: (_ iterator: EngineIterator, _ isWhereItWasLeft: Bool) -> Bool
    ) -> Bool {
        pin.withLock { pin in
            guard !pin.isClosed, let iterator = pin.iterator else { return false }
            pin.holder = body(iterator, pin.holder == reader) ? reader : nil
            return true
        }
    }

    /// Releases the state.
    func close() {
        pin.withLock { pin in
            pin.iterator?.destroy()
            pin.iterator = nil
            pin.isClosed = true
        }
    }
}

extension ReadView {
    /// Returns whether a value just read from the newest state is also the value in this view, because no later write
    /// changed the key.
    func isUnchanged(_ key: Span<UInt8>) -> Bool {
        guard let stamps else { return false }
        return stamps.isUnchanged(key, since: write)
    }
}
