/// Tells which values can be among those with the largest counts, so that others need not be decoded.
struct LargestCounts {
    private let limit: Int?
    /// The largest counts so far, in ascending order.
    private var largest: [Int] = []

    /// - Parameter limit: the number of values; `nil` for all.
    init(limit: Int?) {
        // Above that, keeping the counts in order takes longer than it saves.
        self.limit = limit.flatMap { (1...1000).contains($0) ? $0 : nil }
    }

    /// The least count with which a value can be among them.
    var least: Int { largest.count == limit ? largest[0] : 1 }

    /// Takes note of the count of a value.
    mutating func add(_ count: Int) {
        guard let limit, largest.count < limit || count > largest[0] else { return }
        if largest.count == limit { largest.removeFirst() }
        largest.insert(count, at: largest.firstIndex { $0 >= count } ?? largest.count)
    }
}
