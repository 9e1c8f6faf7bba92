/// The state of a database at one moment: reads from it see no later write.
///
/// A snapshot costs next to nothing until the database is written to. From then on it keeps the files of its moment on disk,
/// so hold it for one piece of work, not for the life of the program. It ends when its last reference goes, or with its
/// database.
public final class Snapshot: Sendable {
    let core: DatabaseCore
    private let view: ReadView

    init(core: DatabaseCore) {
        self.core = core
        view = core.views.makeView()
    }

    deinit {
        // In a forked process the engine must not be called, not even to free something.
        if core.isOwnedByThisProcess { core.views.release(view) }
    }
}

extension Snapshot: KeyValueReader {
    /// As ``KeyValueReader/readValue(forKey:_:)``, from the state of the snapshot.
    public func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        try core.readValue(forKey: key, in: view, body)
    }

    /// As ``KeyValueReader/cursor(in:reverse:fillsCache:)``, over the state of the snapshot.
    public func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        return core.cursor(of: view, in: range, reverse: reverse, fillsCache: fillsCache)
    }
}
