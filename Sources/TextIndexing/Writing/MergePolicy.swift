/// Decides which segments to merge next.
///
/// The level of a segment follows from its number of live documents; each level is eight times as large as the one
/// below. Eight adjacent segments of a level, or of lower ones, are merged into one. A segment with more than a quarter
/// of deleted documents is rewritten. So each document is written once per level, and each level has at most seven
/// segments.
struct MergePolicy: Sendable {
    var levelFactor = 8
    /// The minimum number of documents of a segment of the second level.
    var baseDocumentCount = 16384

    func level(_ documentCount: Int) -> Int {
        var level = 0
        var limit = baseDocumentCount
        while documentCount >= limit {
            level += 1
            limit *= levelFactor
        }
        return level
    }

    /// Returns the positions of the segments to merge; `nil` if there is nothing to do.
    func next(_ segments: [TextSegment], liveCount: (TextSegment) -> Int) -> Range<Int>? {
        let counts = segments.map(liveCount)
        let levels = counts.map(level)
        for level in Set(levels).sorted() {
            var start = 0
            while start < levels.count {
                guard levels[start] <= level else {
                    start += 1
                    continue
                }
                var end = start
                while end < levels.count, levels[end] <= level { end += 1 }
                if end - start >= levelFactor { return start..<end }
                start = end
            }
        }
        for (position, segment) in segments.enumerated() where Int(segment.documentCount) > counts[position] {
            // An empty segment also costs a lookup in each query.
            if counts[position] * 4 < Int(segment.documentCount) * 3 { return position..<position + 1 }
        }
        return nil
    }
}
