internal import LevelKit

extension DocumentStore.Attachments {
    /// Returns the whole content of an attachment.
    ///
    /// - Throws: ``DocIndexError``: `attachmentMissing` if the content is not stored; `attachmentDamaged` if its size
    ///   or digest is wrong; `queryTooLarge` if it is larger than ``maximumWholeByteCount``; `LevelError`.
    public func bytes(of attachment: Attachment) throws -> [UInt8] {
        let content = try open(attachment)
        guard content.byteCount <= Self.maximumWholeByteCount else {
            throw DocIndexError(
                .queryTooLarge,
                "the attachment \(attachment.digest) has \(content.byteCount) bytes, more than can be returned at once; "
                    + "read it in parts")
        }
        return try content.wholeBytes()
    }

    /// Calls `body` with the content of an attachment in parts of at most 64 KiB.
    ///
    /// If the range covers the whole content, its digest is checked before the last part. The digest of other ranges
    /// cannot be checked.
    ///
    /// - Parameters:
    ///   - attachment: the reference.
    ///   - range: the bytes to read, clamped to the size of the content; `nil` for all.
    ///   - body: receives the parts in order.
    /// - Throws: like ``bytes(of:)``; `CancellationError` if the task is canceled; what `body` throws.
    public func read(
        _ attachment: Attachment, in range: Range<Int64>? = nil, _ body: ([UInt8]) throws -> Void
    ) throws {
        let content = try open(attachment)
        try content.forEachPart(in: range ?? 0..<content.byteCount) { part in
            try CancellationCheck.now()
            try body(part)
            return true
        }
    }

    /// Calls `body` with the whole content of an attachment, mapped into memory if it is in a file, so that only the
    /// pages that `body` touches are read. The digest is not checked.
    ///
    /// If another program truncates the file during the call, this process is terminated.
    ///
    /// - Throws: like ``bytes(of:)``, except for a wrong digest; what `body` throws.
    public func withMappedBytes<R>(of attachment: Attachment, _ body: (RawSpan) throws -> R) throws -> R {
        try open(attachment).withMapping(body)
    }

    /// Checks the size of an attachment, and its digest if requested.
    ///
    /// - Throws: like ``bytes(of:)``, however large the content is.
    public func check(_ digest: Attachment.Digest, readsContent: Bool = true) throws {
        let content = try AttachmentContent(digest, of: store, in: state())
        guard readsContent else { return }
        try content.forEachPart(in: 0..<content.byteCount) { _ in
            try CancellationCheck.now()
            return true
        }
    }

    /// The content of an attachment in parts of at most 64 KiB, read away from the caller's thread; see
    /// ``read(_:in:_:)``.
    public func chunks(of attachment: Attachment, in range: Range<Int64>? = nil) -> Chunks {
        Chunks(attachments: self, attachment: attachment, range: range)
    }

    /// The parts of an attachment as an asynchronous sequence.
    public struct Chunks: AsyncSequence, Sendable {
        let attachments: DocumentStore.Attachments
        let attachment: Attachment
        let range: Range<Int64>?

        /// Reads one part after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let chunks: Chunks
            private var parts: AttachmentParts?

            init(_ chunks: Chunks) { self.chunks = chunks }

            /// Returns the next part; `nil` at the end.
            ///
            /// - Throws: like ``DocumentStore/Attachments/read(_:in:_:)``.
            public mutating func next() async throws -> [UInt8]? {
                let chunks = self.chunks
                let open = parts
                let (rest, part) = try await BlockingExecutor.reads.run {
                    var parts = try open ?? chunks.parts()
                    let part = try parts.next()
                    return (parts, part)
                }
                parts = rest
                return part
            }
        }

        /// Returns an iterator that starts at the beginning of the range.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

        fileprivate func parts() throws -> AttachmentParts {
            let content = try attachments.open(attachment)
            return AttachmentParts(content, range ?? 0..<content.byteCount)
        }
    }

    func open(_ attachment: Attachment) throws -> AttachmentContent {
        try AttachmentContent(attachment.digest, byteCount: attachment.byteCount, of: store, in: state())
    }
}
