internal import Synchronization

/// The views of earlier moments that a database has, and what keeps them true while others write.
///
/// LevelDB's own snapshots are not used. While one lives, compactions keep several versions of a key and may end a file
/// between two of them; a later compaction of one of the two files brings the older version back
/// (google/leveldb#320, mended after 1.23). Without snapshots a compaction keeps one version, and no such cut exists.
///
/// A view costs nothing as long as nothing is written: the newest state is its state. The first write after it makes an
/// iterator before it begins. The iterator holds the tables and the memory table of that moment, and compactions do not
/// ask for it. From then on the view reads through this one iterator, one reader at a time; values that no later write has
/// touched still come from the newest state (``KeyStamps``).
///
/// A write is counted twice, when it begins and when it ends. So the count is odd during a write, and a reader that finds
/// the same even count before and after a read has read the state of that count.
final class ReadViews: Sendable {
    private struct State {
        /// The view of the newest state, if anybody has one.
        var current: ReadView?
        /// The views in use, with the number of their users.
        var users: [ObjectIdentifier: (view: ReadView, count: Int)] = [:]
        var stamps: KeyStamps?
        /// The write under way, if it notes its keys.
        var stampedWrite: UInt64?
        var isClosed = false
    }

    private let engine: EngineDatabase
    /// Whether keys are told apart by their bytes alone, which stamps need.
    private let usesStamps: Bool
    private let state = Mutex(State())
    private let writeCount = Atomic<UInt64>(0)
    private let userCount = Atomic<Int>(0)
    private let nextReader = Atomic<UInt64>(0)

    init(engine: EngineDatabase, order: KeyOrder) {
        self.engine = engine
        usesStamps = order.distinguishesBytes
    }

    // MARK: - Writing

    /// Begins a write; called with the lock of the writer held, before the engine writes.
    ///
    /// - Returns: where the write has to note its keys; `nil` if nobody has a view.
    @inline(__always)
    func beginWrite() -> (stamps: KeyStamps, write: UInt64)? {
        let write = writeCount.load(ordering: .relaxed) + 1
        // In one order with `userCount` for all threads: either the maker of a view sees this write, or this sees the view.
        writeCount.store(write, ordering: .sequentiallyConsistent)
        if userCount.load(ordering: .sequentiallyConsistent) == 0 { return nil }
        return pinCurrent(before: write)
    }

    /// Ends a write, whether it went well or not.
    @inline(__always)
    func endWrite() {
        writeCount.store(writeCount.load(ordering: .relaxed) + 1, ordering: .sequentiallyConsistent)
    }

    private func pinCurrent(before write: UInt64) -> (stamps: KeyStamps, write: UInt64)? {
        state.withLock { state in
            if let view = state.current, !view.hasIterator { hold(view) }
            state.current = nil
            guard let stamps = state.stamps else { return nil }
            state.stampedWrite = write
            return (stamps, write)
        }
    }

    // MARK: - Reading

    /// A view of the newest state. Pairs with ``release(_:)``.
    func makeView() -> ReadView {
        state.withLock { state in
            userCount.add(1, ordering: .sequentiallyConsistent)
            let write = writeCount.load(ordering: .sequentiallyConsistent)
            if usesStamps, state.stamps == nil { state.stamps = KeyStamps() }
            if let current = state.current, current.write == write {
                state.users[ObjectIdentifier(current)]?.count += 1
                return current
            }
            let isBetweenWrites = write.isMultiple(of: 2)
            let view: ReadView
            if isBetweenWrites {
                view = ReadView(write: write, stamps: state.stamps)
                state.current = view
            } else {
                // Nobody knows on which side of the write the newest state is, so it is held at once. To the keys, the
                // view is one of before the write.
                view = ReadView(write: write - 1, stamps: state.stampedWrite == write ? state.stamps : nil)
                hold(view)
            }
            state.users[ObjectIdentifier(view)] = (view, 1)
            return view
        }
    }

    /// Adds a user to a view that has one.
    func retain(_ view: ReadView) {
        state.withLock { state in
            userCount.add(1, ordering: .relaxed)
            state.users[ObjectIdentifier(view)]?.count += 1
        }
    }

    /// Takes a user from a view; the last one lets it go.
    func release(_ view: ReadView) {
        state.withLock { state in
            userCount.subtract(1, ordering: .relaxed)
            state.users[ObjectIdentifier(view)]?.count -= 1
            guard state.users[ObjectIdentifier(view)]?.count == 0 else { return }
            state.users[ObjectIdentifier(view)] = nil
            if state.current === view { state.current = nil }
            // Under the lock, so that the engine is not closed between the two.
            view.close()
        }
    }

    /// Lets all views go, before the engine is closed.
    func closeAll() {
        state.withLock { state in
            for user in state.users.values { user.view.close() }
            state.isClosed = true
        }
    }

    /// Whether nothing was written since a view was made: what was read just before belongs to it.
    @inline(__always)
    func isNewest(_ view: ReadView) -> Bool {
        writeCount.load(ordering: .acquiring) == view.write
    }

    /// Runs `body` with the iterator that holds a view; see ``ReadView/withIterator(for:_:)``.
    func withIterator(
        of view: ReadView, for reader: UInt64, _ body: (EngineIterator, _ isWhereItWasLeft: Bool) -> Bool
    ) -> Bool {
        if !view.hasIterator {
            // A write has begun. It cannot come to the engine before it has the lock, so the state is still the view's.
            state.withLock { state in if !view.hasIterator, !state.isClosed { hold(view) } }
        }
        return view.withIterator(for: reader, body)
    }

    /// A number for a reader of ``withIterator(of:for:_:)``.
    func makeReader() -> UInt64 { nextReader.add(1, ordering: .relaxed).newValue }

    private func hold(_ view: ReadView) {
        view.hold(with: unsafe engine.makeIterator(reading: engine.reading))
    }
}
