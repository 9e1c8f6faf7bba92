internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Closing waits for admitted calls and for the cursors of other threads. Whoever finds that nothing uses LevelDB any
/// more closes it: `close()`, the last cursor, or the end of this object; see ``CursorRegistry``.
extension DatabaseCore {
    /// The time for which closing waits for cursors of other threads: a number of steps of 100 µs. Tests raise this
    /// limit.
    @TaskLocal static var cursorWaitCount = 20_000

    /// Registers a cursor.
    func register(_ cursor: LiveCursor) -> UInt64 {
        dependents.withLock { $0.cursors.insert(cursor) }
    }

    /// Unregisters a cursor whose iterator was destroyed. After the last cursor of a closed database, LevelDB is
    /// closed.
    func unregisterCursor(_ id: UInt64) {
        if dependents.withLock({ $0.cursors.remove(id) }) { release() }
    }

    /// Closes the database. Calling it again does nothing.
    func close() throws(LevelError) {
        guard isOwnedByThisProcess else { throw forkedError }
        guard admission.stop() else { return }
        if let onClose = dependents.withLock(\.onClose) { onClose() }
        admission.drain()
        dependents.withLock { $0.cursors.didDrain() }
        // Cursors of other threads end at their next step. Those of this thread cannot, because it waits here.
        let here = ThreadIdentity.current
        var waits = 0
        while dependents.withLock({ $0.cursors.endResting(except: here) }), waits < Self.cursorWaitCount {
            usleep(100)
            waits += 1
        }
        let alive = dependents.withLock { $0.cursors.count }
        guard alive == 0 else { throw cursorsAliveError(alive) }
        release()
    }

    private func cursorsAliveError(_ count: Int) -> LevelError {
        LevelError(
            .cursorsAlive,
            "the database at \(path) is closed, but \(count) of its cursors "
                + (count == 1 ? "is still on an entry; " : "are still on entries; ")
                + "its lock is released when the last of them goes out of scope")
    }

    /// Registers the layer that manages the database exclusively from now on.
    ///
    /// - Parameter onClose: called once when the database is closed, before any other step.
    /// - Returns: `false` if another layer is already registered.
    func adopt(onClose: @escaping @Sendable () -> Void) -> Bool {
        dependents.withLock { dependents in
            if dependents.onClose != nil { return false }
            dependents.onClose = onClose
            return true
        }
    }

    /// Unregisters the layer that managed the database.
    func disown() { dependents.withLock { $0.onClose = nil } }

    /// Deletes the directory when the database is closed.
    func removesDirectory() {
        dependents.withLock { $0.isTemporary = true }
    }

    /// Closes LevelDB: first the views, then the database. Then removes it from the open databases of this process.
    func release() {
        // In a forked process LevelDB would wait for a thread that does not exist. The process end frees its memory.
        guard isOwnedByThisProcess else { return }
        dependents.withLock { dependents in
            guard dependents.cursors.beginRelease() else { return }
            views.closeAll()
            engine.close()
            if let readOnlyFiles { return readOnlyFiles.remove() }
            OpenDatabases.remove(identity)
            // Another database may have replaced it at this path.
            guard dependents.isTemporary, FileStatus(path: path)?.identity == identity else { return }
            (try? DatabaseDirectory(path))?.remove()
        }
    }
}
