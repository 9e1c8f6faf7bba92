import DocIndex
import LevelKit

/// An open database, and the document store on it where there is one.
///
/// A command of the process opens and closes its own; the commands of a shell share the shell's.
final class Session {
    let path: String
    let database: Database
    /// Where the copy is that a dry run writes to; `nil` outside of one.
    private let copy: ScratchDirectory?
    private var openStore: DocumentStore?
    /// Seconds since 1970 when it was opened.
    private let openingTime = DatabaseAccess.secondsSince1970
    /// The moment that the commands of a shell read; `nil` where each command reads what is newest.
    private var moment: (snapshot: Snapshot, view: StoreSnapshot?)?

    /// Opens a database that exists.
    init(path: String, access: DatabaseAccess = DatabaseAccess()) throws {
        database = try access.open(path)
        copy = nil
        self.path = path
    }

    /// Opens a copy of a database for a dry run: what is written to it is forgotten when it is closed.
    ///
    /// - Parameter owner: the session of this process that has the database open; `nil` if none has.
    init(rehearsing path: String, owner: Session?) throws {
        // The copy is the reader's own, whoever made the original, so nothing else would have its blocks checked.
        (database, copy) = try DatabaseAccess(checksEveryBlock: true).openCopy(of: path, owner: owner?.database)
        self.path = path
    }

    /// Opens the copy of a database that is to take its place.
    ///
    /// - Parameter path: the database, for messages.
    init(copyIn replacement: DatabaseReplacement, of path: String) throws {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        do {
            database = try Database.open(at: replacement.copyPath, options: options)
        } catch {
            throw CommandFailure(error).diagnosed(at: path)
        }
        copy = nil
        self.path = path
    }

    /// Whether the database was opened for reading, so that nothing can be written and nothing is locked.
    var isReadOnly: Bool { database.mode == .readOnly }

    /// The document store.
    ///
    /// - Throws: `DocIndexError` with `notADocumentStore` if the database is none.
    func store() throws -> DocumentStore {
        if let openStore { return openStore }
        // What is left of a schema change is not done here: looking must not write.
        let store = try DocumentStore.open(on: database, finishesSchemaChange: false)
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

    /// The collections, of the moment that is read.
    func collections() throws -> [DocumentCollection] {
        let store = try store()
        if let view = moment?.view { return view.collections }
        return store.collections
    }

    /// The collection that a command names, or the only one there is.
    func collection(_ name: String?) throws -> DocumentCollection {
        let collections = try collections()
        if let name = try name.map({ try ArgumentOrigin.current.text(of: $0) }) {
            if let found = collections.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return found }
            // Says which there are.
            let failure = CommandFailure(
                .usage,
                "there is no collection \(name); the store has \(collections.map(\.name).joined(separator: ", "))",
                hint: Invocation.nearest(to: name, of: collections.map(\.name)).map { "did you mean \($0)?" })
            throw failure
        }
        guard collections.count == 1 else {
            throw CommandFailure(
                .usage, "the store has \(collections.count) collections; name one",
                hint: collections.map(\.name).joined(separator: ", "))
        }
        return collections[0]
    }

    /// What the database is, for people.
    func summary() throws -> String {
        let path = VisibleText.singleLine(database.path)
        guard try isDocumentStore() else { return "\(path), a plain database ordered by \(database.order.name)" }
        let names = try collections().map {
            "\(VisibleText.singleLine($0.name)) (\(HumanNumber.grouped(try $0.count())))"
        }
        return "\(path), a document store with \(names.joined(separator: ", "))"
    }

    func close() throws {
        moment = nil
        // A store has work of its own to do where much was written.
        if let openStore { try openStore.close() } else { try database.close() }
        copy?.remove()
    }

    // MARK: - The moment that is read

    /// How many seconds ago the database was opened for reading, if another process has written since; else `nil`.
    var secondsBehind: Int? {
        guard isReadOnly, let last = FileDescriptor.lastChange(in: path), last > openingTime else { return nil }
        return max(0, Int(DatabaseAccess.secondsSince1970 - openingTime))
    }

    /// Where keys are read: the moment of the shell, or what is newest.
    var reader: any KeyValueReader { moment?.snapshot ?? database }

    /// Whether reads are of one moment.
    var isPinned: Bool { moment != nil }

    /// Has later reads see the database as it is now, and nothing that is written afterwards.
    func pin() throws {
        moment = nil
        let view = try isDocumentStore() ? try store().snapshot() : nil
        moment = (try database.snapshot(), view)
    }

    /// Has later reads see what is newest, as commands that write need it.
    func unpin() {
        moment = nil
    }

    // MARK: - The shell's session

    /// The session of the shell whose command is running.
    @TaskLocal static var shell: SessionBox?
}
