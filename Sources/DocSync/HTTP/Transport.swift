/// Sends requests to one peer. An adapter of an HTTP client implements it; ``InProcessTransport`` needs no network.
///
/// An adapter adds the address, `Host`, the length or chunked coding of the body, and what its connection needs. It
/// follows no redirect, because the next address could be another host: the response is returned as it is. It neither
/// repeats a request nor decodes a `Content-Encoding`.
package protocol Transport: Sendable {
    /// Sends a request. Returns when the status and the header fields of the response have arrived; the body follows
    /// while it is read.
    ///
    /// Cancelling the task, or dropping the iterator of the body, closes the connection.
    ///
    /// - Throws: ``TransportError``. The body of the response throws it too.
    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse
}

/// Answers requests. An adapter of an HTTP server calls it.
package protocol Responder: Sendable {
    /// Returns the response. Its body is read while it is sent, and no longer once the client has gone.
    ///
    /// If the body throws, the adapter closes the connection without ending the body, so that the client notices.
    func respond(to request: SyncRequest) async -> SyncResponse
}

/// A request with its body.
package struct SyncRequest: Sendable {
    /// An HTTP method.
    package struct Method: Sendable, Hashable, RawRepresentable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let get = Method(rawValue: "GET")
        package static let head = Method(rawValue: "HEAD")
        package static let put = Method(rawValue: "PUT")
        package static let post = Method(rawValue: "POST")
        package static let delete = Method(rawValue: "DELETE")
        package static let options = Method(rawValue: "OPTIONS")
    }

    package var method: Method
    /// The path, percent-encoded, with the query, such as `/photos/_changes?limit=500`.
    package var target: String
    package var fields: HeaderFields
    package var body: SyncBody
    /// The longest time without a byte from the peer, until the head of the response and between two of its chunks.
    /// After that, the request fails with ``TransportError/Code/timedOut``.
    package var silenceLimit: Duration

    package init(
        _ method: Method, _ target: String, fields: HeaderFields = [:], body: SyncBody = .none,
        silenceLimit: Duration = .seconds(30)
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.silenceLimit = silenceLimit
    }
}

/// A response with its body.
package struct SyncResponse: Sendable {
    /// The status code, such as 200.
    package var status: Int
    package var fields: HeaderFields
    package var body: SyncBody

    package init(status: Int, fields: HeaderFields = [:], body: SyncBody = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the peer did what was asked: 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// The body of a request or a response.
package enum SyncBody: Sendable {
    case none
    case bytes([UInt8])
    case stream(ByteStream)

    /// The number of bytes; `nil` if it is not known.
    package var byteCount: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let stream): stream.byteCount
        }
    }

    /// The body as a stream.
    package var chunks: ByteStream {
        switch self {
        case .none: ByteStream([])
        case .bytes(let bytes): ByteStream([bytes])
        case .stream(let stream): stream
        }
    }

    /// Returns all bytes of the body.
    ///
    /// - Throws: ``MessageError`` with the code `tooLarge` if there are more than `limit`, without reading the rest;
    ///   and what the stream throws.
    package func collected(limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks {
            guard chunk.count <= limit - bytes.count else {
                throw MessageError(.tooLarge, "The body of a message is larger than \(limit) bytes; raise the limit.")
            }
            bytes += chunk
        }
        return bytes
    }
}

/// A transport whose peer is in this process: for two stores of one program, and for tests.
package struct InProcessTransport: Transport {
    private let responder: any Responder

    /// Creates a transport that hands each request to `responder`.
    package init(_ responder: any Responder) { self.responder = responder }

    package func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        guard !Task.isCancelled else { throw TransportError(.cancelled, peer: Self.peer) }
        var response = await responder.respond(to: request)
        guard !Task.isCancelled else { throw TransportError(.cancelled, peer: Self.peer) }
        if case .stream(let stream) = response.body { response.body = .stream(Self.cut(stream)) }
        return response
    }

    private static let peer = "the store in this process"

    /// Returns a stream with the errors of a connection.
    private static func cut(_ stream: ByteStream) -> ByteStream {
        ByteStream(CutChunks(stream: stream), byteCount: stream.byteCount)
    }

    private struct CutChunks: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let stream: ByteStream

        func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        struct Iterator: AsyncIteratorProtocol {
            var base: ByteStream.Iterator

            mutating func next() async throws -> [UInt8]? {
                guard !Task.isCancelled else { throw TransportError(.cancelled, peer: InProcessTransport.peer) }
                do {
                    return try await base.next()
                } catch {
                    throw TransportError(.cut, peer: InProcessTransport.peer, detail: "\(error)")
                }
            }
        }
    }
}
