import DocIndex
import LevelKit

/// An open database, and the document store on it where there is one.
///
/// A command of the process opens and closes its own; the commands of a shell share the shell's.
final class Session {
    let path: String
    let database: Database
    private var openStore: DocumentStore?

    /// Opens a database that exists.
    init(path: String) throws {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        database = try Database.open(at: path, options: options)
        self.path = path
    }

    /// The document store.
    ///
    /// - Throws: `DocIndexError` with `notADocumentStore` if the database is none.
    func store() throws -> DocumentStore {
        if let openStore { return openStore }
        let store = try DocumentStore.open(on: database)
        openStore = store
        return store
    }

    /// Whether the database is a document store.
    func isDocumentStore() throws -> Bool {
        do {
            _ = try store()
            return true
        } catch let error as DocIndexError where error.code == .notADocumentStore {
            return false
        }
    }

    /// The collection that a command names, or the only one there is.
    func collection(_ name: String?) throws -> DocumentCollection {
        let store = try store()
        if let name { return try store.collection(try ArgumentOrigin.current.text(of: name)) }
        let collections = store.collections
        guard collections.count == 1 else {
            throw CommandFailure(
                .usage, "the store has \(collections.count) collections; name one",
                hint: collections.map(\.name).joined(separator: ", "))
        }
        return collections[0]
    }

    func close() throws {
        try database.close()
    }

    // MARK: - The shell's session

    /// The session of the shell whose command is running.
    @TaskLocal static var shell: SessionBox?

    /// Runs `body` with the session on a database: the shell's own if it is the same, else one for this command.
    static func with<R>(_ path: String, _ body: (Session) throws -> R) throws -> R {
        if let session = shell?.session, session.path == path { return try body(session) }
        let session = try Session(path: path)
        let result: R
        do {
            result = try body(session)
        } catch {
            try? session.close()
            throw error
        }
        try session.close()
        return result
    }
}

/// Carries a session to the commands of a shell, which all run on its thread.
final class SessionBox: @unchecked Sendable {
    // Unchecked: the shell runs one command at a time on one thread.
    let session: Session
    /// Whether the commands come from standard input, so that no command may read it.
    let readsStandardInput: Bool

    init(_ session: Session, readsStandardInput: Bool) {
        self.session = session
        self.readsStandardInput = readsStandardInput
    }
}
