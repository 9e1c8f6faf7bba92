package import DocIndex

/// A document that arrived together with contents of attachments, which are stored now.
package struct ReceivedDocument: Sendable {
    /// The document as JSON.
    package let text: [UInt8]
    /// Its attachments, in their order.
    package let entries: [WireAttachment]
    /// The attachments that arrived with it.
    package private(set) var contents = ReceivedContents()
    /// The digests by which peers know these attachments.
    package private(set) var digests: [Attachment.Digest: [String]] = [:]

    /// Reads a document that arrived alone, and stores the attachments that are in it.
    ///
    /// - Throws: ``MessageError``, ``AttachmentError``; `DocIndexError`, `LevelError`.
    package init(_ text: [UInt8], _ receiver: AttachmentReceiver) async throws {
        self.text = text
        entries = try Self.entries(of: text)
        let contained = entries.filter { if case .data = $0.content { true } else { false } }
        if contained.isEmpty { return }
        try await receiver.collecting { receiver in
            for entry in contained {
                guard case .data(let bytes) = entry.content else { continue }
                // Without an encoding, a digest can be that of the compressed content.
                try await add(ByteStream([bytes]), of: entry, .plain, receiver, checksDigest: false)
            }
        }
    }

    /// Reads a document that comes with its attachments, and stores these.
    ///
    /// Nothing refers to the attachments yet, so what was stored before an error is deleted by a garbage collection.
    ///
    /// - Parameters:
    ///   - type: the value of `Content-Type`: `multipart/related`.
    ///   - documentLimit: the maximum size of the document in bytes.
    /// - Throws: ``MessageError``, ``AttachmentError``; `DocIndexError`, `LevelError`; what the stream throws.
    package init(
        _ type: MediaType, _ body: ByteStream, documentLimit: Int, _ receiver: AttachmentReceiver
    ) async throws {
        let stream = try MultipartStream(type, body, of: "a document with attachments")
        try await self.init(stream, within: 0, documentLimit: documentLimit, receiver)
    }

    /// Reads the next document of a `multipart/mixed` message, and stores the attachments that come with it.
    ///
    /// - Parameters:
    ///   - stream: the message, after the head of the document.
    ///   - head: that head.
    ///   - documentLimit: the maximum size of the document in bytes.
    /// - Throws: as above.
    package init(
        _ stream: MultipartStream, head: HeaderFields, documentLimit: Int, _ receiver: AttachmentReceiver
    ) async throws {
        guard MediaType(head["Content-Type"] ?? "").name == "multipart/related" else {
            try await self.init(stream.content(limit: documentLimit), receiver)
            return
        }
        try await self.init(stream, within: stream.depth, documentLimit: documentLimit, receiver)
    }

    private init(
        _ stream: MultipartStream, within container: Int, documentLimit: Int, _ receiver: AttachmentReceiver
    ) async throws {
        guard let head = try await stream.next(within: container),
            MediaType(head["Content-Type"] ?? "").name == "application/json"
        else {
            throw MessageError(
                .malformed, "A document with attachments does not begin with the document as JSON; check the peer.")
        }
        try await self.init(stream.content(limit: documentLimit), receiver)
        try await receiver.collecting { try await readContents(stream, within: container, $0) }
    }

    private static func entries(of text: [UInt8]) throws -> [WireAttachment] {
        var members = try JSONParts.members(of: text)
        var entries: [WireAttachment] = []
        while let member = try members.nextMember() {
            guard member.name == DocumentAttachments.member else { continue }
            guard entries.isEmpty else {
                throw AttachmentError(
                    .malformed, "A document has the member _attachments twice; correct it at the peer.")
            }
            entries = try WireAttachment.list(Array(text[member.value]))
        }
        return entries
    }

    private mutating func readContents(
        _ stream: MultipartStream, within container: Int, _ receiver: AttachmentReceiver
    ) async throws {
        var pending = PendingContents(entries.filter { $0.content == .follows })
        while let head = try await stream.next(within: container) {
            guard let entry = pending.take(head["Content-Disposition"]) else {
                throw AttachmentError(
                    .malformed, "More attachments follow a document than it lists in _attachments; check the peer.")
            }
            let encoding = head["Content-Encoding"] ?? entry.encoding
            let form: AttachmentReceiver.Form
            switch encoding {
            case nil, "identity": form = .plain
            case "gzip": form = .gzip
            default:
                throw AttachmentError(
                    .malformed,
                    "The attachment \(entry.name.inMessage) is encoded as \((encoding ?? "").inMessage); only gzip is "
                        + "known.")
            }
            try await add(PartPieces(stream: stream), of: entry, form, receiver, checksDigest: true)
        }
        if let entry = pending.first {
            throw AttachmentError(
                .missing,
                "The content of the attachment \(entry.name.inMessage) does not follow the document; send it again.")
        }
    }

    private mutating func add<Chunks: AsyncSequence>(
        _ chunks: Chunks, of entry: WireAttachment, _ form: AttachmentReceiver.Form, _ receiver: AttachmentReceiver,
        checksDigest: Bool
    ) async throws where Chunks.Element == [UInt8] {
        let received = try await receiver.add(chunks, of: entry, form: form, checksDigest: checksDigest)
        contents[entry.name] = received.attachment
        if let digest = received.digest { digests[received.attachment.digest, default: []].append(digest) }
    }
}

/// The attachments that have to follow a document.
private struct PendingContents {
    private let list: [WireAttachment]
    private var isTaken: [Bool]
    private var position = 0
    private var positions: [[UInt8]: Int] = [:]

    init(_ list: [WireAttachment]) {
        self.list = list
        isTaken = [Bool](repeating: false, count: list.count)
        for (position, entry) in list.enumerated() { positions[Array(entry.name.utf8)] = position }
    }

    /// The first one that has not come; `nil` if all have.
    var first: WireAttachment? { position < list.count ? list[position] : nil }

    /// Returns the attachment whose content follows; `nil` if none is expected.
    ///
    /// CouchDB sends the attachments in the order of the list, and names without escapes, so that a name with a quote
    /// is not what it seems. Others may send another order.
    mutating func take(_ disposition: String?) -> WireAttachment? {
        guard let first else { return nil }
        var taken = position
        if let disposition, disposition != "attachment; filename=\"\(first.name)\"",
            let name = MediaType(disposition)["filename"], let other = positions[Array(name.utf8)], !isTaken[other]
        {
            taken = other
        }
        isTaken[taken] = true
        while position < list.count, isTaken[position] { position += 1 }
        return list[taken]
    }
}

/// The content of the current part of a message.
private struct PartPieces: AsyncSequence, AsyncIteratorProtocol {
    typealias Element = [UInt8]
    let stream: MultipartStream

    func makeAsyncIterator() -> PartPieces { self }

    func next() async throws -> [UInt8]? { try await stream.piece() }
}
