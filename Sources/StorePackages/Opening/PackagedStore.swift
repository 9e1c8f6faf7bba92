package import DocIndex
package import LevelKit

/// A package that is open as a store for reading only: its documents are loaded into a database in a scratch directory,
/// and its attachments are read from its file.
package struct PackagedStore: Sendable {
    package let package: Package
    /// The database, which is open for reading only.
    package let database: Database
    /// The directory of the database. Its owner removes it after the store was closed.
    package let scratch: ScratchDirectory

    /// The documents of a commit, and their size: few enough for little memory.
    private static let batchByteCount = 4 << 20
    private static let batchCount = 500

    /// Opens a package.
    ///
    /// - Parameter options: the options of the database.
    /// - Throws: ``PackageError``; the errors of putting documents, if the package was made by other means.
    package init(at path: String, options: DatabaseOptions = DocumentStore.Options().database) throws {
        package = try Package(at: path)
        let base = Self.temporaryDirectory
        // Directories that killed processes left, also for other packages.
        ScratchDirectory.clearLeftovers(in: base, prefix: Self.prefix)
        scratch = try ScratchDirectory(in: base, prefix: Self.prefix)
        do {
            try Self.load(package, into: scratch.databasePath, options)
            var options = options
            options.createIfMissing = false
            database = try Database.open(at: scratch.databasePath, options: options, mode: .readOnly)
        } catch {
            scratch.remove()
            throw error
        }
    }

    /// Opens the store in the database. Closing it closes the database.
    package func store() throws -> DocumentStore {
        let store = try DocumentStore.open(on: database, finishesSchemaChange: false)
        store.externalContents = PackagedContents(package: package)
        return store
    }

    /// The beginning of the names of scratch directories.
    private static let prefix = ".levelkit-package-"

    /// Loads the documents into a new database.
    private static func load(_ package: Package, into path: String, _ options: DatabaseOptions) throws {
        var options = options
        options.createIfMissing = true
        let database = try Database.open(at: path, options: options)
        do {
            var store: DocumentStore?
            var batch: [DocumentObject] = []
            var byteCount = 0
            func commit() throws {
                guard let store, !batch.isEmpty else { return }
                var attachments: [Attachment] = []
                for content in batch { content.forEachAttachment { attachments.append($0) } }
                if !attachments.isEmpty { try store.attachments.declare(attachments) }
                try store.write { transaction in
                    for content in batch { try transaction.put(content, in: package.manifest.collection) }
                }
                batch.removeAll(keepingCapacity: true)
                byteCount = 0
            }
            try package.forEachRecord { record in
                switch record {
                case .schema(let schema): store = try DocumentStore.open(on: database, schema: schema)
                case .document(_, let content, let size):
                    batch.append(content)
                    byteCount += size
                    if batch.count >= batchCount || byteCount >= batchByteCount { try commit() }
                case .deletion: break
                }
            }
            try commit()
            guard let store else { throw PackageError.damaged(package.path, "it has no schema") }
            let count = try store.collection(package.manifest.collection).count()
            guard count == package.manifest.documentCount else {
                throw PackageError.damaged(
                    package.path, "it has \(count) documents instead of \(package.manifest.documentCount)")
            }
            try store.close()
        } catch {
            try? database.close()
            throw error
        }
    }
}
