internal import LevelKit
internal import Synchronization

/// Notifies streams of new commits.
final class ChangeSignal: Sendable {
    private struct Waiters {
        var streams: [UInt64: AsyncStream<UInt64>.Continuation] = [:]
        var next: UInt64 = 0
        var isFinished = false
    }

    private let waiters = Mutex(Waiters())

    /// Returns a stream of the sequence numbers of future commits. A slow consumer gets only the newest number that it
    /// missed.
    func stream() -> AsyncStream<UInt64> {
        let (stream, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        let id = waiters.withLock { waiters -> UInt64? in
            if waiters.isFinished { return nil }
            waiters.next += 1
            waiters.streams[waiters.next] = continuation
            return waiters.next
        }
        if let id {
            continuation.onTermination = { [self] _ in waiters.withLock { _ = $0.streams.removeValue(forKey: id) } }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Notifies all streams of a commit.
    func commit(_ sequence: UInt64) {
        for stream in waiters.withLock({ Array($0.streams.values) }) { stream.yield(sequence) }
    }

    /// Ends all streams, because the store is closed.
    func finish() {
        let streams = waiters.withLock { waiters in
            waiters.isFinished = true
            return Array(waiters.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}

/// Reads again after each commit, for a sequence that follows a store.
struct CommitSignals {
    private var signals: AsyncStream<UInt64>.AsyncIterator

    /// Starts listening for commits.
    init(_ signal: ChangeSignal) { signals = signal.stream().makeAsyncIterator() }

    /// Returns the next result of `read`, which runs on the caller's actor, now and after each commit until it returns
    /// one; `nil` when the store is closed or the task is canceled.
    mutating func next<State, Value>(
        of state: inout State, isolation actor: isolated (any Actor)?, _ read: (inout State) async throws -> Value?
    ) async throws -> Value? {
        while !Task.isCancelled {
            do {
                if let value = try await read(&state) { return value }
            } catch let error as LevelError where error.code == .closed {
                return nil
            } catch is CancellationError {
                return nil
            }
            guard await signals.next(isolation: actor) != nil else { return nil }
        }
        return nil
    }
}
