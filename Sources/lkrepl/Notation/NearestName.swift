import DocIndex

/// Suggestions for misspelled names.
enum NearestName {
    /// The name closest to a misspelled one; `nil` if none is close.
    static func find(near word: String, of names: [String]) -> String? {
        guard !word.isEmpty else { return nil }
        let nearest = names.map { (name: $0, distance: NameDistance.between(word, $0)) }.min {
            $0.distance < $1.distance
        }
        // Two changes to a word of three letters make another word.
        return nearest.flatMap { $0.distance <= min(2, $0.name.count / 2) ? $0.name : nil }
    }
}
