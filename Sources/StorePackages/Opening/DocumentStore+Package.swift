public import DocIndex
internal import LevelKit
internal import Synchronization

extension DocumentStore {
    /// Opens a package as a store for reading only.
    ///
    /// The documents are verified and loaded into a private temporary store, which is deleted when the returned store is
    /// released. Originals and renditions stay in the package, and are checked when they are read. Every call that would
    /// write throws `LevelError` with `readOnly`.
    ///
    /// - Parameters:
    ///   - path: the path of the package.
    ///   - verifiesEverything: whether originals and renditions are checked before this returns.
    /// - Throws: ``PackageError``; `LevelError`, such as `io`; `DocIndexError` if another program wrote the package.
    /// - Complexity: O(*n*) in the documents, and in everything else if it is verified.
    public static func open(package path: String, verifiesEverything: Bool = false) throws -> DocumentStore {
        let packaged = try PackagedStore(at: path)
        do {
            if verifiesEverything { try packaged.package.verify() }
            let store = try DocumentStore.open(on: packaged.database, finishesSchemaChange: false)
            store.externalContents = OwnedContents(packaged)
            return store
        } catch {
            try? packaged.database.close()
            packaged.scratch.remove()
            throw error
        }
    }
}

/// The contents of a package, which keep the directory of the documents until the store is released.
private final class OwnedContents: ExternalContents {
    private let contents: PackagedContents
    private let packaged: PackagedStore

    init(_ packaged: PackagedStore) {
        self.packaged = packaged
        contents = PackagedContents(package: packaged.package)
    }

    deinit { packaged.scratch.remove() }

    var name: String { contents.name }

    func byteCount(of digest: Attachment.Digest) -> Int64? { contents.byteCount(of: digest) }

    func read(_ digest: Attachment.Digest, in range: Range<Int64>) throws -> [UInt8] {
        try contents.read(digest, in: range)
    }

    func withMapping<R>(of digest: Attachment.Digest, _ body: (RawSpan) throws -> R) throws -> R? {
        try contents.withMapping(of: digest, body)
    }

    func rendition(of digest: Attachment.Digest, named specification: String) throws -> [UInt8]? {
        try contents.rendition(of: digest, named: specification)
    }
}
