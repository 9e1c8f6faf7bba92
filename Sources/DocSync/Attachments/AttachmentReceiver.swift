package import DocIndex
internal import Synchronization

/// Stores the contents of attachments that a peer sends, and checks them as they arrive.
package struct AttachmentReceiver: Sendable {
    /// An attachment that is stored now.
    package struct Received: Sendable, Hashable {
        /// A reference to the content, with the type and the name of the peer's attachment.
        package let attachment: Attachment
        /// The digest by which peers know the content: the MD5 of what was sent; `nil` if the system has no MD5.
        package let digest: String?
    }

    /// How an attachment is sent.
    package enum Form: Sendable, Hashable {
        /// As it is.
        case plain
        /// Compressed by gzip.
        case gzip
    }

    private let contents: ContentQueue
    /// The maximum size of an attachment in bytes.
    package let byteLimit: Int64
    /// The attachments that are not stored yet; `nil` if each is stored when it has arrived.
    private let unstored: UnstoredContents?

    /// Creates a receiver.
    ///
    /// - Parameter byteLimit: the maximum size of an attachment in bytes.
    package init(into store: DocumentStore, byteLimit: Int64 = .max) {
        self.init(into: ContentQueue(of: store), byteLimit: byteLimit)
    }

    /// Creates a receiver whose attachments share the flushes of others.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum size of an attachment in bytes.
    ///   - unstored: collects the attachments, to store many of them together; `nil` to store each when it has arrived.
    package init(into contents: ContentQueue, byteLimit: Int64 = .max, collectingIn unstored: UnstoredContents? = nil) {
        self.contents = contents
        self.byteLimit = byteLimit
        self.unstored = unstored
    }

    /// Stores the attachments that `body` receives together, unless this receiver already collects them for that.
    func collecting<R>(_ body: (AttachmentReceiver) async throws -> R) async throws -> R {
        guard unstored == nil else { return try await body(self) }
        let unstored = UnstoredContents(contents)
        let result = try await body(
            AttachmentReceiver(into: contents, byteLimit: byteLimit, collectingIn: unstored))
        try await unstored.store()
        return result
    }

    /// Receives an attachment, and stores it unless it is collected.
    ///
    /// - Parameters:
    ///   - chunks: the content as it is sent.
    ///   - entry: what the peer says about it.
    ///   - form: how it is sent.
    ///   - expected: the SHA-256 that it must have; `nil` if it is not known.
    ///   - checksDigest: whether the stated digest is known to be that of what is sent; see
    ///     ``hasDigestOfContent(_:)``.
    ///   - partial: a file that keeps the received part if the sequence throws. `chunks` begins with what the file
    ///     already has. `nil` to keep nothing.
    /// - Throws: ``AttachmentError`` with `wrongLength` or `digestMismatch`, and then nothing is stored;
    ///   ``MessageError``; what the sequence throws; `DocIndexError`, `LevelError`.
    package func add<Chunks: AsyncSequence>(
        _ chunks: Chunks, of entry: WireAttachment, form: Form = .plain, expecting expected: Attachment.Digest? = nil,
        checksDigest: Bool = false, continuing partial: PartialContent? = nil
    ) async throws -> Received where Chunks.Element == [UInt8] {
        let pieces = CheckedPieces(chunks, entry, form, checksDigest: checksDigest, byteLimit: byteLimit)
        let name = entry.name.isEmpty || entry.name.utf8.count > Attachment.maximumNameByteCount ? nil : entry.name
        let type = entry.type.utf8.count > Attachment.maximumNameByteCount ? Attachment.unknownType : entry.type
        let content = try await contents.store.attachments.receive(
            chunks: pieces, type: type, name: name, continuing: partial)
        let attachment = try content.attachment()
        if let expected, expected != attachment.digest {
            throw AttachmentError(
                .digestMismatch,
                "The content of the attachment \(entry.name.inMessage) has the SHA-256 \(attachment.digest) instead of "
                    + "\(expected); ask for it again, or check the peer.")
        }
        if let unstored {
            try await unstored.add(content)
        } else {
            _ = try await contents.add([content])
        }
        return Received(attachment: attachment, digest: pieces.digest)
    }

    /// Returns whether the digest that a peer states for an attachment is that of the content in a response.
    ///
    /// CouchDB compresses plain text, and then states the digest of the compressed content, which is not what it
    /// returns. It gives parts only of what it does not compress.
    package static func hasDigestOfContent(_ response: HeaderFields) -> Bool {
        response["Accept-Ranges"] == "bytes" && response["Content-Encoding"] == nil
    }
}

/// Attachments that have arrived and are stored together.
package final class UnstoredContents: Sendable {
    private let queue: ContentQueue
    private let contents = Mutex<[NewContent]>([])

    /// The number of attachments, and of their bytes in memory, from which they are stored. An attachment in a file
    /// keeps the file open.
    private static let countLimit = 64
    private static let memoryLimit = 2 << 20

    package init(_ queue: ContentQueue) { self.queue = queue }

    /// Adds an attachment. If there are many, all are stored.
    ///
    /// - Throws: like ``store()``.
    func add(_ content: NewContent) async throws {
        let isFull = contents.withLock { contents in
            contents.append(content)
            return contents.count >= Self.countLimit
                || contents.reduce(0) { $0 + $1.memoryByteCount } >= Self.memoryLimit
        }
        if isFull { try await store() }
    }

    /// Stores all attachments. When this returns, a document may refer to them.
    ///
    /// - Throws: `CancellationError`; `DocIndexError`, `LevelError`.
    package func store() async throws {
        _ = try await queue.add(
            contents.withLock { contents in
                defer { contents = [] }
                return contents
            })
    }
}

/// The pieces of an attachment, unpacked. The last one comes only if the length and the digest are right.
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
        byteCount = form == .gzip && entry.hasUnknownLength ? nil : entry.byteCount
        sentByteCount = form == .gzip ? entry.encodedByteCount : entry.byteCount
        self.byteLimit = byteLimit
        gzip = form == .gzip ? GzipReader() : nil
    }

    func makeAsyncIterator() -> CheckedPieces { self }

    /// The MD5 of what was sent, in the form of peers.
    var digest: String { "md5-" + Base64.text(of: md5.digest) }

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
        guard let statedDigest, statedDigest.utf8.starts(with: "md5-".utf8) else { return }
        let digest = self.digest
        if digest == statedDigest { return }
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
