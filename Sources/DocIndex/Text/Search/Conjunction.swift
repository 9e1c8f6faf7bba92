/// What documents must have all of, and what they must not have, taken apart so that the cheapest is asked first.
///
/// A document that cannot be among the best by its score is not looked at any further: not for its other terms, and above
/// all not for whether its words stand side by side, which is the dearest question there is.
@safe struct Conjunction {
    /// What a document must match.
    @safe struct Part {
        let matcher: Matcher
        /// The matcher again, for what is asked of each candidate: to count references would take a third of the time.
        fileprivate let unmanaged: Unmanaged<Matcher>
        /// How often its score counts.
        let factor: Int64
        /// What it and the parts behind it score at most, all together, in the range that was looked at last.
        fileprivate var rest: Int64 = 0

        init(_ matcher: Matcher, factor: Int64) {
            self.matcher = matcher
            unsafe unmanaged = .passUnretained(matcher)
            self.factor = factor
        }
    }

    /// The rarest first.
    private(set) var parts: [Part] = []
    /// Phrases whose terms are all among the parts.
    private var phrases: [(matcher: PhraseMatcher, unmanaged: Unmanaged<PhraseMatcher>)] = unsafe []
    private var unwanted: [Matcher] = []
    private let scoresAreExact: Bool
    private let hasUnwanted: Bool

    init(_ matcher: Matcher) {
        var contents = Contents()
        matcher.add(to: &contents)
        // The rarest leads.
        if contents.parts.count > 1 { contents.parts.sort { $0.matcher.cost < $1.matcher.cost } }
        parts = contents.parts
        for phrase in contents.phrases { unsafe phrases.append((phrase, .passUnretained(phrase))) }
        unwanted = contents.unwanted
        scoresAreExact = parts.allSatisfy(\.matcher.scoresAreExact)
        hasUnwanted = !unwanted.isEmpty
    }

    /// What a matcher is taken apart into.
    struct Contents {
        var parts: [Part] = []
        var phrases: [PhraseMatcher] = []
        var unwanted: [Matcher] = []
    }

    /// What the parts behind the first score at most, all together, in the range that was looked at last.
    var restOfFirst: Int64 { parts.count > 1 ? parts[1].rest : 0 }

    /// Looks at a range of slots in which the first part scores no more than `lead`.
    ///
    /// - Returns: whether a document in it can score more than `threshold`.
    mutating func canExceed(_ threshold: Int64, lead: Int64, _ lower: UInt32, _ upper: UInt32) throws -> Bool {
        // Below zero: no document at all.
        if lead < 0 { return false }
        var rest: Int64 = 0
        var index = parts.count - 1
        while index > 0 {
            let bound = try unsafe parts[index].unmanaged._withUnsafeGuaranteedRef { try $0.bound(lower, upper) }
            if bound < 0 { return false }
            rest += bound * parts[index].factor
            parts[index].rest = rest
            index -= 1
        }
        return lead * parts[0].factor + rest > threshold
    }

    /// The score of the document at which the first part stands, if it is above `threshold` and everything else agrees.
    ///
    /// - Parameters:
    ///   - lead: what the first part scores there, or more.
    ///   - next: is raised to the first document that can match.
    func score(of slot: UInt32, lead: Int64, above threshold: Int64, next: inout UInt32) throws -> Int64? {
        var score = lead * parts[0].factor
        for index in 1..<max(1, parts.count) {
            let rest = index + 1 < parts.count ? parts[index + 1].rest : 0
            let factor = parts[index].factor
            let missing = threshold - score - rest
            let found = try unsafe parts[index].unmanaged._withUnsafeGuaranteedRef {
                try $0.candidateScore(of: slot, factor: factor, above: missing, next: &next)
            }
            guard let found else { return nil }
            score += found
        }
        for index in unsafe phrases.indices {
            guard try unsafe phrases[index].unmanaged._withUnsafeGuaranteedRef({ try $0.occurs() }) else { return nil }
        }
        if hasUnwanted {
            for matcher in unwanted where try matcher.advance(to: slot) == slot { return nil }
        }
        if scoresAreExact { return score }
        score = 0
        for index in parts.indices {
            score += try unsafe parts[index].unmanaged._withUnsafeGuaranteedRef { try $0.score() } * parts[index].factor
        }
        return score > threshold ? score : nil
    }
}
