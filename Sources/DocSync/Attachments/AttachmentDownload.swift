/// The content of an attachment as a peer returns it (`GET DB/ID/NAME?rev=`), continued where it was interrupted.
///
/// An unchanged entity tag proves that the rest belongs to the same content. CouchDB ignores `If-Range`, so the tags of
/// the responses are compared. A peer that returns everything instead of a range, as CouchDB does with texts, is read
/// past what came before.
package struct AttachmentDownload: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// Sends the request with further header fields. It throws for every status but 200 and 206.
    package typealias Send = @Sendable (HeaderFields) async throws -> SyncResponse

    /// The header fields of the first response.
    package let fields: HeaderFields
    /// The position of the first byte that is returned.
    package let offset: Int64
    private let first: SyncResponse
    private let encoding: String
    private let policy: RetryPolicy
    private let attemptLimit: Int
    private let wait: @Sendable (Duration) async throws -> Void
    private let send: Send

    /// Sends the first request.
    ///
    /// - Parameters:
    ///   - offset: the position of the first byte that is wanted. A peer may return everything; see ``offset``.
    ///   - encoding: the value of `Accept-Encoding`: `identity` for the content as it is, or `gzip`.
    ///   - policy: how long to wait before the request is sent again.
    ///   - attemptLimit: the number of interruptions without a byte in between after which the last one is thrown.
    ///   - wait: waits; `Task.sleep` unless a test does not.
    /// - Throws: what `send` throws; ``MessageError`` for a different range than the one that is wanted.
    package init(
        from offset: Int64 = 0, encoding: String = "identity", policy: RetryPolicy = RetryPolicy(),
        attemptLimit: Int = 5,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ send: @escaping Send
    ) async throws {
        self.encoding = encoding
        self.policy = policy
        self.attemptLimit = attemptLimit
        self.wait = wait
        self.send = send
        first = try await send(Self.request(from: offset, encoding))
        fields = first.fields
        self.offset = try Self.isRange(first, from: offset) ? offset : 0
    }

    private static func request(from offset: Int64, _ encoding: String) -> HeaderFields {
        var fields: HeaderFields = ["Accept-Encoding": encoding]
        if offset > 0 { fields["Range"] = "bytes=\(offset)-" }
        return fields
    }

    /// Returns whether a response has the content from a position on, and not all of it.
    private static func isRange(_ response: SyncResponse, from offset: Int64) throws(MessageError) -> Bool {
        guard response.status == 206 else { return false }
        guard response.fields["Content-Range"]?.hasPrefix("bytes \(offset)-") == true,
            response.fields["Content-Encoding"] == nil
        else {
            throw MessageError(
                .malformed, "The peer returned a different range of an attachment than it was asked for.")
        }
        return true
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the content once.
    package struct Iterator: AsyncIteratorProtocol {
        private let download: AttachmentDownload
        private var chunks: ByteStream.Iterator?
        /// The number of bytes before the next piece.
        private var position: Int64
        /// The number of bytes of the current response that were returned before.
        private var repeatedByteCount: Int64 = 0
        private var failureCount = 0

        fileprivate init(_ download: AttachmentDownload) {
            self.download = download
            position = download.offset
            chunks = download.first.body.chunks.makeAsyncIterator()
        }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Throws: ``TransportError``; what sending throws.
        package mutating func next() async throws -> [UInt8]? {
            while true {
                do {
                    guard var chunk = try await chunks?.next() else {
                        guard let count = download.fields.count("Content-Length"), position - download.offset < count
                        else { return nil }
                        throw TransportError(
                            .cut, peer: "the peer", detail: "\(position - download.offset) of \(count) bytes")
                    }
                    let repeated = Swift.min(repeatedByteCount, Int64(chunk.count))
                    repeatedByteCount -= repeated
                    chunk.removeFirst(Int(repeated))
                    if chunk.isEmpty { continue }
                    position += Int64(chunk.count)
                    failureCount = 0
                    return chunk
                } catch let error as TransportError where error.code.isTransient {
                    try await resume(after: error)
                }
            }
        }

        private mutating func resume(after failure: TransportError) async throws {
            chunks = nil
            while true {
                failureCount += 1
                guard failureCount < download.attemptLimit, position == 0 || download.fields["ETag"] != nil else {
                    throw failure
                }
                var random = SystemRandomNumberGenerator()
                try await download.wait(download.policy.delay(attempt: failureCount, using: &random))
                do {
                    let response = try await download.send(
                        AttachmentDownload.request(from: position, download.encoding))
                    try accept(response)
                    return
                } catch let error as TransportError where error.code.isTransient {
                    continue
                }
            }
        }

        private mutating func accept(_ response: SyncResponse) throws {
            guard position == 0 || response.fields["ETag"] == download.fields["ETag"] else {
                throw MessageError(
                    .malformed, "An attachment was replaced while being read; ask for the document again.")
            }
            repeatedByteCount = try AttachmentDownload.isRange(response, from: position) ? 0 : position
            chunks = response.body.chunks.makeAsyncIterator()
        }
    }
}
