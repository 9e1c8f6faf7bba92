internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Writing: one write at a time, none behind one that failed, and none for which the disk has no room.
extension DatabaseCore {
    /// What is known of the writes so far.
    struct Writing {
        /// Why nothing can be written at the moment; `nil` while all is well.
        var failure: String?
        /// Bytes that were written since the memory table was last known to be empty.
        var byteCount = 0
        /// Bytes that were written since there was seen to be room for what follows from them.
        var uncheckedByteCount = DatabaseCore.roomInterval
        /// Whether something was written that the disk may not have yet.
        var hasBuffered = false
    }

    /// How many bytes are written before the room on the disk is looked at again.
    private static let roomInterval = 256 << 10

    /// Runs a write, unless an earlier one failed and its cause lasts.
    ///
    /// After a failed `write(2)` LevelDB goes on as if nothing had happened, while every later record of that log is
    /// misframed and lost at the next open. So after a failure the log is left behind: what is in memory is written to a
    /// table, which begins a new log, and a probe shows whether that went well. Then the failed write is known not to
    /// have happened, and writing goes on. While there is no room for the table, writes are refused, and each of them
    /// looks again. What was acknowledged stays either way.
    ///
    /// LevelDB itself refuses all writes for good where its background thread has failed to write a table. So a write is
    /// refused before it comes to LevelDB where the disk has no room for the tables and merges that follow from it
    /// (``DiskRoom``). What another program fills in just that moment can still bring it about; only opening the database
    /// anew ends that.
    ///
    /// - Parameters:
    ///   - byteCount: how much is written, about.
    ///   - durability: what the write has survived when this returns.
    ///   - forEachKey: calls its argument with each key that is written.
    ///   - body: writes into the log, and syncs that where it is told so.
    func write(
        _ byteCount: Int, _ durability: Durability,
        forEachKey: ((Span<UInt8>) -> Void) -> Void,
        _ body: (_ synced: Bool) throws(LevelError) -> Void
    ) throws(LevelError) {
        try requireWritable()
        try enter()
        defer { leave() }
        held.didWrite(byteCount)
        try writing.withLock { (writing) throws(LevelError) in
            if let failure = writing.failure {
                guard heal(&writing) else { throw fencedError(failure) }
                writing.failure = nil
            }
            try requireRoom(for: byteCount, &writing)
            writing.byteCount = min(writing.byteCount + byteCount, writeBufferByteCount + byteCount)
            let noting = views.beginWrite()
            defer { views.endWrite() }
            if let noting { forEachKey { noting.stamps.mark($0, write: noting.write) } }
            do throws(LevelError) {
                // Before the write: the engine may begin a new log for it, and the power may go at any moment.
                if durability == .synced, writing.hasBuffered { try syncLogs() }
                // What is flushed reaches the disk in a table, behind all that was written before it.
                try body(durability == .synced)
                switch durability {
                case .buffered: writing.hasBuffered = true
                case .synced: writing.hasBuffered = false
                case .flushed:
                    try flush()
                    writing.hasBuffered = false
                }
            } catch {
                if !heal(&writing) { writing.failure = error.description }
                throw error
            }
        }
    }

    /// Has the disk take all logs, the oldest first: LevelDB syncs the current one alone. Those that it left for a new one are
    /// there until what they hold is in a table, which is synced.
    private func syncLogs() throws(LevelError) {
        let logs = try directory.names().compactMap { name -> (name: String, number: UInt64)? in
            if case .log(let number)? = EngineFileName(name) { (name, number) } else { nil }
        }
        for log in logs.sorted(by: { $0.number < $1.number }) {
            do throws(SystemError) {
                try OpenFile(reading: directory.file(log.name)).synchronize()
            } catch let error where error.number == ENOENT {
                // By now its table is there.
            } catch {
                throw error.levelError("sync \(directory.file(log.name)), which holds earlier writes")
            }
        }
    }

    private func fencedError(_ failure: String) -> LevelError {
        LevelError(
            .io,
            "\(path) takes no writes since one failed; what was written before is safe: remove the cause, such as a full "
                + "disk, and write again; if that is refused as well, close the database and open it again",
            cause: failure)
    }

    /// Writes what is in memory to a table on the disk. The probe tells of an error that LevelDB's function keeps to
    /// itself.
    private func flush() throws(LevelError) {
        held.didWriteTable()
        engine.flushMemoryTable()
        try engine.probe(synced: true)
    }

    /// Refuses a write for whose tables and merges the disk has no room. Looks once for so many bytes, and at each write as
    /// long as writes are refused.
    private func requireRoom(for byteCount: Int, _ writing: inout Writing) throws(LevelError) {
        writing.uncheckedByteCount += byteCount
        guard writing.uncheckedByteCount >= Self.roomInterval else { return }
        if let (free, needed) = DiskRoom.shortage(
            for: min(writing.byteCount, writeBufferByteCount) + byteCount, in: directory)
        {
            throw LevelError(
                .io,
                "nothing was written to \(path): its disk has \(free) bytes left, and LevelDB may need \(needed) to write "
                    + "and merge tables; make room, and write again")
        }
        writing.uncheckedByteCount = 0
    }

    /// Leaves the damaged log behind.
    ///
    /// - Returns: whether writing may go on; if not, a later call may find that it may.
    private func heal(_ writing: inout Writing) -> Bool {
        // The table of what is in memory, the manifest, and a margin for what LevelDB keeps beside the bytes of keys and values.
        guard DiskRoom.isThere(for: writing.byteCount + writing.byteCount / 8 + (64 << 10), in: directory) else {
            return false
        }
        held.didWriteTable()
        engine.flushMemoryTable()
        do throws(LevelError) {
            try engine.probe(synced: true)
            writing.byteCount = 0
            return true
        } catch {
            return false
        }
    }
}
