import DocIndex
import DocSync
import Synchronization

/// The messages about a replication while it runs, and its last status.
final class SyncReport: Sendable {
    private struct State {
        var status = SyncStatus()
        var isRetrying = false
        var hasWaited = false
        var hasToldSetBack = false
        /// When free memory may be released again.
        var nextRelease = ContinuousClock.now
    }

    let start = ContinuousClock.now
    private let options: SyncNotes
    private let isContinuous: Bool
    private let reporter: ProgressReporter
    private let state = Mutex(State())

    init(_ options: GlobalOptions, isContinuous: Bool, reporter: ProgressReporter) {
        self.options = SyncNotes(isQuiet: options.quiet, isVerbose: options.verbose)
        self.isContinuous = isContinuous
        self.reporter = reporter
    }

    var status: SyncStatus { state.withLock { $0.status } }

    /// Sets the final status.
    func end(with status: SyncStatus) { state.withLock { $0.status = status } }

    /// Removes the progress from the screen.
    func finish() { reporter.finish() }

    func tellCreated() { options.note("sync: created the database at the peer") }

    /// Shows a status: the progress, and outages once each.
    func note(_ status: SyncStatus) {
        let (isNewOutage, isBack, isFirstWait, isSetBack) = state.withLock { state in
            state.status = status
            let isRetrying =
                status.phase == .retrying || status.phase == .connecting && state.isRetrying
            defer { state.isRetrying = isRetrying }
            let isFirstWait = isContinuous && status.phase == .waiting && !state.hasWaited
            if isFirstWait { state.hasWaited = true }
            let isSetBack = isContinuous && status.peerWasSetBack && !state.hasToldSetBack
            if isSetBack { state.hasToldSetBack = true }
            return (isRetrying && !state.isRetrying, !isRetrying && state.isRetrying, isFirstWait, isSetBack)
        }
        reporter.advance(done: status.pull.checkedCount + status.push.checkedCount)
        if let retry = status.retry, status.phase == .retrying {
            let text = "sync: \(CommandError(retry.error).message)"
            if isNewOutage {
                options.note("\(text); trying again")
            } else {
                options.detail("\(text); next attempt in \(retry.delay.formatted)")
            }
        }
        if isBack { options.note("sync: connected again") }
        if isSetBack { options.note("sync: \(SyncCommand.peerWasSetBack)") }
        if isFirstWait { options.note("sync: both sides are equal; waiting for changes until ^C") }
        if isContinuous, status.phase == .waiting { releaseMemory() }
    }

    /// Releases free memory, at most once a minute.
    private func releaseMemory() {
        let isDue = state.withLock { state in
            guard .now >= state.nextRelease else { return false }
            state.nextRelease = .now + .seconds(60)
            return true
        }
        if isDue { FreeMemory.release() }
    }

    /// A summary, such as `pulled 12, pushed 3, 1 conflict`.
    func summary(pull: Bool, push: Bool) -> String {
        let status = status
        var parts: [String] = []
        if pull { parts.append("pulled \(HumanNumber.grouped(status.pull.writtenCount))") }
        if push { parts.append("pushed \(HumanNumber.grouped(status.push.writtenCount))") }
        let bytes = status.pull.attachmentByteCount + status.push.attachmentByteCount
        if bytes > 0 { parts.append("\(HumanNumber.byteCount(Int(clamping: bytes))) of attached files") }
        if status.resolvedCount > 0 { parts.append("\(HumanNumber.counted(status.resolvedCount, "conflict")) merged") }
        if !status.conflicts.isEmpty { parts.append(HumanNumber.counted(status.conflicts.count, "conflict")) }
        if !status.leftOut.isEmpty { parts.append("\(HumanNumber.grouped(status.leftOut.count)) left out") }
        return parts.joined(separator: ", ")
    }
}

/// Notes on standard error that any thread may write.
private struct SyncNotes: Sendable {
    let isQuiet: Bool
    let isVerbose: Bool

    func note(_ text: String) {
        if !isQuiet { StandardError.shared.write(VisibleText.singleLine(text) + "\n") }
    }

    func detail(_ text: String) {
        if isVerbose { note(text) }
    }
}

extension Duration {
    /// Seconds with one decimal, such as `2.5 s`.
    fileprivate var formatted: String {
        let tenths = self / .milliseconds(100)
        return "\(tenths.rounded() / 10) s"
    }
}
