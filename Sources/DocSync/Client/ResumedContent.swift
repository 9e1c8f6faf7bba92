/// The content of an attachment as it comes from a peer. After an interruption it continues where it stopped, if the peer
/// still has the same content and can send a part; otherwise what came before is passed over.
struct ResumedContent: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    let peer: Peer
    let target: String
    /// The response with which the content begins.
    let first: SyncResponse

    func makeAsyncIterator() -> Iterator {
        Iterator(source: self, chunks: first.body.chunks.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let source: ResumedContent
        var chunks: ByteStream.Iterator
        var offset: Int64 = 0
        /// The bytes that come again.
        var passed: Int64 = 0
        var attempt = 1

        mutating func next() async throws -> [UInt8]? {
            while true {
                do {
                    guard let chunk = try await chunks.next() else { return nil }
                    attempt = 1
                    let skipped = Int(clamping: Swift.min(passed, Int64(chunk.count)))
                    passed -= Int64(skipped)
                    if skipped == chunk.count { continue }
                    offset += Int64(chunk.count - skipped)
                    return skipped == 0 ? chunk : Array(chunk[skipped...])
                } catch let error as TransportError {
                    try Task.checkCancellation()
                    guard error.code.isTransient, source.peer.attemptLimit.map({ attempt < $0 }) ?? true else {
                        throw error
                    }
                    try await resume(after: error)
                }
            }
        }

        private mutating func resume(after error: TransportError) async throws {
            attempt += 1
            try await source.peer.pause(after: error, attempt: attempt)
            var fields: HeaderFields = ["Accept": "*/*"]
            let tag = source.first.fields["ETag"]
            let canResume = tag != nil && source.first.fields["Accept-Ranges"] == "bytes"
            if canResume { fields["Range"] = "bytes=\(offset)-" }
            let response = try await source.peer.open(.get, source.target, fields: fields)
            // Some peers ignore If-Range, so the tags are compared here.
            guard response.fields["ETag"] == tag else {
                throw AttachmentError(
                    .wrongLength, "An attachment was replaced at the peer while it was transferred; it is tried again.")
            }
            passed = response.status == 206 ? 0 : offset
            chunks = response.body.chunks.makeAsyncIterator()
        }
    }
}
