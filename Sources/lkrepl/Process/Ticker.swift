import Dispatch
import Synchronization

/// Calls a function ten times per second, on a separate thread, until it is stopped.
final class Ticker: Sendable {
    private static let queue = DispatchQueue(label: "lkrepl.ticker")

    private let start = ContinuousClock.now
    /// Receives the time since the start; `nil` after the end.
    private let tick: Mutex<(@Sendable (_ elapsed: Duration) -> Void)?>

    init(_ tick: @escaping @Sendable (_ elapsed: Duration) -> Void) {
        self.tick = Mutex(tick)
        schedule()
    }

    private func schedule() {
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            let isActive = tick.withLock { tick in
                tick?(.now - start)
                return tick != nil
            }
            if isActive { schedule() }
        }
    }

    /// Stops the ticker. The function is not called after this returns.
    func stop() { tick.withLock { $0 = nil } }
}
