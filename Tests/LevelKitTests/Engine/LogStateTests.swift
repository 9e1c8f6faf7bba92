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
}

/// Like `#expect`, which cannot call methods of noncopyable values or mutating methods.
private func holds(_ condition: Bool, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
