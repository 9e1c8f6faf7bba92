#if Server
    internal import DocSync
    internal import NIOCore
    internal import Synchronization

    /// Hands the chunks of a body from an event loop to the one task that reads them.
    ///
    /// Each chunk comes with a function to call when the reader has taken it, or when there is room for more. The sender
    /// reads nothing more from the socket before that, so that a slow reader slows down the peer.
    final class ChunkQueue: Sendable {
        private struct Chunk {
            let bytes: ByteBuffer
            /// `nil` if it was called already.
            let whenTaken: (@Sendable () -> Void)?
        }

        private struct State {
            var chunks: [Chunk] = []
            /// The size of the chunks in bytes.
            var byteCount = 0
            var end: Result<Void, TransportError>?
            var reader: CheckedContinuation<Result<[UInt8]?, TransportError>, Never>?
        }

        /// The number of bytes that can wait for the reader while more is read from the socket.
        private let room: Int
        private let state = Mutex(State())

        init(room: Int = 0) { self.room = room }

        /// Adds a chunk. After the end, it is dropped and counts as taken.
        func offer(_ bytes: ByteBuffer, whenTaken: @escaping @Sendable () -> Void) {
            let resumed: (@Sendable () -> Void)? = state.withLock { state in
                guard state.end == nil else { return whenTaken }
                guard let reader = state.reader else {
                    state.byteCount += bytes.readableBytes
                    let hasRoom = state.byteCount < room
                    state.chunks.append(Chunk(bytes: bytes, whenTaken: hasRoom ? nil : whenTaken))
                    return hasRoom ? whenTaken : nil
                }
                state.reader = nil
                return {
                    reader.resume(returning: .success(Array(bytes.readableBytesView)))
                    whenTaken()
                }
            }
            resumed?()
        }

        /// Ends the body after the chunks so far. A second end has no effect.
        func finish(_ end: Result<Void, TransportError> = .success(())) {
            state.withLock { state in
                guard state.end == nil else { return }
                state.end = end
                state.reader.take()?.resume(returning: Self.result(of: end))
            }
        }

        /// Drops the chunks that nobody has taken, and ends the body with an error.
        func abandon(_ error: TransportError) {
            let dropped = state.withLock { state in
                if state.end == nil || !state.chunks.isEmpty { state.end = .failure(error) }
                state.reader.take()?.resume(returning: .failure(error))
                defer {
                    state.chunks = []
                    state.byteCount = 0
                }
                return state.chunks
            }
            for chunk in dropped { chunk.whenTaken?() }
        }

        private static func result(of end: Result<Void, TransportError>) -> Result<[UInt8]?, TransportError> {
            switch end {
            case .success: .success(nil)
            case .failure(let error): .failure(error)
            }
        }

        /// Returns the bytes that have arrived since the last call, at least one; `nil` after the last ones. Waits for
        /// them, and does not notice that the task is canceled.
        func next() async throws(TransportError) -> [UInt8]? {
            let result = await withCheckedContinuation { continuation in
                let taken: [Chunk] = state.withLock { state in
                    defer {
                        state.chunks = []
                        state.byteCount = 0
                    }
                    guard state.chunks.isEmpty else { return state.chunks }
                    if let end = state.end {
                        continuation.resume(returning: Self.result(of: end))
                    } else {
                        // A body has one reader. The continuation of another one must not be lost.
                        state.reader?.resume(returning: .success(nil))
                        state.reader = continuation
                    }
                    return []
                }
                guard !taken.isEmpty else { return }
                continuation.resume(returning: .success(taken.flatMap(\.bytes.readableBytesView)))
                for chunk in taken { chunk.whenTaken?() }
            }
            return try result.get()
        }
    }
#endif
