/// The state of a database at one moment. Reads from it do not see later writes.
///
/// A snapshot costs next to nothing until the database is written to. From then on it keeps the files of its state on
/// disk, so use it for a single task, not for the lifetime of the program. It ends with its last reference or when its
/// database is closed.
public final class Snapshot: Sendable {
    let core: DatabaseCore
    private let view: ReadView

    init(core: DatabaseCore) {
        self.core = core
        view = core.views.makeView()
    }

    /// Takes over one use of a view.
    init(core: DatabaseCore, retained view: ReadView) {
        self.core = core
        self.view = view
    }

    deinit {
        // In a forked process LevelDB must not be called, not even to free memory.
        if core.isOwnedByThisProcess { core.views.release(view) }
    }
}

extension Snapshot: KeyValueReader {
    /// Reads the state of the snapshot; see ``KeyValueReader/readValue(forKey:_:)``.
    public func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        try core.readValue(forKey: key, in: view, body)
    }

    /// Returns a cursor over the state of the snapshot; see ``KeyValueReader/cursor(in:direction:cache:)``.
    public func cursor(
        in range: KeyRange, direction: KeyDirection, cache: Cursor.CacheUse
    ) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        return core.cursor(of: view, in: range, direction, cache)
    }
}
