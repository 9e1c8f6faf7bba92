/// The minimum number of characters to insert, delete, replace or swap with a neighbor to turn one string into another
/// (F. Damerau 1964, restricted to editing no substring twice).
package enum NameDistance {
    /// - Complexity: O(*nm*) in the lengths. Only the first 64 characters count.
    package static func between(_ first: String, _ second: String) -> Int {
        let a = Array(first.prefix(64))
        let b = Array(second.prefix(64))
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
