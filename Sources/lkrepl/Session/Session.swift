import DocIndex
import LevelKit
import StorePackages

/// An open database, and its document store if it contains one.
///
/// A command of the process opens and closes its own session; the commands of a shell share the shell's.
final class Session {
    let path: String
    let database: Database
    /// The directory of the temporary copy for a dry run, or of the documents of a package; otherwise `nil`.
    private let copy: ScratchDirectory?
    /// The package, if the path is that of one.
    let package: Package?
    private var openStore: DocumentStore?
    /// The opening time in seconds since 1970.
    private let openingTime = DatabaseAccess.secondsSince1970
    /// The snapshot that the commands of a shell read; `nil` if each command reads the current state.
    private var moment: (snapshot: Snapshot, view: StoreSnapshot?)?

    /// Opens an existing database, or a package for reading only.
    init(path: String, access: DatabaseAccess = DatabaseAccess()) throws {
        self.path = path
        guard Package.isPackage(at: path) else {
            database = try access.open(path)
            copy = nil
            package = nil
            return
        }
        let packaged = try access.openPackage(path)
        database = packaged.database
        copy = packaged.scratch
        package = packaged.package
        openStore = try packaged.store()
    }

    /// Opens a copy of a database for a dry run. The copy is deleted when the session is closed.
    ///
    /// - Parameter owner: The session of this process that has the database open; `nil` if there is none.
    init(rehearsing path: String, owner: Session?) throws {
        // The copy belongs to the user, so its blocks are checked explicitly, even if the original was made by someone
        // else.
        try DatabaseAccess.requireNoPackage(path)
        (database, copy) = try DatabaseAccess(checksEveryBlock: true).openCopy(of: path, owner: owner?.database)
        package = nil
        self.path = path
    }

    /// Opens the copy of a database that will replace it.
    ///
    /// - Parameter path: The path of the database, for messages.
    init(copyIn replacement: DatabaseReplacement, of path: String) throws {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        do {
            database = try Database.open(at: replacement.copyPath, options: options)
        } catch {
            throw CommandError(error).diagnosed(at: path)
        }
        copy = nil
        package = nil
        self.path = path
    }

    /// Whether the database was opened read-only, without a lock.
    var isReadOnly: Bool { database.mode == .readOnly }

    /// The document store.
    ///
    /// - Throws: `DocIndexError` with `notADocumentStore` for a plain database.
    func store() throws -> DocumentStore {
        if let openStore { return openStore }
        // Does not finish a pending schema change: opening must not write.
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

    /// The collections, in the pinned snapshot if there is one.
    func collections() throws -> [DocumentCollection] {
        let store = try store()
        if let view = moment?.view { return view.collections }
        return store.collections
    }

    /// The collection with the given name, or the only collection if `name` is `nil`.
    func collection(_ name: String?) throws -> DocumentCollection {
        let collections = try collections()
        if let name = try name.map({ try ArgumentOrigin.current.text(of: $0) }) {
            if let found = collections.first(where: { $0.name.hasSameBytes(as: name) }) { return found }
            if name.hasPrefix(DocumentSelection.albumMark) {
                let album = try album(named: String(name.dropFirst()), in: collections)
                throw CommandError(
                    .usage, "\(name) is an album, but this command needs a collection",
                    hint: "its documents are in the collection \(album.collection)")
            }
            let isAlbum = (try? album(named: name, in: collections)) != nil
            let names = collections.map(\.name)
            let given = ProtectedArgument.plain(name)
            let hint =
                if isAlbum {
                    "did you mean the album @\(name)?"
                } else if given == "-0" {
                    "-0 separates the output of --ids; add --ids"
                } else {
                    NearestName.find(near: name, of: names).map { "did you mean \($0)?" }
                        ?? (Self.shell != nil && FileDescriptor.exists(name)
                            ? "the shell already has the database open; omit it" : nil)
                }
            throw CommandError(
                .usage, "no collection named \(given); the store has \(names.joined(separator: ", "))", hint: hint)
        }
        // The library's own collections are not meant.
        let declared = collections.filter { !$0.name.hasPrefix(DocumentSelection.albumMark) }
        guard declared.count == 1 else {
            throw CommandError(
                .usage, "the store has \(declared.count) collections; specify one",
                hint: declared.map(\.name).joined(separator: ", "))
        }
        return declared[0]
    }

    /// The contents of attachments, in the pinned snapshot if there is one.
    func attachments() throws -> DocumentStore.Attachments {
        let store = try store()
        return moment?.view?.attachments ?? store.attachments
    }

    /// A description of the database for people.
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
        // The store may flush pending work when it is closed.
        if let openStore { try openStore.close() } else { try database.close() }
        copy?.remove()
    }

    // MARK: - Snapshots

    /// The age in seconds of a read-only session, if another process has written since it was opened; otherwise `nil`.
    var secondsBehind: Int? {
        guard isReadOnly, let last = FileDescriptor.lastChange(in: path), last > openingTime else { return nil }
        return max(0, Int(DatabaseAccess.secondsSince1970 - openingTime))
    }

    /// The source of reads: the shell's snapshot, or the current state.
    var reader: any KeyValueReader { moment?.snapshot ?? database }

    /// Whether reads use a snapshot.
    var isPinned: Bool { moment != nil }

    /// Makes later reads use a new snapshot of the current state.
    func pin() throws {
        moment = nil
        let view = try isDocumentStore() ? try store().snapshot() : nil
        moment = (try database.snapshot(), view)
    }

    /// Makes later reads use the current state, as commands that write require.
    func unpin() {
        moment = nil
    }

    // MARK: - The shell's session

    /// The session of the shell that runs the current command.
    @TaskLocal static var shell: SessionBox?
}
