internal import Synchronization

/// The progress of a replication.
public struct SyncStatus: Sendable {
    /// The activity of a replication.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// It reads what both sides know of each other.
        case connecting
        /// It transfers documents.
        case transferring
        /// Both sides are equal. It waits for changes.
        case waiting
        /// It waits before it tries again; see ``SyncStatus/retry``.
        case retrying
        /// It has ended.
        case finished
    }

    /// The documents of one direction.
    public struct Direction: Sendable, Hashable {
        /// The number of documents whose revisions were compared.
        public package(set) var checkedCount = 0
        /// The number of versions that were sent to the target and not refused.
        public package(set) var writtenCount = 0
        /// The size of these versions in bytes, as JSON.
        public package(set) var byteCount = 0
        /// The size of the contents of attachments that were transferred, in bytes.
        public package(set) var attachmentByteCount: Int64 = 0
    }

    /// A failure that is followed by another attempt.
    public struct Retry: Sendable {
        /// The failure.
        public let error: any Error
        /// The time until the next attempt.
        public let delay: Duration
    }

    /// The present activity.
    public package(set) var phase = Phase.connecting
    /// Whether the peer is polled for changes, because a proxy between the two holds back the heartbeats of its feed.
    public package(set) var isPolling = false
    var hasUnsavedLeftOut = false
    /// When documents were left out, by ID, counted in calls.
    var leftOutTimes: [String: Int] = [:]
    var leftOutTime = 0
    /// The IDs of the documents that a pull left out. A push does not change that, and the other way round.
    var leftOutOfPull: Set<String> = []
    /// The directions that wait for changes.
    var idle: Set<SyncLink.Direction> = []
    /// From the peer to the store.
    public package(set) var pull = Direction()
    /// From the store to the peer.
    public package(set) var push = Direction()
    /// The number of requests to the peer.
    public package(set) var requestCount = 0
    /// The documents that this run and earlier ones left out, by ID; at most ``leftOutLimit``. A document is tried again
    /// when it changes.
    public package(set) var leftOut: [String: DocumentError] = [:]
    /// The IDs of documents that got a conflict in this replication.
    public package(set) var conflicts: Set<String> = []
    /// The number of conflicts that the resolver resolved.
    public package(set) var resolvedCount = 0
    /// The failure that caused the current wait; `nil` if there is none.
    public package(set) var retry: Retry?
    /// Whether the peer was restored from a backup or created again. It then gets what it lost.
    public package(set) var peerWasSetBack = false
    /// Whether this store is a copy or was restored from a backup. Everything is then compared again.
    public package(set) var wasSetBack = false

    /// The largest number of documents in ``leftOut``.
    public static let leftOutLimit = 10_000

    /// Creates the status of a replication that has not begun.
    package init() {}
}

/// The status that the parts of a replication share.
final class StatusBoard: Sendable {
    private let status = Mutex(SyncStatus())
    private let restored = Mutex<Set<String>>([])
    private let report: @Sendable (SyncStatus) -> Void

    init(_ report: @escaping @Sendable (SyncStatus) -> Void) { self.report = report }

    var current: SyncStatus { status.withLock { $0 } }

    /// Changes the status and reports it.
    func update(_ change: (inout SyncStatus) -> Void) {
        report(
            status.withLock {
                change(&$0)
                return $0
            })
    }

    /// Changes the status without a report.
    func note(_ change: (inout SyncStatus) -> Void) { status.withLock { change(&$0) } }

    /// Adds a document to the list of documents left out.
    func leaveOut(_ direction: SyncLink.Direction, _ problem: DocumentError) {
        note { status in
            // What the pull could not bring is tried again, so it must not be forgotten.
            if direction == .push, status.leftOutOfPull.contains(problem.id) { return }
            if status.leftOut.count < SyncStatus.leftOutLimit || status.leftOut[problem.id] != nil {
                status.leftOut[problem.id] = problem
                status.leftOutTime += 1
                status.leftOutTimes[problem.id] = status.leftOutTime
                if direction == .pull { status.leftOutOfPull.insert(problem.id) }
                status.hasUnsavedLeftOut = true
            }
        }
    }

    /// The time of the last call of ``leaveOut(_:)``.
    var leftOutTime: Int { status.withLock { $0.leftOutTime } }

    /// Notes documents that were transferred, and thus are not left out any more.
    ///
    /// - Parameter time: the value of ``leftOutTime`` when the transfer began. A document that was left out later stays so,
    ///   because another version of it was not transferred.
    func takeIn(_ direction: SyncLink.Direction, _ ids: some Sequence<String>, since time: Int) {
        note { status in
            if status.leftOut.isEmpty { return }
            for id in ids
            where status.leftOutTimes[id] ?? 0 <= time && status.leftOutOfPull.contains(id) == (direction == .pull) {
                status.leftOutOfPull.remove(id)
                if status.leftOut.removeValue(forKey: id) != nil { status.hasUnsavedLeftOut = true }
            }
        }
    }

    /// Adds what earlier replications of a pair left out. If this one begins again, the list is already here, and newer.
    func restore(_ problems: [(problem: DocumentError, direction: SyncLink.Direction)], of pair: String) {
        guard restored.withLock({ $0.insert(pair).inserted }) else { return }
        note { status in
            for (problem, direction) in problems where status.leftOut[problem.id] == nil {
                status.leftOut[problem.id] = problem
                if direction == .pull { status.leftOutOfPull.insert(problem.id) }
            }
        }
    }

    /// The documents that a pull left out.
    var leftOutOfPull: [DocumentError] {
        status.withLock { status in status.leftOutOfPull.compactMap { status.leftOut[$0] } }
    }

    /// Returns the documents that are left out if they are others than before; `nil` if not.
    func unsavedLeftOut() -> [(problem: DocumentError, direction: SyncLink.Direction)]? {
        status.withLock { status in
            guard status.hasUnsavedLeftOut else { return nil }
            status.hasUnsavedLeftOut = false
            return status.leftOut.values.map { ($0, status.leftOutOfPull.contains($0.id) ? .pull : .push) }
        }
    }
}
