import Testing

@testable import LevelKit

@Suite struct LogStateTests {
    private let buffer = 1 << 20

    @Test func `The disk is checked before the first write, and then once per 256 KiB`() {
        var log = LogState()
        holds(log.needsRoomCheck(for: 1))
        log.didFindRoom()
        holds(!log.needsRoomCheck(for: 100 << 10))
        holds(!log.needsRoomCheck(for: 100 << 10))
        holds(log.needsRoomCheck(for: 56 << 10))
    }

    @Test func `While the disk has no room, every write checks it`() {
        var log = LogState()
        for _ in 0..<3 { holds(log.needsRoomCheck(for: 0)) }
        log.didFindRoom()
        holds(!log.needsRoomCheck(for: 0))
    }

    @Test func `The memtable counts at most one write buffer and the last write`() {
        var log = LogState()
        for _ in 0..<10 { log.willWrite(buffer / 4, writeBufferByteCount: buffer) }
        holds(log.memtableByteCount == buffer + buffer / 4)
        holds(log.roomByteCount(for: 7, writeBufferByteCount: buffer) == buffer + 7)
    }

    @Test func `A write that fails counts until the log is replaced`() {
        var log = LogState()
        log.willWrite(1000, writeBufferByteCount: buffer)
        log.didFail("no space")
        holds(log.failure == "no space")
        holds(log.memtableByteCount == 1000)
        log.didReplaceLog()
        holds(log.failure == nil)
        holds(log.memtableByteCount == 0)
    }

    @Test(arguments: [(Durability.buffered, true), (.synced, false), (.flushed, false)])
    func `Only buffered writes may be missing after a power loss`(durability: Durability, isBuffered: Bool) {
        var log = LogState()
        log.didWrite(durability)
        holds(log.hasBufferedWrites == isBuffered)
        log.didWrite(.buffered)
        holds(log.hasBufferedWrites)
        log.didWrite(.synced)
        holds(!log.hasBufferedWrites)
    }

    @Test func `The logs are synced before the first synced write, and then only when LevelDB may start another`() {
        var log = LogState()
        holds(log.mayStartLog(writeBufferByteCount: buffer))
        log.didSyncLogs(newest: 3)
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
        log.willWrite(buffer / 2, count: 1, writeBufferByteCount: buffer)
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
        log.willWrite(buffer / 2, count: 1, writeBufferByteCount: buffer)
        holds(log.mayStartLog(writeBufferByteCount: buffer))
        // LevelDB has not started one yet.
        log.didSyncLogs(newest: 3)
        holds(log.mayStartLog(writeBufferByteCount: buffer))
        log.willWrite(buffer / 2, count: 1, writeBufferByteCount: buffer)
        log.didSyncLogs(newest: 5)
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
        // The new memtable contains the last write.
        log.willWrite(buffer / 2, count: 1, writeBufferByteCount: buffer)
        holds(log.mayStartLog(writeBufferByteCount: buffer))
    }

    @Test func `Small entries take more memory than their bytes`() {
        var log = LogState()
        log.didSyncLogs(newest: 3)
        log.willWrite(20_000, count: 5000, writeBufferByteCount: buffer)
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
        log.willWrite(20_000, count: 5000, writeBufferByteCount: buffer)
        holds(log.mayStartLog(writeBufferByteCount: buffer))
    }

    @Test func `During a compaction, LevelDB may start a log at any moment`() {
        var log = LogState()
        log.didSyncLogs(newest: 3)
        log.willForceLog()
        log.willForceLog()
        log.didForceLog()
        log.didSyncLogs(newest: 4)
        holds(log.mayStartLog(writeBufferByteCount: buffer))
        log.didForceLog()
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
    }

    @Test func `After a write of unknown size or a replaced log, the logs are synced`() {
        var log = LogState()
        log.didSyncLogs(newest: 3)
        log.willWrite(0, count: LogState.unknownCount, writeBufferByteCount: buffer)
        holds(log.mayStartLog(writeBufferByteCount: 1 << 30))
        log.didReplaceLog()
        holds(log.mayStartLog(writeBufferByteCount: buffer))
        log.didSyncLogs(newest: 7)
        holds(!log.mayStartLog(writeBufferByteCount: buffer))
    }
}

/// Like `#expect`, which cannot call methods of noncopyable values or mutating methods.
private func holds(_ condition: Bool, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
