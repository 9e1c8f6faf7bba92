internal import Synchronization

/// A LevelDB iterator owned by a cursor. Closing the database may destroy it while it is at rest.
///
/// LevelDB aborts the process if it is closed under a live iterator. A cursor on an entry lends the iterator's memory,
/// so only the cursor may destroy the iterator. A cursor that is not on an entry lends nothing: it is at rest, and
/// ``take()`` may destroy its iterator.
final class LiveCursor: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case resting
        case moving
        case ended
    }

    /// `nil` for a cursor that shares an iterator.
    private let iterator: EngineIterator?
    /// The thread that created the cursor.
    let thread = ThreadIdentity.current
    private let state = Atomic(State.resting)

    init(_ iterator: EngineIterator?) {
        self.iterator = iterator
    }

    /// Starts using the iterator.
    ///
    /// - Returns: whether the iterator still exists.
    func wake() -> Bool {
        state.compareExchange(expected: .resting, desired: .moving, ordering: .acquiringAndReleasing).exchanged
    }

    /// Marks the iterator as unused until the next ``wake()``.
    func rest() { state.store(.resting, ordering: .releasing) }

    /// Destroys the iterator if it is at rest.
    ///
    /// - Returns: whether it was destroyed.
    func take() -> Bool {
        guard state.compareExchange(expected: .resting, desired: .ended, ordering: .acquiringAndReleasing).exchanged
        else { return false }
        iterator?.destroy()
        return true
    }

    /// Destroys the iterator of a cursor that goes out of scope, unless it was already destroyed.
    func end() {
        if state.exchange(.ended, ordering: .acquiringAndReleasing) != .ended { iterator?.destroy() }
    }
}
