#if Network
    internal import AsyncHTTPClient
    internal import DocSync
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// One request and its response. The HTTP client calls it on its event loop; a task waits for the head and reads
    /// the body.
    final class Exchange: HTTPClientResponseDelegate {
        private typealias HeadResult = Result<HTTPResponseHead, TransportError>

        private struct State {
            /// The HTTP client's handle of the request, to cancel it.
            var request: HTTPClient.Task<Void>?
            var upload: Task<Void, Never>?
            var head: HeadResult?
            var reader: CheckedContinuation<HeadResult, Never>?
            var isConnected = false
            /// Whether the body of the request has not been sent completely.
            var isUploading: Bool
            /// The end of a body that failed after the request was refused; of interest to nobody.
            var lostUpload: EventLoopPromise<Void>?
            /// Whether the response refuses the request and came before the request was sent. The HTTP client does not
            /// report the end of such a response.
            var isRefused = false
            /// The bytes of the body that are still to come; `nil` if their number is not known.
            var bytesToCome: Int?
            /// The number of parts of the body that have arrived.
            var partCount = 0
            var isDone = false
            /// When the peer last gave a sign of life.
            var lastSign = NIODeadline.now()
            /// The number of operations that the peer waits for: reading a chunk of the response, making one of the
            /// request.
            var ownWork = 0
            /// The connection and the transport are in use until the end.
            var permit: ConnectionGate.Permit?
            var owner: HTTPClientTransport?
        }

        private let peer: ExchangePeer
        private let eventLoop: any EventLoop
        private let silenceLimit: TimeAmount
        /// If the connection breaks, the reader still gets what is here. What the HTTP client and the system hold is
        /// lost.
        private let body = ChunkQueue(room: 1 << 18)
        private let state: Mutex<State>

        init(
            with peer: ExchangePeer, owner: HTTPClientTransport, permit: ConnectionGate.Permit,
            eventLoop: any EventLoop,
            silenceLimit: TimeAmount, sendsStream: Bool
        ) {
            self.peer = peer
            self.eventLoop = eventLoop
            self.silenceLimit = silenceLimit
            state = Mutex(State(isUploading: sendsStream, permit: permit, owner: owner))
        }

        // MARK: The task

        /// Sends the request and waits for the head of the response.
        func head(start: () -> HTTPClient.Task<Void>) async throws(TransportError) -> HTTPResponseHead {
            let request = start()
            // Some failures are not told to the delegate.
            request.futureResult.whenFailure { [weak self] error in self?.fail(error) }
            let isDone = state.withLock { state in
                state.request = request
                return state.isDone
            }
            if isDone { request.cancel() }
            watchSilence(in: silenceLimit)
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let head: HeadResult? = state.withLock { state in
                        if state.head == nil { state.reader = continuation }
                        return state.head
                    }
                    if let head { continuation.resume(returning: head) }
                }
            } onCancel: {
                cancel()
            }
            return try result.get()
        }

        /// Returns the next chunk of the response; `nil` after the last one.
        func nextChunk() async throws(TransportError) -> [UInt8]? {
            let result: Result<[UInt8]?, TransportError> = await withTaskCancellationHandler {
                do throws(TransportError) { return .success(try await body.next()) } catch { return .failure(error) }
            } onCancel: {
                cancel()
            }
            return try result.get()
        }

        /// Closes the connection unless the response is complete.
        func cancel() { end(with: peer.error(.cancelled)) }

        /// Sends a body as its stream produces it, as fast as the peer reads.
        func upload(
            _ stream: ByteStream, to writer: HTTPClient.Body.StreamWriter, on executor: (any TaskExecutor)?
        ) -> EventLoopFuture<Void> {
            let done = eventLoop.makePromise(of: Void.self)
            let task = Task(executorPreference: executor) {
                do {
                    var iterator = stream.makeAsyncIterator()
                    // The last piece is sent together with the end. Otherwise a fast peer may answer in between, and
                    // the HTTP client then never frees the connection.
                    var held: ArraySlice<UInt8>?
                    while let chunk = try await self.produce(from: &iterator) {
                        for start in stride(from: 0, to: chunk.count, by: Self.pieceSize) {
                            if let held {
                                try await writer.write(.byteBuffer(ByteBuffer(bytes: held))).get()
                                self.noteSign()
                            }
                            held = chunk[start..<min(start + Self.pieceSize, chunk.count)]
                        }
                    }
                    // A producer that was stopped may end its body as if it were complete.
                    try Task.checkCancellation()
                    self.state.withLock { $0.isUploading = false }
                    // Whether it is written is told by the end of the request. The event loop does both in one go, even
                    // if this thread has to wait for a processor in between.
                    let last = held.map { ByteBuffer(bytes: $0) }
                    self.eventLoop.execute {
                        if let last { _ = writer.write(.byteBuffer(last)) }
                        done.succeed()
                    }
                } catch {
                    if !self.isRefused(losing: done) { done.fail(error) }
                }
            }
            let isDone = state.withLock { state in
                if !state.isDone { state.upload = task }
                return state.isDone
            }
            if isDone { task.cancel() }
            return done.futureResult
        }

        /// Returns the next chunk of the request. If there is none because of an error, the request fails.
        private func produce(from iterator: inout ByteStream.Iterator) async throws -> [UInt8]? {
            beginOwnWork()
            defer { endOwnWork() }
            do {
                return try await iterator.next()
            } catch {
                if !isRefused() {
                    end(with: peer.error(.cut, detail: "the body of the request cannot be read"))
                }
                throw error
            }
        }

        /// Whether a response is being read that refuses the request.
        ///
        /// - Parameter upload: a promise to keep until that response ends, because the HTTP client would end it.
        private func isRefused(losing upload: EventLoopPromise<Void>? = nil) -> Bool {
            state.withLock { state in
                guard state.isRefused, !state.isDone else { return false }
                if let upload { state.lostUpload = upload }
                return true
            }
        }

        /// Larger chunks are sent in pieces, so that the progress of each is noticed.
        static let pieceSize = 1 << 16

        // MARK: The event loop

        func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
            state.withLock { state in
                state.isConnected = true
                state.lastSign = .now()
            }
        }

        func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            let reader = state.withLock { state in
                state.lastSign = .now()
                state.head = .success(head)
                state.isRefused = state.isUploading && head.status.code >= 300
                state.bytesToCome = head.headers.first(name: "Content-Length").flatMap { Int($0) }
                return state.reader.take()
            }
            reader?.resume(returning: .success(head))
            endIfRefused(after: 0)
            return eventLoop.makeSucceededVoidFuture()
        }

        func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
            let taken = eventLoop.makePromise(of: Void.self)
            beginOwnWork()
            let number = state.withLock { state in
                state.partCount += 1
                state.bytesToCome = state.bytesToCome.map { $0 - buffer.readableBytes }
                return state.partCount
            }
            body.offer(buffer) {
                self.endOwnWork()
                taken.succeed()
                self.endIfRefused(after: number)
            }
            return taken.futureResult
        }

        func didFinishRequest(task: HTTPClient.Task<Void>) throws { end(with: nil) }

        func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { fail(error) }

        /// Ends the exchange with an error of the HTTP client. After the end, that is the answer to a cancellation, and
        /// the reader still gets what has arrived.
        private func fail(_ error: any Error) {
            let (isConnected, isDone) = state.withLock { ($0.isConnected, $0.isDone) }
            if isDone { return }
            end(with: peer.error(of: error, isConnected: isConnected))
        }

        /// Ends a response that refuses the request at its length, or a second after its last part arrived.
        private func endIfRefused(after number: Int) {
            let (isRefused, isComplete) = state.withLock { state in
                (state.isRefused && !state.isDone, state.bytesToCome.map { $0 <= 0 } ?? false)
            }
            guard isRefused else { return }
            if isComplete { return end(with: nil) }
            eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in
                guard let self, self.state.withLock({ $0.partCount == number }) else { return }
                self.end(with: nil)
            }
        }

        // MARK: The end

        /// Ends the exchange once: with the end of the body, or with an error that replaces what was not read.
        private func end(with error: TransportError?) {
            let (wasDone, old) = state.withLock { state in
                let old = state
                guard !state.isDone else { return (true, old) }
                state.isDone = true
                if state.head == nil, let error { state.head = .failure(error) }
                state.request = nil
                state.upload = nil
                state.lostUpload = nil
                state.reader = nil
                state.permit = nil
                state.owner = nil
                return (false, old)
            }
            // The HTTP client is done before the reader is.
            if wasDone, error?.code != .cancelled { return }
            if let error, error.code == .cancelled {
                body.abandon(error)
            } else {
                body.finish(error.map { .failure($0) } ?? .success(()))
            }
            guard !wasDone else { return }
            if let error { old.reader?.resume(returning: .failure(error)) }
            old.upload?.cancel()
            if error != nil || old.isRefused { old.request?.cancel() }
            old.lostUpload?.fail(CancellationError())
        }

        // MARK: Silence

        private func noteSign() {
            state.withLock { $0.lastSign = .now() }
        }

        private func beginOwnWork() {
            state.withLock { state in
                state.ownWork += 1
                state.lastSign = .now()
            }
        }

        private func endOwnWork() {
            state.withLock { state in
                state.ownWork -= 1
                state.lastSign = .now()
            }
        }

        private func watchSilence(in time: TimeAmount) {
            eventLoop.scheduleTask(in: time) { [weak self] in self?.checkSilence() }
        }

        private func checkSilence() {
            let rest: TimeAmount? = state.withLock { state in
                guard !state.isDone else { return nil }
                return state.ownWork > 0 ? silenceLimit : state.lastSign + silenceLimit - .now()
            }
            guard let rest else { return }
            if rest > .zero { return watchSilence(in: rest) }
            end(with: peer.error(.timedOut, detail: "nothing arrived for \(silenceLimit.seconds) seconds"))
        }
    }

    extension TimeAmount {
        /// The time in seconds with at most one digit after the point, such as `30` or `0.5`.
        fileprivate var seconds: String {
            let tenths = nanoseconds / 100_000_000
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        }
    }

    /// The chunks of a response. Dropping the iterator closes the connection; so does dropping the stream before a
    /// read.
    struct ResponseChunks: AsyncSequence, Sendable {
        private let lease: Lease

        init(_ exchange: Exchange) { lease = Lease(exchange: exchange) }

        func makeAsyncIterator() -> Iterator { Iterator(reader: lease.reader()) }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate let reader: Reader

            mutating func next() async throws -> [UInt8]? { try await reader.exchange?.nextChunk() }
        }

        /// Lives as long as someone may read.
        private final class Lease: Sendable {
            private let unread: Mutex<Reader?>

            init(exchange: Exchange) { unread = Mutex(Reader(exchange: exchange)) }

            /// Returns the reader to the first caller; others get the end of the body.
            func reader() -> Reader {
                unread.withLock { unread in
                    guard let reader = unread.take() else { return Reader(exchange: nil) }
                    return reader
                }
            }
        }

        fileprivate final class Reader: Sendable {
            let exchange: Exchange?

            init(exchange: Exchange?) { self.exchange = exchange }

            deinit { exchange?.cancel() }
        }
    }
#endif
