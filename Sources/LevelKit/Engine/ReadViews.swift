internal import Synchronization

/// The views of earlier states of a database, and how they stay consistent during later writes.
///
/// LevelDB's snapshots are not used. While one exists, compactions keep several versions of a key and may end a file
/// between two of them. A later compaction of only one of these files resurrects the older version (google/leveldb#320,
/// fixed after 1.23). Without snapshots, a compaction keeps a single version, and no such split occurs; see
/// ``SplitKeys``.
///
/// A view costs nothing until something is written, because its state is the newest state. The first write after it
/// creates an iterator before it starts. The iterator holds the table files and the memtable of that moment, and does
/// not affect compactions. From then on the view reads through this iterator, one reader at a time. Values that no
/// later write has changed are still read from the newest state (``KeyStamps``).
///
/// The write counter is incremented when a write starts and when it ends, so it is odd during a write. A reader that
/// finds the same even count before and after a read has read the state of that count.
final class ReadViews: Sendable {
    private struct State {
        /// The view of the newest state, if any.
        var current: ReadView?
        /// The views in use, with the number of their users.
        var users: [ObjectIdentifier: (view: ReadView, count: Int)] = [:]
        var stamps: KeyStamps?
        /// The write in progress, if it records its keys.
        var stampedWrite: UInt64?
        var isClosed = false
    }

    private let engine: EngineDatabase
    /// Whether keys that differ in bytes are different keys, which stamps require.
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

    /// Starts a write. Called with the writer's lock held, before LevelDB writes.
    ///
    /// - Returns: where the write must record its keys, or `nil` if no view is in use.
    @inline(__always)
    func beginWrite() -> (stamps: KeyStamps, write: UInt64)? {
        let write = writeCount.load(ordering: .relaxed) + 1
        // Sequentially consistent with `userCount`: either the creator of a view sees this write, or this write sees
        // the view.
        writeCount.store(write, ordering: .sequentiallyConsistent)
        if userCount.load(ordering: .sequentiallyConsistent) == 0 { return nil }
        return pinCurrent(before: write)
    }

    /// Ends a write, successful or not.
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

    /// Returns a view of the newest state. Pair each call with ``release(_:)``.
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
                // It is unknown whether the newest state includes the write in progress, so the state is held
                // immediately. For the stamps, the view is before the write.
                view = ReadView(write: write - 1, stamps: state.stampedWrite == write ? state.stamps : nil)
                hold(view)
            }
            state.users[ObjectIdentifier(view)] = (view, 1)
            return view
        }
    }

    /// Adds a user to a view in use.
    func retain(_ view: ReadView) {
        state.withLock { state in
            userCount.add(1, ordering: .relaxed)
            state.users[ObjectIdentifier(view)]?.count += 1
        }
    }

    /// Returns the oldest view in use, with one more user, or `nil` if none is in use.
    func retainOldest() -> ReadView? {
        state.withLock { state in
            guard !state.isClosed, let oldest = state.users.values.min(by: { $0.view.write < $1.view.write }) else {
                return nil
            }
            userCount.add(1, ordering: .relaxed)
            state.users[ObjectIdentifier(oldest.view)]?.count += 1
            return oldest.view
        }
    }

    /// Removes a user from a view. The last one releases the view.
    func release(_ view: ReadView) {
        state.withLock { state in
            userCount.subtract(1, ordering: .relaxed)
            state.users[ObjectIdentifier(view)]?.count -= 1
            guard state.users[ObjectIdentifier(view)]?.count == 0 else { return }
            state.users[ObjectIdentifier(view)] = nil
            if state.current === view { state.current = nil }
            // Under the lock, so that LevelDB is not closed in between.
            view.close()
        }
    }

    /// Releases all views, before LevelDB is closed.
    func closeAll() {
        state.withLock { state in
            for user in state.users.values { user.view.close() }
            state.isClosed = true
        }
    }

    /// Returns whether nothing was written since a view was created, so that what was just read belongs to it.
    @inline(__always)
    func isNewest(_ view: ReadView) -> Bool {
        writeCount.load(ordering: .acquiring) == view.write
    }

    /// Runs `body` with the iterator that holds a view; see ``ReadView/withIterator(for:_:)``.
    func withIterator(
        of view: ReadView, for reader: UInt64, _ body: (EngineIterator, _ isWhereItWasLeft: Bool) -> Bool
    ) -> Bool {
        if !view.hasIterator {
            // A write has started. It cannot reach LevelDB before it has the lock, so the newest state is still the
            // view's.
            state.withLock { state in if !view.hasIterator, !state.isClosed { hold(view) } }
        }
        return view.withIterator(for: reader, body)
    }

    /// Returns a unique number for a reader of ``withIterator(of:for:_:)``.
    func makeReader() -> UInt64 { nextReader.add(1, ordering: .relaxed).newValue }

    private func hold(_ view: ReadView) {
        view.hold(with: unsafe engine.makeIterator(reading: engine.reading))
    }
}
