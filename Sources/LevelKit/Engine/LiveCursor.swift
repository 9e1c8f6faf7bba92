internal import Synchronization

/// An engine's iterator in the hands of a cursor, which closing the database may take from it while it rests.
///
/// LevelDB aborts the process when it is closed under a live iterator. A cursor that stands on an entry lends the
/// iterator's memory, so nobody may destroy that iterator but the cursor itself. One that stands on none lends nothing:
/// it rests, and ``take()`` ends it without the cursor's help.
final class LiveCursor: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case resting
        case moving
        case ended
    }

    /// `nil` for a cursor that has none of its own.
    private let iterator: EngineIterator?
    /// The thread that made the cursor.
    let thread = ThreadIdentity.current
    private let state = Atomic(State.resting)

    init(_ iterator: EngineIterator?) {
        self.iterator = iterator
    }

    /// Begins to use the iterator.
    ///
    /// - Returns: whether it is still there.
    func wake() -> Bool {
        state.compareExchange(expected: .resting, desired: .moving, ordering: .acquiringAndReleasing).exchanged
    }

    /// Says that nothing of the iterator is in use until the next ``wake()``.
    func rest() { state.store(.resting, ordering: .releasing) }

    /// Destroys the iterator if the cursor rests.
    ///
    /// - Returns: whether it did.
    func take() -> Bool {
        guard state.compareExchange(expected: .resting, desired: .ended, ordering: .acquiringAndReleasing).exchanged
        else { return false }
        iterator?.destroy()
        return true
    }

    /// Destroys the iterator for the cursor that goes out of scope, unless it was taken.
    func end() {
        if state.exchange(.ended, ordering: .acquiringAndReleasing) != .ended { iterator?.destroy() }
    }
}
