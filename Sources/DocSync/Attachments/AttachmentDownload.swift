/// The content of an attachment as a peer returns it (`GET DB/ID/NAME?rev=`), continued where it was interrupted.
///
/// An unchanged entity tag proves that the rest belongs to the same content. CouchDB ignores `If-Range`, so the tags of the
/// responses are compared. A peer that returns everything instead of a range, as CouchDB does with texts, is read past
/// what came before.
package struct AttachmentDownload: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// Sends the request with further header fields. It throws for every status but 200 and 206.
    package typealias Send = @Sendable (HeaderFields) async throws -> SyncResponse

    /// The header fields of the first response.
    package let fields: HeaderFields
    private let first: SyncResponse
    private let policy: RetryPolicy
    private let attemptLimit: Int
    private let wait: @Sendable (Duration) async throws -> Void
    private let send: Send

    /// Sends the first request.
    ///
    /// - Parameters:
    ///   - policy: how long to wait before the request is sent again.
    ///   - attemptLimit: the number of interruptions without a byte in between after which the last one is thrown.
    ///   - wait: waits; `Task.sleep` unless a test does not.
    /// - Throws: what `send` throws.
    package init(
        policy: RetryPolicy = RetryPolicy(), attemptLimit: Int = 5,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ send: @escaping Send
    ) async throws {
        self.policy = policy
        self.attemptLimit = attemptLimit
        self.wait = wait
        self.send = send
        first = try await send(Self.unpacked)
        fields = first.fields
    }

    /// Asks for the content as it is, not compressed.
    private static let unpacked: HeaderFields = ["Accept-Encoding": "identity"]

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the content once.
    package struct Iterator: AsyncIteratorProtocol {
        private let download: AttachmentDownload
        private var chunks: ByteStream.Iterator?
        /// The number of bytes that were returned.
        private var byteCount: Int64 = 0
        /// The number of bytes of the current response that were returned before.
        private var repeatedByteCount: Int64 = 0
        private var failureCount = 0

        fileprivate init(_ download: AttachmentDownload) {
            self.download = download
            chunks = download.first.body.chunks.makeAsyncIterator()
        }

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Throws: ``TransportError``; what sending throws.
        package mutating func next() async throws -> [UInt8]? {
            while true {
                do {
                    guard var chunk = try await chunks?.next() else {
                        guard let whole = download.fields.count("Content-Length"), byteCount < whole else { return nil }
                        throw TransportError(.cut, peer: "the peer", detail: "\(byteCount) of \(whole) bytes")
                    }
                    let repeated = Swift.min(repeatedByteCount, Int64(chunk.count))
                    repeatedByteCount -= repeated
                    chunk.removeFirst(Int(repeated))
                    if chunk.isEmpty { continue }
                    byteCount += Int64(chunk.count)
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
                guard failureCount < download.attemptLimit, byteCount == 0 || download.fields["ETag"] != nil else {
                    throw failure
                }
                var random = SystemRandomNumberGenerator()
                try await download.wait(download.policy.delay(attempt: failureCount, using: &random))
                var fields = AttachmentDownload.unpacked
                if byteCount > 0 { fields["Range"] = "bytes=\(byteCount)-" }
                do {
                    let response = try await download.send(fields)
                    try accept(response, after: failure)
                    return
                } catch let error as TransportError where error.code.isTransient {
                    continue
                }
            }
        }

        private mutating func accept(_ response: SyncResponse, after failure: TransportError) throws {
            guard byteCount == 0 || response.fields["ETag"] == download.fields["ETag"] else {
                throw MessageError(
                    .malformed, "An attachment was replaced while it was read; ask for the document again.")
            }
            repeatedByteCount = byteCount
            if response.status == 206 {
                guard response.fields["Content-Range"]?.hasPrefix("bytes \(byteCount)-") == true else {
                    throw MessageError(
                        .malformed, "The peer returned another range of an attachment than it was asked for.")
                }
                repeatedByteCount = 0
            }
            chunks = response.body.chunks.makeAsyncIterator()
        }
    }
}
