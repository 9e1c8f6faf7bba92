/// What documents must have all of, and what they must not have, taken apart so that the cheapest is asked first.
///
/// A document that cannot be among the best by its score is not looked at any further: not for its other terms, and above
/// all not for whether its words stand side by side, which is the dearest question there is.
@safe struct Conjunction {
    /// What a document must match, and how often its score counts.
    var parts: [(matcher: Matcher, factor: Int64)] = []
    /// Phrases whose terms are all among the parts.
    var phrases: [PhraseMatcher] = []
    var unwanted: [Matcher] = []
    /// The parts and phrases again, for what is asked of each candidate: to count references would take a third of the time.
    private var matchers: [Unmanaged<Matcher>] = unsafe []
    private var phraseMatchers: [Unmanaged<PhraseMatcher>] = unsafe []

    init(_ matcher: Matcher) {
        matcher.add(to: &self)
        // The rarest leads.
        parts.sort { $0.matcher.cost < $1.matcher.cost }
        rest = [Int64](repeating: 0, count: parts.count + 1)
        unsafe matchers = unsafe parts.map { unsafe .passUnretained($0.matcher) }
        unsafe phraseMatchers = unsafe phrases.map { unsafe .passUnretained($0) }
        scoresAreExact = parts.allSatisfy(\.matcher.scoresAreExact)
    }

    /// What the parts from each on score at most, all together, in the range that was looked at last; behind the last part
    /// nothing.
    private(set) var rest: [Int64] = []
    private var scoresAreExact = true

    /// Looks at a range of slots in which the first part scores no more than `lead`.
    ///
    /// - Returns: whether a document in it can score more than `threshold`.
    mutating func canExceed(_ threshold: Int64, lead: Int64, _ lower: UInt32, _ upper: UInt32) throws -> Bool {
        // Below zero: no document at all.
        if lead < 0 { return false }
        var index = parts.count - 1
        while index > 0 {
            let bound = try unsafe matchers[index]._withUnsafeGuaranteedRef { try $0.bound(lower, upper) }
            if bound < 0 { return false }
            rest[index] = rest[index + 1] + bound * parts[index].factor
            index -= 1
        }
        return lead * parts[0].factor + rest[1] > threshold
    }

    /// The score of the document at which the first part stands, if it is above `threshold` and everything else agrees.
    ///
    /// - Parameters:
    ///   - lead: what the first part scores there, or more.
    ///   - next: is raised to the first document that can match.
    func score(of slot: UInt32, lead: Int64, above threshold: Int64, next: inout UInt32) throws -> Int64? {
        var score = lead * parts[0].factor
        for index in 1..<parts.count {
            let factor = parts[index].factor
            let missing = threshold - score - rest[index + 1]
            let found = try unsafe matchers[index]._withUnsafeGuaranteedRef {
                try Self.score(of: slot, $0, factor, above: missing, next: &next)
            }
            guard let found else { return nil }
            score += found
        }
        for index in unsafe phraseMatchers.indices {
            guard try unsafe phraseMatchers[index]._withUnsafeGuaranteedRef({ try $0.occurs() }) else { return nil }
        }
        for matcher in unwanted where try matcher.advance(to: slot) == slot { return nil }
        if scoresAreExact { return score }
        score = 0
        for index in unsafe matchers.indices {
            score += try unsafe matchers[index]._withUnsafeGuaranteedRef { try $0.score() } * parts[index].factor
        }
        return score > threshold ? score : nil
    }

    /// What a part adds to the score of a document, if it matches and that is above `threshold`.
    @inline(__always)
    private static func score(
        of slot: UInt32, _ matcher: Matcher, _ factor: Int64, above threshold: Int64, next: inout UInt32
    ) throws -> Int64? {
        let bound = try matcher.bound(slot, slot + 1)
        if bound < 0 || bound * factor <= threshold {
            if matcher.isPlaced, matcher.slot > slot { next = max(next, matcher.slot) }
            return nil
        }
        let found = try matcher.advance(to: slot)
        if found > slot {
            next = max(next, found)
            return nil
        }
        let score = try matcher.scoreBound() * factor
        return score > threshold ? score : nil
    }
}
