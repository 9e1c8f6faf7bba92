/// The state of a database at one moment: reads from it see no later write.
///
/// A snapshot keeps old versions of keys from being dropped by compactions, so hold it for one piece of work, not for
/// the life of the program. It ends when its last reference goes, or with its database.
public final class Snapshot: Sendable {
    let core: DatabaseCore
    // Set once, in `init`, after `self` can be named as its owner.
    private nonisolated(unsafe) var engine: EngineSnapshot!

    init(core: DatabaseCore) {
        self.core = core
        unsafe engine = core.makeSnapshot(for: self)
    }

    deinit {
        core.releaseSnapshot(of: ObjectIdentifier(self))
    }
}

extension Snapshot: KeyValueReader {
    /// As ``KeyValueReader/readValue(forKey:_:)``, from the state of the snapshot.
    public func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        try unsafe core.readValue(forKey: key, reading: engine.reading, body)
    }

    /// As ``KeyValueReader/cursor(in:reverse:fillsCache:)``, over the state of the snapshot.
    public func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        return unsafe Cursor(
            core: core, iterator: core.engine.makeIterator(reading: fillsCache ? engine.reading : engine.scanning),
            range: range, reverse: reverse)
    }
}
