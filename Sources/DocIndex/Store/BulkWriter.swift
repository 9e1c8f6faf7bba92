internal import Dispatch
public import LevelKit
internal import Synchronization

extension DocumentStore {
    /// Stores many documents in medium-sized commits, and prepares the next commit while one is being written.
    ///
    /// ```swift
    /// let count = try store.load(into: "photos") { writer in
    ///     for line in lines { try writer.put(json: line) }
    /// }
    /// ```
    ///
    /// A background thread makes the commits one after the other. At most a few of them are held in memory. The load as
    /// a whole is not atomic: if `body` throws or the process ends, the documents committed so far stay stored. Other
    /// threads may write between commits.
    ///
    /// - Parameters:
    ///   - collection: the collection.
    ///   - options: the size and durability of the commits.
    ///   - body: passes the documents to the writer.
    /// - Returns: the number of documents passed to the writer.
    /// - Throws: what `body` throws, after the documents passed before it have been committed; the errors of
    ///   ``Transaction/put(_:in:if:)->_``; ``DocIndexError`` with `nestedWrite` inside a write.
    @discardableResult
    public func load(
        into collection: String, options: BulkWriter.Options = BulkWriter.Options(), _ body: (BulkWriter) throws -> Void
    ) throws -> Int {
        _ = try self.collection(collection)
        try requireNoWriteHere()
        let writer = BulkWriter(store: self, collection: collection, options: options)
        do {
            try body(writer)
        } catch {
            // The failed commit caused this error.
            throw (try? writer.finish()) == nil ? writer.failure ?? error : error
        }
        try writer.finish()
        return writer.count
    }
}

/// Collects documents and stores them in commits; see ``DocumentStore/load(into:options:_:)``. Valid only within the
/// closure that receives it.
public final class BulkWriter {
    /// The size and durability of commits.
    public struct Options: Sendable, Hashable {
        /// The maximum number of documents in a commit.
        public var documentCount = 1000
        /// The approximate maximum size of the documents in a commit, in bytes.
        public var byteCount = 4 << 20
        /// The durability of each commit.
        public var durability = Durability.buffered
        /// Whether storing a document that already exists is an error. By default it is replaced.
        public var insertsOnly = false

        /// Creates options with the default values.
        public init() {}
    }

    /// The number of documents passed so far.
    public private(set) var count = 0

    private let options: Options
    private let store: DocumentStore
    private let committer: Committer
    private var documents: [DocumentObject] = []
    private var byteCount = 0
    private var isFinished = false

    init(store: DocumentStore, collection: String, options: Options) {
        self.options = options
        self.store = store
        committer = Committer(store: store, collection: collection, options: options)
    }

    /// The error that stopped the commits; `nil` if none occurred.
    var failure: (any Error)? { committer.failure }

    /// Stores a document.
    ///
    /// - Throws: the error of a commit of earlier documents; ``DocIndexError`` with `nestedWrite` after the closure has
    ///   ended.
    public func put(_ content: DocumentObject) throws {
        try requireOpen()
        documents.append(content)
        count += 1
        byteCount += content.approximateByteCount
        if documents.count >= options.documentCount || byteCount >= options.byteCount { try commit() }
    }

    /// Stores a document given as JSON.
    ///
    /// - Parameters:
    ///   - text: the JSON.
    ///   - notation: how the JSON represents bytes and dates.
    /// - Throws: ``JSONError`` with line and column; ``DocIndexError`` with `invalidDocument` if the JSON is not an
    ///   object; the error of a commit of earlier documents.
    public func put(json text: Span<UInt8>, notation: DocumentValue.JSONNotation = .plain) throws {
        guard case .object(let content) = try JSONParser(notation: notation).parse(text) else {
            throw DocIndexError(.invalidDocument, "document \(count + 1) is not a JSON object; wrap it in one")
        }
        try put(content)
    }

    /// Commits the documents passed so far, and waits until they are stored.
    ///
    /// - Throws: the error of a commit; ``DocIndexError`` with `nestedWrite` inside a write, and after the closure has
    ///   ended.
    public func flush() throws {
        try requireOpen()
        try commit()
        try store.requireNoWriteHere()
        try committer.wait()
    }

    private func requireOpen() throws {
        guard !isFinished else {
            throw DocIndexError(.nestedWrite, "the bulk writer has ended; use it only within its closure")
        }
    }

    private func commit() throws {
        guard !documents.isEmpty else { return }
        // Inside a write, this thread and the committing thread would wait for each other.
        try store.requireNoWriteHere()
        try committer.commit(documents)
        documents.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    func finish() throws {
        defer { isFinished = true }
        try flush()
        if count > 0 {
            try store.withWriter { _ in _ = store.texts.settle(store.loadedCatalog) }
        }
    }
}

/// Makes commits on a background thread, with at most two waiting.
private final class Committer: Sendable {
    private let store: DocumentStore
    private let collection: String
    private let options: BulkWriter.Options
    private let queue = DispatchQueue(label: "DocIndex.load")
    /// Counts the commits that may still be added: one is being written while two wait.
    private let room = DispatchSemaphore(value: 3)
    private let firstFailure = Mutex<(any Error)?>(nil)

    init(store: DocumentStore, collection: String, options: BulkWriter.Options) {
        self.store = store
        self.collection = collection
        self.options = options
    }

    var failure: (any Error)? { firstFailure.withLock { $0 } }

    func commit(_ documents: [DocumentObject]) throws {
        room.wait()
        queue.async { [self] in
            defer { room.signal() }
            guard failure == nil else { return }
            do {
                try write(documents)
            } catch {
                firstFailure.withLock { $0 = error }
            }
        }
        if let failure { throw failure }
    }

    /// Waits until everything has been committed.
    func wait() throws {
        queue.sync {}
        if let failure { throw failure }
    }

    private func write(_ documents: [DocumentObject]) throws {
        try store.write(durability: options.durability) { transaction in
            for document in documents {
                try transaction.put(document, in: collection, if: options.insertsOnly ? .absent : .none)
            }
        }
    }
}

extension DocumentObject {
    /// The approximate size of the document as JSON, in bytes.
    fileprivate var approximateByteCount: Int {
        var sum = 2
        for position in 0..<count {
            sum += self[position].name.utf8.count + 4 + self[position].value.approximateByteCount
        }
        return sum
    }
}

extension DocumentValue {
    fileprivate var approximateByteCount: Int {
        switch self {
        case .string(let text): text.utf8.count + 2
        case .bytes(let bytes): bytes.count
        case .array(let elements): elements.reduce(2) { $0 + $1.approximateByteCount + 1 }
        case .object(let object): object.approximateByteCount
        case .attachment: 200
        default: 8
        }
    }
}
