internal import DocIndex

/// Brings the contents of the attachments of a document from the peer.
struct AttachmentFetch: Sendable {
    let link: SyncLink

    /// A document with all its attachments.
    struct Fetched: Sendable {
        var document: WireDocument
        /// The digests by which the peer knows the attachments.
        var digests: [Attachment.Digest: [String]] = [:]
        var byteCount: Int64 = 0
    }

    /// Fetches what the store lacks.
    ///
    /// - Throws: ``AttachmentError``, ``PeerError`` if the document cannot be stored; other errors as a request does.
    func complete(_ document: WireDocument) async throws -> Fetched {
        var replaced: Set<[UInt8]> = []
        while true {
            do {
                return try await complete(document, replaced)
            } catch let error as Replaced where replaced.insert(Array(error.name.utf8)).inserted {
                continue
            } catch let error as Replaced {
                throw error.error
            }
        }
    }

    /// An attachment has different content than the document says.
    private struct Replaced: Error {
        let name: String
        let error: AttachmentError
    }

    /// A document, what the store has of it, and what it lacks.
    struct Examined: Sendable {
        let document: WireDocument
        let arriving: ArrivingAttachments
        let ancestor: StoredAncestor?
        let needed: [WireAttachment]
    }

    /// Finds out which attachments the store lacks. Called where reads may block.
    func examined(
        _ document: WireDocument, in store: DocumentStore, _ replaced: Set<[UInt8]> = []
    ) throws -> Examined {
        let content = document.version.content ?? DocumentObject()
        let arriving = ArrivingAttachments(content, document.attachments) { replaced.contains(Array($0.name.utf8)) }
        let reader = try link.collection.revisionReader(isShown: false)
        var ancestor: StoredAncestor?
        if let (revision, content) = try reader.closestContent(on: document.version.path, of: document.id),
            let attachments = try? DocumentAttachments(of: content)
        {
            ancestor = StoredAncestor(generation: revision.generation, attachments)
        }
        let digests = AttachmentDigests(of: link.collection)
        let needed = try arriving.needed(in: store, ancestor: ancestor, digests: digests.known)
        return Examined(document: document, arriving: arriving, ancestor: ancestor, needed: needed)
    }

    private func complete(_ document: WireDocument, _ replaced: Set<[UInt8]>) async throws -> Fetched {
        let examined = try await link.store.run { try self.examined(document, in: $0, replaced) }
        let arriving = examined.arriving
        var fetched = Fetched(document: document)
        var received = ReceivedContents()
        for entry in examined.needed {
            // By bytes: two names can be one text in different Unicode forms.
            let bound = arriving.bound.first { $0.entry.name.utf8.elementsEqual(entry.name.utf8) }?.attachment.digest
            let content = try await fetch(entry, of: document, expecting: bound)
            received[entry.name] = content.attachment
            fetched.byteCount += content.attachment.byteCount
            // What the peer states is not noted, because a wrong digest would later make a different attachment of this
            // one.
            if let digest = content.digest { fetched.digests[content.attachment.digest, default: []].append(digest) }
        }
        fetched.document = try await link.store.run { [received] in try self.document(examined, received, in: $0) }
        return fetched
    }

    /// Returns a document with its references, once its attachments are stored. Called where reads may block.
    ///
    /// - Throws: ``AttachmentError`` if an attachment is missing or not the expected one; `DocIndexError`,
    ///   `LevelError`.
    func document(
        _ examined: Examined, _ received: ReceivedContents, in store: DocumentStore
    ) throws -> WireDocument {
        var document = examined.document
        var complete = try examined.arriving.document(
            received, in: store, ancestor: examined.ancestor, digests: AttachmentDigests(of: link.collection).known)
        document.attachments = []
        if document.version.content != nil || !complete.isEmpty {
            if complete[link.idField] == nil { complete[link.idField] = document.id.value }
            document.version = DocumentRevision(
                document.version.path, isDeleted: document.version.isDeleted, content: complete)
        }
        return document
    }

    /// The size of an attachment from which it is kept in part when the replication, or the process, ends.
    private static let keptByteCount: Int64 = 1 << 20

    private func fetch(
        _ entry: WireAttachment, of document: WireDocument, expecting digest: Attachment.Digest?
    ) async throws -> AttachmentReceiver.Received {
        if let partial = try await partial(of: entry, expecting: digest) {
            do {
                return try await fetch(entry, of: document, expecting: digest, continuing: partial)
            } catch let error as TransportError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                partial.discard()
                if partial.byteCount == 0 { throw error }
                // What an earlier replication has left may be wrong.
            }
        }
        return try await fetch(entry, of: document, expecting: digest, continuing: nil)
    }

    /// Returns what an earlier replication has received of a large attachment; `nil` for a small one, and for one whose
    /// digest is not known, since it could not be checked.
    private func partial(of entry: WireAttachment, expecting digest: Attachment.Digest?) async throws -> PartialContent?
    {
        guard let byteCount = entry.byteCount, byteCount >= Self.keptByteCount, entry.encoding == nil,
            let name = digest?.description ?? Self.fileName(ofMD5: entry.digest)
        else { return nil }
        return try await link.store.run { try PartialContent("\(byteCount)-\(name)", of: $0, byteCount: byteCount) }
    }

    /// Returns an MD5 digest that a peer states as a part of a file name; `nil` if it is none.
    private static func fileName(ofMD5 stated: String?) -> String? {
        guard let stated, stated.hasPrefix("md5-"),
            let digest = try? Base64.decode(stated.dropFirst(4).utf8Span.span), digest.count == 16
        else { return nil }
        return Base64.text(of: digest).replacing("/", with: "_")
    }

    private func fetch(
        _ entry: WireAttachment, of document: WireDocument, expecting digest: Attachment.Digest?,
        continuing partial: PartialContent?
    ) async throws -> AttachmentReceiver.Received {
        let download = try await download(entry, of: document, from: partial?.byteCount ?? 0)
        var partial = partial
        if download.offset == 0 { try partial?.clear() }
        let receiver = AttachmentReceiver(into: link.contents)
        let form: AttachmentReceiver.Form = download.fields["Content-Encoding"] == "gzip" ? .gzip : .plain
        do {
            return try await receiver.add(
                ContinuedPieces(partial, download), of: entry, form: form, expecting: digest,
                checksDigest: download.offset > 0 || AttachmentReceiver.hasDigestOfContent(download.fields),
                continuing: partial)
        } catch let error as AttachmentError where error.code == .digestMismatch && digest != nil {
            throw Replaced(name: entry.name, error: error)
        } catch let error as AttachmentError
            where error.code == .wrongLength && form == .plain && download.fields["Content-Length"] == nil
        {
            return try await fetchCompressed(entry, of: document, expecting: digest, error)
        }
    }

    /// Fetches an attachment as it is stored at the peer, because it has another length than the peer states.
    ///
    /// CouchDB states the compressed length of a text that a client sent compressed, and the digest of those bytes.
    private func fetchCompressed(
        _ entry: WireAttachment, of document: WireDocument, expecting digest: Attachment.Digest?,
        _ error: AttachmentError
    ) async throws -> AttachmentReceiver.Received {
        let download = try await download(entry, of: document, encoding: "gzip")
        guard download.fields["Content-Encoding"] == "gzip" else { throw error }
        var compressed = entry
        compressed.encodedByteCount = entry.byteCount
        return try await AttachmentReceiver(into: link.contents).add(
            download, of: compressed, form: .gzip, expecting: digest, checksDigest: true)
    }

    private func download(
        _ entry: WireAttachment, of document: WireDocument, from offset: Int64 = 0, encoding: String = "identity"
    ) async throws -> AttachmentDownload {
        let target = link.peer.target(
            VersionWriter.text(document.id), entry.name, query: ["rev": document.version.path.revision.description])
        let peer = link.peer
        return try await AttachmentDownload(
            from: offset, encoding: encoding, policy: peer.policy, attemptLimit: peer.attemptLimit ?? .max
        ) {
            var fields = $0
            fields["Accept"] = "*/*"
            return try await peer.open(.get, target, fields: fields)
        }
    }
}

/// The pieces of an attachment: first those of an earlier replication, then the new ones.
private struct ContinuedPieces: AsyncSequence, AsyncIteratorProtocol {
    private let partial: PartialContent?
    private var download: AttachmentDownload.Iterator
    private var offset: Int64 = 0

    init(_ partial: PartialContent?, _ download: AttachmentDownload) {
        self.partial = partial
        self.download = download.makeAsyncIterator()
    }

    func makeAsyncIterator() -> ContinuedPieces { self }

    mutating func next() async throws -> [UInt8]? {
        if let partial, offset < partial.byteCount {
            let piece = try await partial.piece(at: offset)
            offset += Int64(piece.count)
            if !piece.isEmpty { return piece }
            // Somebody has shortened the file. The length is wrong at the end, and the content comes again.
            offset = partial.byteCount
        }
        return try await download.next()
    }
}
