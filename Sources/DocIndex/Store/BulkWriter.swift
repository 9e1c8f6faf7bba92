internal import Foundation
public import LevelKit
internal import Synchronization

extension DocumentStore {
    /// Stores many documents in commits of moderate size, while the next ones are prepared.
    ///
    /// ```swift
    /// let count = try store.load(into: "photos") { writer in
    ///     for line in lines { try writer.put(json: line) }
    /// }
    /// ```
    ///
    /// Commits are made on a thread of their own, one after the other, so memory is bounded by a few of them. They are
    /// not one whole: if `body` throws, or the process ends, a beginning of the documents is stored. Others may write in
    /// between.
    ///
    /// - Parameters:
    ///   - collection: the collection.
    ///   - options: how large commits are.
    ///   - body: gives the documents to the writer.
    /// - Returns: how many documents were given.
    /// - Throws: what `body` throws, when the commits before it are made; as ``Transaction/put(_:in:if:)``;
    ///   ``DocIndexError`` with `nestedWrite` inside a write.
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
            // The first failure is the cause.
            throw (try? writer.finish()) == nil ? writer.failure ?? error : error
        }
        try writer.finish()
        return writer.count
    }
}

/// Takes documents and stores them in commits; see ``DocumentStore/load(into:options:_:)``. Valid within the closure that
/// it was given to.
public final class BulkWriter {
    /// How large commits are.
    public struct Options: Sendable, Hashable {
        /// Documents in one commit at most.
        public var documentCount = 1000
        /// Bytes of all texts in the documents of one commit, about, at most.
        public var byteCount = 4 << 20
        /// What each commit survives.
        public var durability = Durability.buffered
        /// Whether documents that are there already are an error and not replaced.
        public var insertsOnly = false

        /// The defaults.
        public init() {}
    }

    /// How many documents were given so far.
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

    /// Why no more commits are made; `nil` while all is well.
    var failure: (any Error)? { committer.failure }

    /// Stores a document.
    ///
    /// - Throws: the error of a commit of documents that were given before; ``DocIndexError`` with `nestedWrite` after the
    ///   closure has ended.
    public func put(_ content: DocumentObject) throws {
        try requireOpen()
        documents.append(content)
        count += 1
        byteCount += content.approximateByteCount
        if documents.count >= options.documentCount || byteCount >= options.byteCount { try commit() }
    }

    /// Stores a document that is written as JSON.
    ///
    /// - Parameter isExtended: whether ``JSONWriter``'s forms for what JSON lacks are read back, as of a dump.
    /// - Throws: ``JSONError`` with line and column; ``DocIndexError`` with `invalidDocument` for a text that is no
    ///   object; the error of a commit of documents that were given before.
    public func put(json text: Span<UInt8>, isExtended: Bool = false) throws {
        guard case .object(let content) = try JSONParser(isExtended: isExtended).parse(text) else {
            throw DocIndexError(.invalidDocument, "document \(count + 1) is no JSON object; wrap it in one")
        }
        try put(content)
    }

    /// Commits what was given so far, and waits for it.
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
            throw DocIndexError(.nestedWrite, "the bulk writer has ended; use it within its closure only")
        }
    }

    private func commit() throws {
        guard !documents.isEmpty else { return }
        // The thread that commits would wait for this one, and this one for it.
        try store.requireNoWriteHere()
        try committer.commit(documents)
        documents.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    func finish() throws {
        defer {
            isFinished = true
            committer.finish()
        }
        try flush()
        if count > 0 {
            try store.withWriter { _ in _ = store.texts.settle(catalog: store.currentCatalog, database: store.database)
            }
        }
    }

    deinit { committer.finish() }
}

/// Makes commits on a thread of its own, with at most two waiting.
private final class Committer: Sendable {
    private struct State {
        var waiting: [[DocumentObject]] = []
        var isBusy = false
        var isFinished = false
        var failure: (any Error)?
    }

    private let store: DocumentStore
    private let collection: String
    private let options: BulkWriter.Options
    private let state = Mutex(State())
    private let changed = NSCondition()

    init(store: DocumentStore, collection: String, options: BulkWriter.Options) {
        self.store = store
        self.collection = collection
        self.options = options
        let thread = Thread { [self] in run() }
        thread.stackSize = 8 << 20
        thread.start()
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    func commit(_ documents: [DocumentObject]) throws {
        changed.lock()
        defer { changed.unlock() }
        while state.withLock({ $0.waiting.count >= 2 && $0.failure == nil }) { changed.wait() }
        if let failure { throw failure }
        state.withLock { $0.waiting.append(documents) }
        changed.broadcast()
    }

    /// Waits until everything is committed.
    func wait() throws {
        changed.lock()
        defer { changed.unlock() }
        while state.withLock({ (!$0.waiting.isEmpty || $0.isBusy) && $0.failure == nil }) { changed.wait() }
        if let failure { throw failure }
    }

    /// Lets the thread end.
    func finish() {
        changed.lock()
        defer { changed.unlock() }
        state.withLock { $0.isFinished = true }
        changed.broadcast()
    }

    private func run() {
        while let documents = next() {
            do {
                try store.write(durability: options.durability) { transaction in
                    for document in documents {
                        try transaction.put(document, in: collection, if: options.insertsOnly ? .absent : .none)
                    }
                }
                report(nil)
            } catch {
                report(error)
            }
        }
    }

    /// The documents of the next commit; `nil` when there will be none.
    private func next() -> [DocumentObject]? {
        changed.lock()
        defer { changed.unlock() }
        while true {
            let (documents, isOver) = state.withLock { state -> ([DocumentObject]?, Bool) in
                if state.failure != nil { return (nil, true) }
                if state.waiting.isEmpty { return (nil, state.isFinished) }
                state.isBusy = true
                return (state.waiting.removeFirst(), false)
            }
            if let documents {
                changed.broadcast()
                return documents
            }
            if isOver { return nil }
            changed.wait()
        }
    }

    private func report(_ failure: (any Error)?) {
        changed.lock()
        defer { changed.unlock() }
        state.withLock { state in
            state.isBusy = false
            if state.failure == nil { state.failure = failure }
        }
        changed.broadcast()
    }
}

extension DocumentObject {
    /// About as many bytes as the document takes as text.
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
        default: 8
        }
    }
}
