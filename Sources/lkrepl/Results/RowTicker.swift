import Dispatch
import Synchronization

/// Keeps users informed while results are slow.
///
/// Ten times per second, on a separate thread: writes rows that have been in the buffer for a while; at a terminal,
/// draws the available part of a table after a second; and if nothing else shows progress, shows the number of rows and
/// the time on a line below.
final class RowTicker: Sendable {
    /// The observed state of a result.
    struct Result: Sendable {
        var output: StandardOutput
        /// The table of the rows; `nil` in other modes.
        var table: TableWriter?
        /// Returns the current number of rows.
        var rowCount: @Sendable () -> Int
        /// Whether a status line may appear below the rows: there are none yet, or they go elsewhere.
        var writesAtEnd = false
        /// The reporter for the number of rows; `nil` for none.
        var progress: ProgressReporter?
        /// Whether the command shows its own progress, or the user is typing.
        var isTold: @Sendable () -> Bool = { false }
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)
    private static let queue = DispatchQueue(label: "lkrepl.row-ticker")

    /// How long to wait for a complete table at a terminal; `nil` to wait for the end.
    ///
    /// `LKREPL_PATIENCE` contains the seconds, or `off`.
    static var patience: Duration? {
        guard let text = Terminal.environment("LKREPL_PATIENCE") else { return .seconds(1) }
        return Double(text).flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    private let start = ContinuousClock.now
    private let patience = patience
    /// The observed result; `nil` after the end.
    private let result: Mutex<Result?>

    /// Starts the ticker.
    init(_ result: Result) {
        self.result = Mutex(result)
        schedule()
    }

    private func schedule() {
        Self.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, look() else { return }
            schedule()
        }
    }

    /// Stops the ticker. It writes nothing after this returns.
    func stop() {
        result.withLock { result in
            result?.progress?.finish()
            result = nil
        }
    }

    /// - Returns: Whether the ticker is still active.
    private func look() -> Bool {
        let isLate = patience.map { ContinuousClock.now - start >= $0 } ?? false
        return result.withLock { result in
            guard let result else { return false }
            Self.look(at: result, isLate: isLate)
            return true
        }
    }

    private static func look(at result: Result, isLate: Bool) {
        // Errors are ignored: they recur and are reported when the command writes.
        var mayStandBelow = result.writesAtEnd || result.rowCount() == 0
        if result.output.isTerminal, isLate {
            if let table = result.table { mayStandBelow = (try? table.drawWhatIsThere()) ?? false || mayStandBelow }
            try? result.output.showEarly()
        } else {
            if result.table != nil { mayStandBelow = true }
            if result.output.isWatched { try? result.output.flushLeftover() }
        }
        guard mayStandBelow, !result.isTold() else { return }
        result.progress?.advance(done: result.rowCount())
    }
}
