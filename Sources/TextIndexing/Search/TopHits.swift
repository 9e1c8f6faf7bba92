/// The best documents so far, ordered by score, then by row.
package struct TopHits {
    package struct Hit: Hashable {
        package let score: Int64
        package let row: UInt64

        package init(score: Int64, row: UInt64) {
            self.score = score
            self.row = row
        }

        /// Returns whether this hit ranks before another.
        package func precedes(_ other: Hit) -> Bool { score != other.score ? score > other.score : row < other.row }
    }

    private let limit: Int
    /// With a limit, a heap with the worst hit at the top; without one, a list.
    private var hits: [Hit] = []

    init(limit: Int?) { self.limit = limit ?? .max }

    /// Returns the score that a document in a range of slots must exceed to be among the best; -1 if every score is
    /// sufficient, and the maximum integer if the limit is zero.
    ///
    /// - Parameter smallestRow: the smallest row in the range. It decides ties: a document with the same score as the
    ///   worst hit ranks before it only if its row is smaller.
    func threshold(smallestRow: UInt64) -> Int64 {
        guard hits.count == limit, limit > 0 else { return limit == 0 ? .max : -1 }
        return smallestRow > hits[0].row ? hits[0].score : hits[0].score - 1
    }

    /// Returns whether a document would be among the best.
    func accepts(_ hit: Hit) -> Bool { hits.count < limit || (limit > 0 && hit.precedes(hits[0])) }

    mutating func add(_ hit: Hit) {
        if hits.count < limit {
            hits.append(hit)
            if limit < .max { rise(from: hits.count - 1) }
        } else if limit > 0, hit.precedes(hits[0]) {
            hits[0] = hit
            sink(from: 0)
        }
    }

    private mutating func rise(from index: Int) {
        var heap = hits.mutableSpan
        let hit = heap[index]
        var hole = index
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard heap[parent].precedes(hit) else { break }
            heap[hole] = heap[parent]
            hole = parent
        }
        heap[hole] = hit
    }

    private mutating func sink(from index: Int) {
        var heap = hits.mutableSpan
        let hit = heap[index]
        var hole = index
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child].precedes(heap[child + 1]) { child += 1 }
            guard hit.precedes(heap[child]) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = hit
    }

    /// The hits, best first.
    var sorted: [Hit] { hits.sorted { $0.precedes($1) } }
}
