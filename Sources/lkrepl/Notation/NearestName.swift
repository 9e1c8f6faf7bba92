/// Suggestions for misspelled names.
enum NearestName {
    /// The name closest to a misspelled one; `nil` if none is close.
    static func find(near word: String, of names: [String]) -> String? {
        guard !word.isEmpty else { return nil }
        let near = names.min { word.editDistance(to: $0) < word.editDistance(to: $1) }
        return near.flatMap { word.editDistance(to: $0) <= min(2, $0.count - 1) ? $0 : nil }
    }
}

extension String {
    /// Levenshtein distance (1966) to another string, over the first 40 characters of both.
    fileprivate func editDistance(to other: String) -> Int {
        let a = Array(self.prefix(40))
        let b = Array(other.prefix(40))
        var row = Array(0...b.count)
        for i in 1...max(1, a.count) where i <= a.count {
            var previous = row[0]
            row[0] = i
            for j in 1...max(1, b.count) where j <= b.count {
                let above = row[j]
                row[j] = Swift.min(row[j] + 1, row[j - 1] + 1, previous + (a[i - 1] == b[j - 1] ? 0 : 1))
                previous = above
            }
        }
        return row[b.count]
    }
}
