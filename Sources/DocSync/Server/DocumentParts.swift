internal import DocIndex

/// Produces the answer of `_bulk_get` with the contents of attachments, one document at a time.
struct DocumentParts: Sendable {
    let database: ServedDatabase
    let wanted: [(id: String, revision: Revision?)]
    /// Whether to send later versions instead of the requested ones.
    let isLatest: Bool
    private let writer = MultipartWriter()

    init(database: ServedDatabase, wanted: [(id: String, revision: Revision?)], isLatest: Bool) {
        self.database = database
        self.wanted = wanted
        self.isLatest = isLatest
    }

    var contentType: String { writer.contentType("mixed") }

    var stream: ByteStream { ByteStream(Chunks(source: self)) }

    private struct Chunks: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let source: DocumentParts

        func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        struct Iterator: AsyncIteratorProtocol {
            let source: DocumentParts
            private var position = 0
            /// The parts of the document before `position` that are still to come.
            private var parts: ArraySlice<MultipartBody.Part> = []
            /// The content of the current part.
            private var content: ByteStream.Iterator?
            private var isFirst = true
            private var isAtEnd = false

            init(source: DocumentParts) { self.source = source }

            mutating func next() async throws -> [UInt8]? {
                while true {
                    if let chunk = try await content?.next() { return chunk }
                    content = nil
                    if let part = parts.popFirst() {
                        defer { isFirst = false }
                        content = part.content.chunks.makeAsyncIterator()
                        return source.writer.head(part.fields, isFirst: isFirst)
                    }
                    guard position < source.wanted.count else { break }
                    parts = try await source.parts(of: source.wanted[position])[...]
                    position += 1
                }
                if isAtEnd { return nil }
                isAtEnd = true
                return source.writer.end(isEmpty: isFirst)
            }
        }
    }

    private func parts(of request: (id: String, revision: Revision?)) async throws -> [MultipartBody.Part] {
        let (database, revisions) = (database, request.revision.map { [$0] })
        return try await database.store.run { _ in
            let id = DocumentID.string(request.id)
            let reader = try database.collection.revisionReader(isShown: true)
            let versions = try database.versions(revisions, of: id, isLatest: isLatest, reader)
            return try database.parts(id, versions, revisions ?? [])
        }
    }
}
