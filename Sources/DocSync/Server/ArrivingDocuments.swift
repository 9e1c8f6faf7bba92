internal import DocIndex

/// Reads the documents of a request to `_bulk_docs` while they arrive.
///
/// Only the documents are in memory. The contents of attachments are stored as they come.
struct ArrivingDocuments {
    let database: ServedDatabase
    private(set) var arrivals: [VersionWriter.Arrival] = []
    private(set) var problems: [DocumentError] = []
    /// Whether a replica sends the documents with their revisions.
    private(set) var keepsRevisions = false
    private var isNewEdit = false
    /// The size of the documents so far without their attachments, in bytes.
    private var byteCount = 0

    /// The maximum number of documents in a request, since even an empty one takes memory. Replicators send some
    /// hundred.
    private static let countLimit = 100_000

    init(database: ServedDatabase) { self.database = database }

    /// Reads the body of a request.
    ///
    /// - Throws: ``MessageError``, ``ServerError``, ``DocumentError`` with `tooLarge`; `CancellationError`.
    mutating func read(_ body: SyncBody) async throws {
        var envelope = EnvelopeReader(
            elementsOf: "docs", of: "The body", byteLimit: database.server.options.bodyLimit)
        for try await chunk in body.chunks {
            envelope.append(chunk)
            try await take(from: &envelope)
        }
        envelope.finish()
        try await take(from: &envelope)
    }

    private mutating func take(from envelope: inout EnvelopeReader) async throws {
        while let part = try envelope.next() {
            switch part {
            case .member("new_edits", let text):
                keepsRevisions = text.elementsEqual("false".utf8)
                isNewEdit = !keepsRevisions
            case .member: continue
            case .oversized: throw MessageError(.tooLarge, "A document is larger than this server accepts.")
            case .element(let text):
                // Checked before their attachments are stored for nothing.
                if isNewEdit { throw ServedDatabase.newEdit }
                try Task.checkCancellation()
                try await add(text)
            }
        }
    }

    private mutating func add(_ text: [UInt8]) async throws {
        do {
            let document = try database.document(text)
            byteCount += text.count - document.containedByteCount
            arrivals.append(try await database.arrival(document, text))
        } catch let error as DocumentError {
            if error.code == .tooLarge { throw error }
            problems.append(error)
        }
        guard byteCount <= database.server.options.bodyLimit, arrivals.count + problems.count <= Self.countLimit else {
            throw MessageError(.tooLarge, "The request has too many documents; send fewer at a time.")
        }
    }
}
