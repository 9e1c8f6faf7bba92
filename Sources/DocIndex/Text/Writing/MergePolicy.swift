/// Which segments are merged next.
///
/// Segments have levels by the documents that are alive in them, each eight times the one below. Eight neighbours of a
/// level, or of lower ones, become one; and a segment is written anew when more than a quarter of it is dead. So a
/// document is written once in each level, and there are at most seven segments of each.
struct MergePolicy: Sendable {
    var levelFactor = 8
    /// Documents of a segment of the second level.
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

    /// The positions of the segments to merge; `nil` if all is well.
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
            // A segment with nothing left in it costs a look at each query.
            if counts[position] * 4 < Int(segment.documentCount) * 3 { return position..<position + 1 }
        }
        return nil
    }
}
