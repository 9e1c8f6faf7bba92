#if Server
    internal import NIOCore
    internal import Synchronization

    /// The open connections of a server and the tasks of their requests.
    final class ServerConnections: Sendable {
        private struct State {
            var channels: [ObjectIdentifier: any Channel] = [:]
            var taskCount = 0
            var isStopping = false
            var waiting: CheckedContinuation<Void, Never>?

            /// Returns the continuation to resume once everything has ended.
            mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
                isStopping && channels.isEmpty && taskCount == 0 ? waiting.take() : nil
            }
        }

        private let state = Mutex(State())

        /// Adds a connection until it closes. A server that stops closes it at once.
        func add(_ channel: any Channel) {
            let isStopping = state.withLock { state in
                if !state.isStopping { state.channels[ObjectIdentifier(channel)] = channel }
                return state.isStopping
            }
            guard !isStopping else { return channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in
                self.change { $0.channels[ObjectIdentifier(channel)] = nil }
            }
        }

        /// Returns the number of open connections.
        var count: Int { state.withLock { $0.channels.count } }

        /// Notes that the task of a request began.
        func taskBegan() { change { $0.taskCount += 1 } }

        /// Notes that the task of a request has ended.
        func taskEnded() { change { $0.taskCount -= 1 } }

        /// Closes idle connections now, the others after their request, and all when the time is over.
        func stop(within time: TimeAmount) {
            let channels = state.withLock { state in
                state.isStopping = true
                return Array(state.channels.values)
            }
            for channel in channels {
                channel.pipeline.fireUserInboundEventTriggered(ServerIsStopping())
                channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
            }
            change { _ in }
        }

        /// Waits until the server was stopped, all connections are closed, and all tasks have ended.
        func waitUntilStopped() async {
            await withCheckedContinuation { continuation in
                change { $0.waiting = continuation }
            }
        }

        private func change(_ body: (inout State) -> Void) {
            state.withLock { state in
                body(&state)
                return state.takeWaiting()
            }?.resume()
        }
    }

    /// Tells a connection to close after the request in progress.
    struct ServerIsStopping: Sendable {}

    /// Accepts no connection while as many as the limit are open. The system lets further clients wait.
    final class AcceptLimiter: ChannelDuplexHandler {
        typealias InboundIn = any Channel
        typealias OutboundIn = Never

        private let limit: Int
        private var openCount = 0
        private var isHolding = false

        init(limit: Int) { self.limit = max(limit, 1) }

        func read(context: ChannelHandlerContext) {
            isHolding = openCount >= limit
            if !isHolding { context.read() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            openCount += 1
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
                let (limiter, context) = loopBound.value
                limiter.openCount -= 1
                if limiter.isHolding { limiter.read(context: context) }
            }
            context.fireChannelRead(data)
        }
    }
#endif
