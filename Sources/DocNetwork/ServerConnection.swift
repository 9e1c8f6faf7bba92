#if Server
    internal import DocSync
    internal import NIOCore
    internal import NIOHTTP1

    /// The requests of one connection, one after another.
    final class ServerConnection: ChannelDuplexHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        /// A request in progress.
        private struct Current {
            let body: ChunkQueue
            let task: Task<Void, Never>
            var isBodyComplete = false
            /// The number of chunks that the responder has not taken yet.
            var heldCount = 0
            var hasAnswered = false
            /// The bytes that came after the response.
            var unusedCount = 0
        }

        /// The number of bytes of a body that are read after the response, so that the connection can be kept.
        private static let unusedLimit = 1 << 20

        private let responder: any Responder
        private let connections: ServerConnections
        private let clock: ConnectionClock
        private let executor: (any TaskExecutor)?
        private let isEncrypted: Bool
        private var current: Current?
        /// The bytes that the client sent of its next requests.
        private var waiting: [HTTPServerRequestPart] = []
        private var isReadWaiting = false
        private var closesAfterResponse = false
        private var hasFailed = false

        init(
            _ responder: any Responder, connections: ServerConnections, clock: ConnectionClock,
            executor: (any TaskExecutor)?, isEncrypted: Bool
        ) {
            self.responder = responder
            self.connections = connections
            self.clock = clock
            self.executor = executor
            self.isEncrypted = isEncrypted
        }

        // MARK: Requests

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            if !waiting.isEmpty || current?.isBodyComplete == true {
                waiting.append(part)
            } else {
                take(part, context)
            }
        }

        private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
            switch part {
            case .head(let head):
                guard !hasFailed else { return }
                begin(head, context)
            case .body(let bytes):
                guard let current else { return }
                if current.hasAnswered {
                    self.current?.unusedCount += bytes.readableBytes
                    if current.unusedCount > Self.unusedLimit { context.close(promise: nil) }
                }
                self.current?.heldCount += 1
                clock.phase = .response
                let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                let body = current.body
                body.offer(bytes) {
                    loopBound.execute { connection, context in connection.continueReading(body, context) }
                }
            case .end:
                current?.isBodyComplete = true
                current?.body.finish()
                clock.phase = .response
                endIfComplete(context)
            }
        }

        private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            let body = ChunkQueue()
            clock.phase = .body
            let answer = ServerAnswer(to: head, body: body, on: context.channel, isEncrypted: isEncrypted)
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let (responder, connections) = (responder, connections)
            connections.taskBegan()
            let task = Task(executorPreference: executor) {
                let isKept = await answer.send(from: responder)
                loopBound.execute { connection, context in connection.answered(isKept: isKept, context) }
                connections.taskEnded()
            }
            current = Current(body: body, task: task)
        }

        private func answered(isKept: Bool, _ context: ChannelHandlerContext) {
            guard isKept else { return context.close(promise: nil) }
            current?.hasAnswered = true
            current?.body.abandon(TransportError(.cancelled, peer: "the client"))
            endIfComplete(context)
        }

        /// Takes the next request once the current one has arrived and is answered.
        private func endIfComplete(_ context: ChannelHandlerContext) {
            guard let current, current.isBodyComplete, current.hasAnswered else { return }
            self.current = nil
            guard !closesAfterResponse else { return context.close(promise: nil) }
            clock.phase = waiting.isEmpty ? .idle : .head
            while !waiting.isEmpty, self.current?.isBodyComplete != true { take(waiting.removeFirst(), context) }
            if isReadWaiting { read(context: context) }
        }

        // MARK: Reading

        /// Reads from the socket only what the responder wants.
        func read(context: ChannelHandlerContext) {
            isReadWaiting = !waiting.isEmpty || current.map { $0.heldCount > 0 || $0.isBodyComplete } == true
            if !isReadWaiting { context.read() }
        }

        /// Notes that the responder has taken a chunk of a body.
        private func continueReading(_ body: ChunkQueue, _ context: ChannelHandlerContext) {
            // Chunks of an earlier request no longer matter.
            guard let current, current.body === body else { return }
            self.current?.heldCount -= 1
            if current.heldCount == 1, !current.isBodyComplete { clock.phase = .body }
            if isReadWaiting { read(context: context) }
        }

        // MARK: The end

        func channelInactive(context: ChannelHandlerContext) {
            current?.body.finish(.failure(TransportError(.cut, peer: "the client")))
            current?.task.cancel()
            current = nil
            waiting = []
            context.fireChannelInactive()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard event is ServerIsStopping else { return context.fireUserInboundEventTriggered(event) }
            closesAfterResponse = true
            if current == nil { context.close(promise: nil) }
        }

        /// Answers what is not HTTP; closes the connection after all other errors.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard let error = error as? HTTPParserError, current == nil, !hasFailed else {
                return context.close(promise: nil)
            }
            hasFailed = true
            let status: HTTPResponseStatus =
                if case .headerOverflow = error { .requestHeaderFieldsTooLarge } else { .badRequest }
            let headers: HTTPHeaders = ["Connection": "close", "Content-Length": "0"]
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
                promise: nil)
            let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in loopBound.value.close(promise: nil) }
        }
    }

    extension NIOLoopBound {
        /// Runs a function on the event loop.
        fileprivate func execute<A, B>(_ body: @escaping @Sendable (A, B) -> Void) where Value == (A, B) {
            eventLoop.execute { body(value.0, value.1) }
        }
    }
#endif
