internal import DocIndex

/// Brings several documents together with the contents of their attachments.
///
/// One request for many small attachments costs the peer half of the work of a request for each. Large attachments are
/// asked for alone, since they can be continued after an interruption.
struct GroupFetch: Sendable {
    let link: SyncLink

    /// The maximum size of the contents of a group in bytes. What has arrived of a group when the process ends may be
    /// sent again. On a connection that breaks, groups are smaller; see ``SyncLink/groupSize``.
    static let groupByteCount: Int64 = 1 << 20
    /// The number of documents in a group.
    static let groupCount = 100

    /// The outcome of a group.
    struct Outcome: Sendable {
        var fetched: [AttachmentFetch.Fetched] = []
        /// The documents to ask for alone: because of an error, which is told precisely then, or since the store has
        /// some of the attachments.
        var rest: [WireDocument] = []
    }

    /// Removes the documents from the front of a list that form a group.
    func nextGroup(of documents: inout ArraySlice<WireDocument>) -> [WireDocument] {
        let limit = min(Self.groupByteCount, Int64(link.groupSize.limit))
        var byteCount: Int64 = 0
        var group: [WireDocument] = []
        while let document = documents.first, group.count < Self.groupCount {
            byteCount += Self.size(of: document) ?? limit
            if !group.isEmpty, byteCount > limit { break }
            group.append(document)
            documents.removeFirst()
        }
        return group
    }

    /// Returns whether a document can be in a group with others.
    static func isSmall(_ document: WireDocument) -> Bool {
        size(of: document).map { $0 <= groupByteCount / 2 } ?? false
    }

    /// Returns the size of the contents of a document; `nil` if the peer does not state it, or has none of them.
    private static func size(of document: WireDocument) -> Int64? {
        if document.attachments.isEmpty { return nil }
        var sum: Int64 = 0
        for entry in document.attachments {
            guard let count = entry.byteCount, count <= groupByteCount else { return nil }
            sum += count
            if sum > groupByteCount { return nil }
        }
        return sum
    }

    /// Fetches documents whose attachments the store lacks.
    ///
    /// - Throws: ``TransportError`` or ``PeerError`` once the attempts are used up; `DocIndexError`, `LevelError`.
    func fetch(_ documents: [WireDocument]) async throws -> Outcome {
        let fetch = AttachmentFetch(link: link)
        let examined = try await link.store.run { store in try documents.map { try fetch.examined($0, in: store) } }
        var outcome = Outcome()
        var wanted: [AttachmentFetch.Examined] = []
        for document in examined {
            if document.needed.count == document.document.attachments.count {
                wanted.append(document)
            } else {
                outcome.rest.append(document.document)
            }
        }
        while wanted.count > 1, link.sendsContents.isExpected {
            guard let received = try await receive(wanted) else { break }
            let complete = wanted.compactMap { document in
                received[Key(document.document)].map { (document: document, received: $0) }
            }
            // A peer may send others than those that it was asked for.
            if complete.isEmpty { break }
            wanted.removeAll { received[Key($0.document)] != nil }
            let finished = try await link.store.run { store in
                try complete.map { document, received -> Result<AttachmentFetch.Fetched, AttachmentError> in
                    do {
                        let stored = try fetch.document(document, received.contents, in: store)
                        return .success(
                            AttachmentFetch.Fetched(
                                document: stored, digests: received.digests, byteCount: Self.byteCount(document)))
                    } catch let error as AttachmentError {
                        return .failure(error)
                    }
                }
            }
            for (part, result) in zip(complete, finished) {
                switch result {
                case .success(let fetched): outcome.fetched.append(fetched)
                case .failure: outcome.rest.append(part.document.document)
                }
            }
        }
        // Otherwise, where a group has room for only one document, it would stay so.
        if documents.count == 1 { link.groupSize.grow() }
        outcome.rest += wanted.map(\.document)
        return outcome
    }

    /// Makes the next groups smaller after the connection broke. Groups that were requested before they became smaller
    /// do not count.
    private func shrink(_ byteCount: Int, _ error: TransportError) {
        guard error.isInterruption, byteCount > BodySize.smallest, byteCount <= link.groupSize.limit else { return }
        link.groupSize.shrink(below: byteCount)
    }

    private static func byteCount(_ document: AttachmentFetch.Examined) -> Int64 {
        document.needed.reduce(0) { $0 + ($1.byteCount ?? 0) }
    }

    /// A version of a document.
    private struct Key: Hashable {
        let id: DocumentID
        let revision: Revision

        init(_ document: WireDocument) {
            id = document.id
            revision = document.version.path.revision
        }
    }

    /// Asks for documents, and stores the attachments that arrive.
    ///
    /// - Returns: the documents that arrived completely; `nil` if the peer does not send documents in this way.
    private func receive(_ documents: [AttachmentFetch.Examined]) async throws -> [Key: ReceivedDocument]? {
        let requests = documents.map {
            (id: VersionWriter.text($0.document.id), revision: $0.document.version.path.revision)
        }
        var received: [Key: ReceivedDocument] = [:]
        do {
            let isSent = try await link.peer.documentsWithContents(requests) { type, body in
                received = [:]
                let unstored = UnstoredContents(link.contents)
                let receiver = AttachmentReceiver(
                    into: link.contents, byteLimit: Self.groupByteCount, collectingIn: unstored)
                do {
                    try await read(type, body, receiver, &received)
                    link.groupSize.grow()
                } catch let error as TransportError where error.code.isTransient {
                    // What has arrived need not be sent again. The rest is asked for once more, or alone if nothing has
                    // arrived, since the peer may be unable to read the first attachment.
                    shrink(Int(documents.reduce(0) { $0 + Self.byteCount($1) }), error)
                    link.peer.onRetry(error, .zero)
                } catch is AttachmentError, is MessageError, is DocumentError {
                    // The document at fault is asked for alone.
                }
                try await unstored.store()
            }
            if !isSent { link.sendsContents.deny() }
            return isSent ? received : nil
        } catch let error as PeerError where [400, 404, 405, 406, 415, 500, 501].contains(error.status) {
            if error.status != 500 { link.sendsContents.deny() }
            return nil
        }
    }

    private func read(
        _ type: MediaType, _ body: ByteStream, _ receiver: AttachmentReceiver, _ received: inout [Key: ReceivedDocument]
    ) async throws {
        let stream = try MultipartStream(type, body, of: "the answer of _bulk_get")
        while let head = try await stream.next() {
            // Other parts say why a document does not come.
            guard MediaType(head["Content-Type"] ?? "").name == "multipart/related" else { continue }
            let document = try await ReceivedDocument(
                stream, head: head, documentLimit: link.peer.documentLimit, receiver)
            let version = try WireDocument(reading: document.text, idField: link.idField)
            received[Key(version)] = document
        }
    }
}
