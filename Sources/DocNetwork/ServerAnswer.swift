#if Server
    internal import DocSync
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// Asks the responder and writes its response. Waits for the socket after each piece, so that a slow client slows
    /// down the body.
    struct ServerAnswer: Sendable {
        private let head: HTTPRequestHead
        private let body: ChunkQueue
        private let channel: any Channel
        private let isEncrypted: Bool
        private let state: AnswerState

        init(to head: HTTPRequestHead, body: ChunkQueue, on channel: any Channel, isEncrypted: Bool) {
            self.head = head
            self.body = body
            self.channel = channel
            self.isEncrypted = isEncrypted
            let waits = head.headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
            state = AnswerState(waitsForContinue: waits)
        }

        /// Sends the response.
        ///
        /// - Returns: whether the connection can be kept. If not, it must be closed; the response may be incomplete.
        func send(from responder: any Responder) async -> Bool {
            let response = await responder.respond(to: request)
            guard !Task.isCancelled else { return false }
            do {
                return try await send(response)
            } catch {
                // The end of the body is missing, so the client notices.
                return false
            }
        }

        private var request: SyncRequest {
            var request = SyncRequest(SyncRequest.Method(rawValue: head.method.rawValue), target)
            for (name, value) in head.headers { request.fields.append(name, value) }
            let byteCount = request.fields.count("Content-Length")
            guard byteCount ?? 0 > 0 || head.headers.contains(name: "Transfer-Encoding") else { return request }
            let (body, channel, state) = (body, channel, state)
            request.body = .stream(
                ByteStream(byteCount: byteCount) {
                    if state.mustContinue() {
                        let head = HTTPResponseHead(version: .http1_1, status: .continue)
                        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
                    }
                    return try await withTaskCancellationHandler {
                        try await body.next()
                    } onCancel: {
                        body.abandon(TransportError(.cancelled, peer: "the client"))
                    }
                })
            return request
        }

        /// The path with the query. A client of a proxy may send a whole URL.
        private var target: String {
            guard let scheme = ["http://", "https://"].first(where: head.uri.lowercased().hasPrefix) else {
                return head.uri
            }
            return head.uri.dropFirst(scheme.count).firstIndex(of: "/").map { String(head.uri[$0...]) } ?? "/"
        }

        private func send(_ response: SyncResponse) async throws -> Bool {
            let hasBody = head.method != .HEAD && ![204, 304].contains(response.status) && response.status >= 200
            var headers = HTTPHeaders()
            for field in response.fields.fields { headers.add(name: field.name, value: field.value) }
            let byteCount = response.fields.count("Content-Length") ?? response.body.byteCount
            if let byteCount, response.status != 204, response.status >= 200 {
                headers.replaceOrAdd(name: "Content-Length", value: "\(byteCount)")
            }
            // Before HTTP/1.1, only the end of the connection ends a body of unknown length. A client that was not told
            // to send its body may or may not send it.
            let isKept = state.answer() && head.isKeepAlive && head.version != .http1_0
            if !isKept { headers.replaceOrAdd(name: "Connection", value: "close") }
            let first = HTTPResponseHead(
                version: head.version, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
            if hasBody, case .stream(let stream) = response.body {
                // The client learns the status before there is a body.
                try await channel.writeAndFlush(HTTPServerResponsePart.head(first))
                try await send(stream, byteCount: byteCount)
            } else {
                channel.write(HTTPServerResponsePart.head(first), promise: nil)
                if hasBody, case .bytes(let bytes) = response.body {
                    guard byteCount == Int64(bytes.count) else { throw LengthError() }
                    try await send(bytes)
                }
            }
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
            return isKept
        }

        private func send(_ stream: ByteStream, byteCount: Int64?) async throws {
            var sentCount: Int64 = 0
            var iterator = stream.makeAsyncIterator()
            var next = try await iterator.next()
            while let chunk = next {
                try Task.checkCancellation()
                sentCount += Int64(chunk.count)
                guard sentCount <= byteCount ?? sentCount else { throw LengthError() }
                // The next chunk is made while this one is sent. If the client disconnects, the task is canceled.
                async let sent: Void = send(chunk)
                next = try await iterator.next()
                try await sent
            }
            guard sentCount == byteCount ?? sentCount else { throw LengthError() }
        }

        /// The maximum size of the pieces that are sent. The server waits until each is sent, which distinguishes a
        /// client that reads slowly from one that does not read.
        private static let pieceByteCount = 1 << 16
        /// The size of a chunk that fits into one record of TLS, with its size and its line ends; see ``WriteJoiner``.
        private static let recordByteCount = (1 << 14) - 32

        private func send(_ chunk: [UInt8]) async throws {
            let size = isEncrypted ? Self.recordByteCount : Self.pieceByteCount
            for start in stride(from: 0, to: chunk.count, by: size) {
                let end = min(start + size, chunk.count)
                let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: chunk[start..<end])))
                if end == chunk.count || end % Self.pieceByteCount < size {
                    try await channel.writeAndFlush(part)
                } else {
                    channel.writeAndFlush(part, promise: nil)
                }
            }
        }

        /// A body that is longer or shorter than its header field says.
        private struct LengthError: Error {}
    }

    /// Whether the client waits for permission to send its body (`Expect: 100-continue`).
    private final class AnswerState: Sendable {
        private let waitsForContinue: Mutex<Bool>
        private let hasAnswered = Mutex(false)

        init(waitsForContinue: Bool) { self.waitsForContinue = Mutex(waitsForContinue) }

        /// Whether to give the permission now: at the first read, unless the response has begun.
        func mustContinue() -> Bool {
            guard !hasAnswered.withLock({ $0 }) else { return false }
            return waitsForContinue.withLock { waits in
                defer { waits = false }
                return waits
            }
        }

        /// Notes that the response begins. Returns whether the client got the permission or did not wait for it.
        func answer() -> Bool {
            hasAnswered.withLock { $0 = true }
            return waitsForContinue.withLock { !$0 }
        }
    }
#endif
