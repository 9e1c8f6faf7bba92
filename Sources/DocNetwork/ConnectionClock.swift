#if Server
    internal import NIOCore
    internal import NIOHTTP1

    /// Closes a connection whose client is too slow, and counts the bytes of a head.
    final class ConnectionClock: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        /// The event that the connection waits for.
        enum Phase {
            /// The first byte of a request.
            case idle
            /// The rest of the head of a request.
            case head
            /// The rest of the body of a request. The response may have begun.
            case body
            /// The responder. From the client, only that it reads.
            case response
        }

        /// The event that the connection waits for.
        var phase = Phase.head {
            didSet { begin = .now() }
        }

        private let headLimit: Int
        private let headTime: TimeAmount
        private let idleTime: TimeAmount
        private let crowdedTime: TimeAmount
        /// Whether as many connections are open as the server accepts.
        private let isFull: @Sendable () -> Bool
        private let eventLoop: any EventLoop
        private var begin = NIODeadline.now()
        private var headSize = 0
        /// The number of writes that the socket has not taken yet, and when it last took one.
        private var writeCount = 0
        private var lastWrite = NIODeadline.now()
        private var timer: RepeatedTask?

        init(
            _ configuration: HTTPServer.Configuration, eventLoop: any EventLoop, isFull: @escaping @Sendable () -> Bool
        ) {
            self.isFull = isFull
            headLimit = configuration.headLimit
            headTime = configuration.headTime.timeAmount
            idleTime = configuration.idleTime.timeAmount
            crowdedTime = configuration.crowdedTime.timeAmount
            self.eventLoop = eventLoop
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let step = max(
                TimeAmount.milliseconds(1), min(.seconds(1), .nanoseconds(min(headTime, idleTime).nanoseconds / 4)))
            let loopBound = NIOLoopBound((self, context), eventLoop: eventLoop)
            timer = eventLoop.scheduleRepeatedTask(initialDelay: step, delay: step) { _ in
                let (clock, context) = loopBound.value
                if clock.isOverdue { context.close(promise: nil) }
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

        private var isOverdue: Bool {
            let now = NIODeadline.now()
            if writeCount > 0, now - lastWrite > idleTime { return true }
            switch phase {
            case .idle: return now - begin > idleTime || now - begin > crowdedTime && isFull()
            case .body: return now - begin > idleTime
            case .head: return now - begin > headTime || headSize == 0 && now - begin > crowdedTime && isFull()
            case .response: return false
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch phase {
            case .idle:
                phase = .head
                headSize = 0
            case .body: begin = .now()
            case .head, .response: break
            }
            if phase == .head { headSize += unwrapInboundIn(data).readableBytes }
            context.fireChannelRead(data)
            // Otherwise the head is complete, and the decoder has measured it.
            if phase == .head, headSize > headLimit { context.fireErrorCaught(HTTPParserError.headerOverflow) }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if writeCount == 0 { lastWrite = .now() }
            writeCount += 1
            let promise = promise ?? eventLoop.makePromise()
            let loopBound = NIOLoopBound(self, eventLoop: eventLoop)
            promise.futureResult.whenComplete { _ in
                loopBound.value.writeCount -= 1
                loopBound.value.lastWrite = .now()
            }
            context.write(data, promise: promise)
        }
    }
#endif
