import Dispatch
import Synchronization

/// Sees to it that somebody who waits for slow results is not left in the dark.
///
/// Ten times a second, on a thread of its own: what has lain in the buffer is written; at a terminal a table that is not
/// complete after a second is drawn as far as it is there; and where nothing tells of progress otherwise, a line below
/// counts the rows and the time.
final class RowTicker: Sendable {
    /// What a ticker looks at.
    struct Result: Sendable {
        var output: StandardOutput
        /// The table that the rows are drawn in; `nil` for other forms.
        var table: TableWriter?
        /// How many rows there are so far.
        var rowCount: @Sendable () -> Int
        /// Whether a line may stand below the rows that are written: there are none, or they go elsewhere.
        var writesAtEnd = false
        /// Tells of them; `nil` where nobody wants to know.
        var progress: ProgressReporter?
        /// Whether the command tells of its progress itself, or the user is typing.
        var isTold: @Sendable () -> Bool = { false }
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)
    private static let queue = DispatchQueue(label: "lkrepl.row-ticker")

    /// How long a terminal waits for a whole table; `nil` where it waits for the end.
    ///
    /// `LKREPL_PATIENCE` has seconds, or `off`.
    static var patience: Duration? {
        guard let text = Terminal.environment("LKREPL_PATIENCE") else { return .seconds(1) }
        return Double(text).flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    private let start = ContinuousClock.now
    private let patience = patience
    /// What is looked at; `nil` at the end.
    private let result: Mutex<Result?>

    /// Begins to look.
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

    /// Ends it; when this returns, nothing is written by it any more.
    func stop() {
        result.withLock { result in
            result?.progress?.finish()
            result = nil
        }
    }

    /// - Returns: whether there is anything to look at.
    private func look() -> Bool {
        let isLate = patience.map { ContinuousClock.now - start >= $0 } ?? false
        return result.withLock { result in
            guard let result else { return false }
            Self.look(at: result, isLate: isLate)
            return true
        }
    }

    private static func look(at result: Result, isLate: Bool) {
        // What fails here fails again where the command writes, which tells of it.
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
