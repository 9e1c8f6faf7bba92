internal import Synchronization

/// The plans of the last queries on a collection, for as long as no document changes. Queries with a search have none,
/// because no two searches are identical; see ``Filter/isIdentical(to:)``.
///
/// Programs ask the same question again, for its next page or when a view is drawn, and choosing a plan takes as long as
/// reading twenty documents that are in memory, because the planner counts entries.
final class PlanCache: Sendable {
    /// The number of plans.
    private static let capacity = 64
    /// Plans with more key ranges or larger constants are not kept, which limits the memory.
    private static let rangeLimit = 256
    private static let constantByteLimit = 8192

    /// What a plan was chosen for.
    struct Key {
        let query: Query
        let purpose: Planner.Purpose

        func isIdentical(to other: Key) -> Bool {
            query.filter.isIdentical(to: other.query.filter) && query.limit == other.query.limit
                && query.offset == other.query.offset && query.sort == other.query.sort && purpose == other.purpose
        }

        /// Whether the plan may be kept.
        fileprivate var isKept: Bool {
            for case .place in query.sort.lazy.map(\.key) { return false }
            return query.filter.constantByteCount <= PlanCache.constantByteLimit
        }

        /// Equal for identical keys.
        fileprivate var hash: Int {
            var hasher = Hasher()
            query.filter.hashIdentity(into: &hasher)
            hasher.combine(query.limit)
            hasher.combine(query.offset)
            hasher.combine(query.sort)
            switch purpose {
            case .documents: hasher.combine(1)
            case .fields(let paths): hasher.combine(paths)
            case .count: hasher.combine(2)
            }
            return hasher.finalize()
        }
    }

    private final class Entry: Sendable {
        let key: Key
        let plan: Plan

        init(_ key: Key, _ plan: Plan) {
            self.key = key
            self.plan = plan
        }
    }

    private struct Content {
        /// The number of commits that the snapshots of the plans contain at least.
        var commitCount: UInt64 = 0
        var hashes: [Int] = []
        /// The plans, each at the place of its hash.
        var entries: [Entry] = []
        /// The plan that is replaced next.
        var next = 0
    }

    private let content = Mutex(Content())

    /// Returns the plan of a query; `nil` if it is not in memory.
    ///
    /// - Parameter commitCount: the number of commits that the snapshot contains at least.
    func plan(for key: Key, commitCount: UInt64) -> Plan? {
        guard key.isKept else { return nil }
        let hash = key.hash
        let entry = content.withLock { content in
            content.commitCount == commitCount
                ? content.hashes.firstIndex(of: hash).map { content.entries[$0] } : nil
        }
        guard let entry, entry.key.isIdentical(to: key) else { return nil }
        return entry.plan
    }

    /// Keeps the plan of a query.
    func keep(_ plan: Plan, for key: Key, commitCount: UInt64) {
        guard key.isKept, key.isIdentical(to: key),
            plan.keyRanges.count + (plan.fallback?.access.keyRanges.count ?? 0) <= Self.rangeLimit
        else { return }
        let (hash, entry) = (key.hash, Entry(key, plan))
        content.withLock { content in
            if commitCount < content.commitCount { return }
            if commitCount > content.commitCount { content = Content(commitCount: commitCount) }
            if let position = content.hashes.firstIndex(of: hash) {
                content.entries[position] = entry
            } else if content.entries.count < Self.capacity {
                content.hashes.append(hash)
                content.entries.append(entry)
            } else {
                content.hashes[content.next] = hash
                content.entries[content.next] = entry
                content.next = (content.next + 1) % Self.capacity
            }
        }
    }
}

extension RowReader {
    private var plans: PlanCache { collection.companion { PlanCache() } }

    /// Returns the plan of a query that was asked before in this state; `nil` if it is not in memory.
    func knownPlan(for key: PlanCache.Key) -> Plan? {
        documents.flatMap { plans.plan(for: key, commitCount: $0.commitCount) }
    }

    /// Keeps the plan of a query while the state is the newest one.
    func keepPlan(_ plan: Plan, for key: PlanCache.Key) {
        if let documents { plans.keep(plan, for: key, commitCount: documents.commitCount) }
    }
}
