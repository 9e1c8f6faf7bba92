internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Writes are serialized. None is appended to a damaged log, and none is started without the disk space it needs.
extension DatabaseCore {
    /// Runs a write, unless an earlier write failed and the cause persists.
    ///
    /// After a failed `write(2)` LevelDB continues as if nothing had happened, but every later record of that log is
    /// misframed and lost at the next open. After a failure LevelKit therefore abandons the log: it flushes the
    /// memtable to a table file, which starts a new log, and checks the new log with a probe. If that succeeds, the
    /// failed write is known not to have happened, and writing continues. While the disk has no space for the table
    /// file, writes are refused, and each one checks again. Acknowledged writes are kept in either case.
    ///
    /// LevelDB refuses all writes permanently once its background thread fails to write a table file. A write is
    /// therefore refused before it reaches LevelDB if the disk has no space for the resulting tables and compactions
    /// (``DiskRoom``). Another program that fills the disk at that moment can still cause this state. It ends only when
    /// the database is reopened.
    ///
    /// - Parameters:
    ///   - byteCount: the approximate size of the write, at least the bytes of its keys and values.
    ///   - count: the number of operations; ``LogState/unknownCount`` if `byteCount` may be too small.
    ///   - durability: the failure that the write survives once this returns.
    ///   - forEachKey: calls its argument with each key that is written.
    ///   - body: writes to the log, and syncs it if `synced` is `true`.
    func write(
        _ byteCount: Int, count: Int = 1, _ durability: Durability,
        forEachKey: ((Span<UInt8>) -> Void) -> Void,
        _ body: (_ synced: Bool) throws(LevelError) -> Void
    ) throws(LevelError) {
        try requireWritable()
        try enter()
        defer { leave() }
        held.didWrite(byteCount)
        try log.withLock { (log) throws(LevelError) in
            if let failure = log.failure, !heal(&log) { throw fencedError(failure) }
            try requireRoom(for: byteCount, &log)
            let startsLog = log.mayStartLog(writeBufferByteCount: writeBufferByteCount)
            log.willWrite(byteCount, count: count, writeBufferByteCount: writeBufferByteCount)
            let noting = views.beginWrite()
            defer { views.endWrite() }
            if let noting { forEachKey { noting.stamps.mark($0, write: noting.write) } }
            do throws(LevelError) {
                // Before the write: LevelDB may start a new log for it, and the power may fail at any moment.
                if durability == .synced, log.hasBufferedWrites, startsLog { log.didSyncLogs(newest: try syncLogs()) }
                // A flushed write reaches the disk in a table file, after all earlier writes.
                try body(durability == .synced)
                if durability == .flushed {
                    try flush()
                    log.didFlush()
                }
                log.didWrite(durability)
            } catch {
                if !heal(&log) { log.didFail(error.description) }
                throw error
            }
        }
    }

    /// Syncs all logs, the oldest first. LevelDB syncs only the current one. An earlier log exists until its content is
    /// in a synced table file.
    ///
    /// - Returns: the number of the newest log.
    private func syncLogs() throws(LevelError) -> UInt64? {
        let logs = try directory.names().compactMap { name -> (name: String, number: UInt64)? in
            if case .log(let number)? = EngineFileName(name) { (name, number) } else { nil }
        }
        let sorted = logs.sorted { $0.number < $1.number }
        for log in sorted {
            do throws(SystemError) {
                try OpenFile(reading: directory.file(log.name)).synchronize()
            } catch let error where error.number == ENOENT {
                // The log has been replaced by its table file.
            } catch {
                throw error.levelError("sync \(directory.file(log.name)), which holds earlier writes")
            }
        }
        return sorted.last?.number
    }

    private func fencedError(_ failure: String) -> LevelError {
        LevelError(
            .io,
            "\(path) refuses writes since one failed; all earlier writes are safe: fix the cause, such as a full "
                + "disk, and write again; if that fails too, close the database and open it again",
            cause: failure)
    }

    /// Writes the memtable to a table file. The probe reports an error that LevelDB's flush does not return.
    private func flush() throws(LevelError) {
        held.didWriteTable()
        engine.flushMemoryTable()
        try engine.probe(synced: true)
    }

    /// The approximate number of bytes in the memtable that this process has written.
    var memtableByteCount: Int { log.withLock { $0.memtableByteCount } }

    /// Refuses a write if the disk has no space for the resulting tables and compactions; see
    /// ``LogState/needsRoomCheck(for:)``.
    private func requireRoom(for byteCount: Int, _ log: inout LogState) throws(LevelError) {
        guard log.needsRoomCheck(for: byteCount) else { return }
        let tableByteCount = log.roomByteCount(for: byteCount, writeBufferByteCount: writeBufferByteCount)
        let sizes = DiskRoom.Sizes(writeBufferByteCount: writeBufferByteCount, maxFileByteCount: maxFileByteCount)
        if let (free, needed) = DiskRoom.shortage(for: tableByteCount, sizes, in: directory) {
            throw LevelError(
                .io,
                "nothing was written to \(path): its disk has \(free) bytes left, but LevelDB may need \(needed) to write "
                    + "and compact tables; free some space, and write again")
        }
        log.didFindRoom()
    }

    /// Abandons the damaged log.
    ///
    /// - Returns: whether writing may continue. If not, a later call may succeed.
    private func heal(_ log: inout LogState) -> Bool {
        // The table file of the memtable, the manifest, and a margin for LevelDB's overhead per entry.
        let byteCount = log.memtableByteCount
        guard DiskRoom.isThere(for: byteCount + byteCount / 8 + (64 << 10), in: directory) else { return false }
        held.didWriteTable()
        engine.flushMemoryTable()
        do throws(LevelError) {
            try engine.probe(synced: true)
            log.didReplaceLog()
            return true
        } catch {
            return false
        }
    }
}
