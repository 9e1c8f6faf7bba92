internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Writes are serialized. None is appended to a damaged log, and none is started without the disk space it needs.
extension DatabaseCore {
    /// The state of writing.
    struct Writing {
        /// The reason that writes are refused, or `nil` if they are not.
        var failure: String?
        /// The bytes written since the memtable was last known to be empty.
        var byteCount = 0
        /// The bytes written since the disk space was last checked.
        var uncheckedByteCount = DatabaseCore.roomInterval
        /// Whether earlier writes may not be on the disk yet.
        var hasBuffered = false
    }

    /// The bytes written between two checks of the disk space.
    private static let roomInterval = 256 << 10

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
    ///   - byteCount: the approximate size of the write.
    ///   - durability: the failure that the write survives once this returns.
    ///   - forEachKey: calls its argument with each key that is written.
    ///   - body: writes to the log, and syncs it if `synced` is `true`.
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
                // Before the write: LevelDB may start a new log for it, and the power may fail at any moment.
                if durability == .synced, writing.hasBuffered { try syncLogs() }
                // A flushed write reaches the disk in a table file, after all earlier writes.
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

    /// Syncs all logs, the oldest first. LevelDB syncs only the current one. An earlier log exists until its content is
    /// in a synced table file.
    private func syncLogs() throws(LevelError) {
        let logs = try directory.names().compactMap { name -> (name: String, number: UInt64)? in
            if case .log(let number)? = EngineFileName(name) { (name, number) } else { nil }
        }
        for log in logs.sorted(by: { $0.number < $1.number }) {
            do throws(SystemError) {
                try OpenFile(reading: directory.file(log.name)).synchronize()
            } catch let error where error.number == ENOENT {
                // The log has been replaced by its table file.
            } catch {
                throw error.levelError("sync \(directory.file(log.name)), which holds earlier writes")
            }
        }
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

    /// Refuses a write if the disk has no space for the resulting tables and compactions. Checks once per
    /// `roomInterval` bytes, and at each write while writes are refused.
    private func requireRoom(for byteCount: Int, _ writing: inout Writing) throws(LevelError) {
        writing.uncheckedByteCount += byteCount
        guard writing.uncheckedByteCount >= Self.roomInterval else { return }
        if let (free, needed) = DiskRoom.shortage(
            for: min(writing.byteCount, writeBufferByteCount) + byteCount, in: directory)
        {
            throw LevelError(
                .io,
                "nothing was written to \(path): its disk has \(free) bytes left, but LevelDB may need \(needed) to write "
                    + "and compact tables; free some space, and write again")
        }
        writing.uncheckedByteCount = 0
    }

    /// Abandons the damaged log.
    ///
    /// - Returns: whether writing may continue. If not, a later call may succeed.
    private func heal(_ writing: inout Writing) -> Bool {
        // The table file of the memtable, the manifest, and a margin for LevelDB's overhead per entry.
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
