import DocIndex
import Inspector
import Synchronization

/// The session whose store a server shows. It is replaced when another process has written the store.
final class ServedSession: @unchecked Sendable {
    // Unchecked: a session is not Sendable. Requests use its store, which is; commands of the console run one at a
    // time.
    private let lock = Mutex(())
    private var session: Session
    private let access: DatabaseAccess
    /// The files when the session was opened. Empty at first: they may have changed since then.
    private var states: [String: FileDescriptor.FileState] = [:]

    /// Creates the session of a server, which has its store open.
    ///
    /// - Parameter checksEveryBlock: Whether every block is checked when the store is opened again.
    init(_ session: Session, checksEveryBlock: Bool) {
        self.session = session
        access = DatabaseAccess(isExclusive: false, isQuiet: true, checksEveryBlock: checksEveryBlock)
    }

    /// The newest session.
    var current: Session { lock.withLock { _ in session } }

    /// Opens the store again if it has changed. Returns `nil` if it has not.
    func renewed() throws -> DocumentStore? {
        let path = current.path
        let found = FileDescriptor.fileStates(in: path)
        guard found != lock.withLock({ _ in states }) else { return nil }
        let newer = try Session(path: path, access: access)
        let store = try newer.store()
        lock.withLock { _ in
            session = newer
            states = found
        }
        return store
    }

    /// Makes what the shell provides for a server. Set by the program, because commands cannot name the shell.
    @TaskLocal static var services: ServiceMaker?

    /// Makes what the shell provides for a server.
    ///
    /// A class, because with the optimizer of Swift 6.3, a task local whose value is a function crashes.
    final class ServiceMaker: Sendable {
        /// Returns what the shell provides for a server of this session.
        let make: @Sendable (ServedSession) -> ShellServices

        init(_ make: @escaping @Sendable (ServedSession) -> ShellServices) { self.make = make }
    }
}
