/// The best documents so far: by score, then by row.
struct TopHits {
    struct Hit: Hashable {
        let score: Int64
        let row: UInt64

        /// Whether it comes before another.
        func precedes(_ other: Hit) -> Bool { score != other.score ? score > other.score : row < other.row }
    }

    private let limit: Int
    /// Up to the limit, a heap with the last of them at the top; without a limit, a list.
    private var hits: [Hit] = []

    init(limit: Int?) { self.limit = limit ?? .max }

    /// A document in a range of slots with this score, or less, cannot be among the best.
    ///
    /// - Parameter smallestRow: the smallest row in the range.
    func threshold(smallestRow: UInt64) -> Int64 {
        guard hits.count == limit, limit > 0 else { return limit == 0 ? .max : -1 }
        return smallestRow > hits[0].row ? hits[0].score : hits[0].score - 1
    }

    /// Whether a document would be among the best.
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

    /// The best first.
    var sorted: [Hit] { hits.sorted { $0.precedes($1) } }
}
