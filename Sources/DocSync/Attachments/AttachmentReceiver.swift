package import DocIndex

/// Stores the contents of attachments that a peer sends, and checks them as they arrive.
package struct AttachmentReceiver: Sendable {
    /// A content that is stored now.
    package struct Received: Sendable, Hashable {
        /// A reference to the content, with the type and the name of the peer's attachment.
        package let attachment: Attachment
        /// The digest by which peers know the content: the MD5 of what was sent; `nil` if the system has no MD5.
        package let digest: String?
    }

    /// How a content is sent.
    package enum Form: Sendable, Hashable {
        /// As it is.
        case plain
        /// Compressed by gzip.
        case gzip
    }

    private let store: DocumentStore
    /// The maximum size of a content in bytes.
    package let byteLimit: Int64

    /// Creates a receiver.
    ///
    /// - Parameter byteLimit: the maximum size of a content in bytes.
    package init(into store: DocumentStore, byteLimit: Int64 = .max) {
        self.store = store
        self.byteLimit = byteLimit
    }

    /// Stores a content.
    ///
    /// - Parameters:
    ///   - chunks: the content as it is sent.
    ///   - entry: what the peer says about it.
    ///   - form: how it is sent.
    ///   - expected: the SHA-256 that it must have; `nil` if it is not known.
    ///   - checksDigest: whether the stated digest is known to be that of what is sent; see
    ///     ``hasDigestOfContent(_:)``.
    /// - Throws: ``AttachmentError`` with `wrongLength` or `digestMismatch`, and then nothing is stored;
    ///   ``MessageError``; what the sequence throws; `DocIndexError`, `LevelError`.
    package func add<Chunks: AsyncSequence>(
        _ chunks: Chunks, of entry: WireAttachment, form: Form = .plain, expecting expected: Attachment.Digest? = nil,
        checksDigest: Bool = false
    ) async throws -> Received where Chunks.Element == [UInt8] {
        let pieces = CheckedPieces(chunks, entry, form, checksDigest: checksDigest, byteLimit: byteLimit)
        let name = entry.name.isEmpty || entry.name.utf8.count > Attachment.maximumNameByteCount ? nil : entry.name
        let type = entry.type.utf8.count > Attachment.maximumNameByteCount ? Attachment.unknownType : entry.type
        let attachment = try await store.attachments.add(chunks: pieces, type: type, name: name) { found in
            guard let expected, expected != found else { return }
            throw AttachmentError(
                .digestMismatch,
                "The content of the attachment \(entry.name.inMessage) has the SHA-256 \(found) instead of \(expected); "
                    + "ask for it again, or check the peer.")
        }
        return Received(attachment: attachment, digest: pieces.digest)
    }

    /// Returns whether the digest that a peer states for an attachment is that of the content in a response.
    ///
    /// CouchDB compresses plain text, and then states the digest of the compressed content, which is not what it returns. It
    /// gives parts only of what it does not compress.
    package static func hasDigestOfContent(_ response: HeaderFields) -> Bool {
        response["Accept-Ranges"] == "bytes" && response["Content-Encoding"] == nil
    }
}

/// The pieces of a content, unpacked. The last one comes only if the length and the digest are right.
private final class CheckedPieces<Chunks: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol
where Chunks.Element == [UInt8] {
    typealias Element = [UInt8]

    private var chunks: Chunks.AsyncIterator
    private let name: String
    /// The digest that the content must have; `nil` if it is not checked.
    private let statedDigest: String?
    /// The length before and after unpacking; `nil` if it is not known.
    private let sentByteCount: Int64?
    private let byteCount: Int64?
    private let byteLimit: Int64
    private var sent: Int64 = 0
    private var unpacked: Int64 = 0
    private var md5 = MD5Hash()
    private var gzip: GzipReader?
    private var isAtEnd = false

    init(
        _ chunks: Chunks, _ entry: WireAttachment, _ form: AttachmentReceiver.Form, checksDigest: Bool, byteLimit: Int64
    ) {
        self.chunks = chunks.makeAsyncIterator()
        name = entry.name.inMessage
        statedDigest = checksDigest ? entry.digest : nil
        byteCount = entry.byteCount
        sentByteCount = form == .gzip ? entry.encodedByteCount : entry.byteCount
        self.byteLimit = byteLimit
        gzip = form == .gzip ? GzipReader() : nil
    }

    func makeAsyncIterator() -> CheckedPieces { self }

    /// The MD5 of what was sent, in the form of peers; `nil` if the system has no MD5.
    var digest: String? { md5.digest.map { "md5-" + Base64.text(of: $0) } }

    func next() async throws -> [UInt8]? {
        while true {
            if let piece = try gzip?.next() {
                try count(piece)
                return piece
            }
            if isAtEnd { return nil }
            guard let chunk = try await chunks.next(isolation: #isolation) else {
                isAtEnd = true
                gzip?.finish()
                if let piece = try gzip?.next() {
                    try count(piece)
                    return piece
                }
                try check()
                return nil
            }
            sent += Int64(chunk.count)
            if let sentByteCount, sent > sentByteCount { throw wrongLength(sent, of: sentByteCount) }
            md5.update(chunk)
            if gzip == nil {
                try count(chunk)
                return chunk
            }
            gzip?.append(chunk)
        }
    }

    private func count(_ piece: [UInt8]) throws {
        unpacked += Int64(piece.count)
        if let byteCount, unpacked > byteCount { throw wrongLength(unpacked, of: byteCount) }
        guard unpacked <= byteLimit else {
            throw MessageError(.tooLarge, "The attachment \(name) is larger than \(byteLimit) bytes; raise the limit.")
        }
    }

    private func check() throws {
        if let sentByteCount, sent != sentByteCount { throw wrongLength(sent, of: sentByteCount) }
        if let byteCount, unpacked != byteCount { throw wrongLength(unpacked, of: byteCount) }
        guard let statedDigest, statedDigest.utf8.starts(with: "md5-".utf8), let digest, digest != statedDigest else {
            return
        }
        throw AttachmentError(
            .digestMismatch,
            "The content of the attachment \(name) has the digest \(digest) instead of \(statedDigest); send it again.")
    }

    private func wrongLength(_ found: Int64, of stated: Int64) -> AttachmentError {
        AttachmentError(
            .wrongLength,
            "The content of the attachment \(name) has \(found) \(found > stated ? "bytes or more" : "bytes") instead of "
                + "\(stated); send it again.")
    }
}
