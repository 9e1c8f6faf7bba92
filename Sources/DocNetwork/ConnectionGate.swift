#if Network
    internal import Synchronization

    /// Lets a limited number of requests use connections at the same time; the others wait in order of arrival.
    final class ConnectionGate: Sendable {
        /// The right to use a connection. Dropping it lets the next request in.
        final class Permit: Sendable {
            private let gate: ConnectionGate

            fileprivate init(_ gate: ConnectionGate) { self.gate = gate }

            deinit { gate.leave() }
        }

        private struct State {
            var free: Int
            var lastNumber = 0
            var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
            var cancelled: Set<Int> = []
        }

        private let state: Mutex<State>

        init(limit: Int) { state = Mutex(State(free: max(limit, 1))) }

        /// Waits for a permit; returns `nil` if the task is canceled first.
        func enter() async -> Permit? {
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            let isIn = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let result: Bool? = state.withLock { state in
                        if state.cancelled.remove(number) != nil { return false }
                        if state.free > 0 {
                            state.free -= 1
                            return true
                        }
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    if let result { continuation.resume(returning: result) }
                }
            } onCancel: {
                let continuation: CheckedContinuation<Bool, Never>? = state.withLock { state in
                    if let place = state.waiting.firstIndex(where: { $0.number == number }) {
                        return state.waiting.remove(at: place).continuation
                    }
                    state.cancelled.insert(number)
                    return nil
                }
                continuation?.resume(returning: false)
            }
            state.withLock { _ = $0.cancelled.remove(number) }
            return isIn ? Permit(self) : nil
        }

        private func leave() {
            let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
                if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
                state.free += 1
                return nil
            }
            next?.resume(returning: true)
        }
    }
#endif
