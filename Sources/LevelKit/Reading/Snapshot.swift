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
    /// As ``KeyValueReader/withValue(forKey:_:)``, from the state of the snapshot.
    public func withValue<R>(
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        try core.enter()
        defer { core.leave() }
        let reading = unsafe engine.reading
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LevelError) in
            if let result = try unsafe core.engine.get(key, reading: reading, body) { return result }
            return try unsafe confirmMiss(key, core: core, reading: reading, body)
        }
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
