/// A query with required and excluded parts, flattened so that the cheapest check comes first.
///
/// A document that cannot exceed the threshold is dropped as early as possible: before its postings of the other terms
/// are decoded and, above all, before phrases are checked, which is the most expensive check.
///
/// For example, the query `fog AND river` has the upper bounds 40 and 30 in a block, and the threshold is 60.
/// ``canExceed(_:lead:_:_:)`` returns `true`, because 70 is above 60. A document that scores 25 for `fog`, the rarer
/// term, reaches at most 55 and is dropped. One that scores 35 must score more than 25 for `river`: that is the
/// threshold passed to ``Scorer/candidateScore(of:factor:above:next:)``.
@safe struct Conjunction {
    /// A required part.
    @safe struct Part {
        let scorer: Scorer
        /// An unmanaged reference to the scorer for the checks of each candidate: reference counting would take a
        /// third of the time.
        fileprivate let unmanaged: Unmanaged<Scorer>
        /// The number of times the part's score counts.
        let factor: Int64
        /// The sum of the upper bounds of this part and all after it, in the latest range.
        fileprivate var rest: Int64 = 0

        init(_ scorer: Scorer, factor: Int64) {
            self.scorer = scorer
            unsafe unmanaged = .passUnretained(scorer)
            self.factor = factor
        }
    }

    /// The required parts, rarest first.
    private(set) var parts: [Part] = []
    /// Phrases whose terms are all in ``parts``.
    private var phrases: [(scorer: PhraseScorer, unmanaged: Unmanaged<PhraseScorer>)] = unsafe []
    private var unwanted: [Scorer] = []
    private let scoresAreExact: Bool
    private let hasUnwanted: Bool

    init(_ scorer: Scorer) {
        var contents = Contents()
        scorer.add(to: &contents)
        // The rarest part leads.
        if contents.parts.count > 1 { contents.parts.sort { $0.scorer.cost < $1.scorer.cost } }
        parts = contents.parts
        for phrase in contents.phrases { unsafe phrases.append((phrase, .passUnretained(phrase))) }
        unwanted = contents.unwanted
        scoresAreExact = parts.allSatisfy(\.scorer.scoresAreExact)
        hasUnwanted = !unwanted.isEmpty
    }

    /// The flattened contents of a scorer.
    struct Contents {
        var parts: [Part] = []
        var phrases: [PhraseScorer] = []
        var unwanted: [Scorer] = []
    }

    /// The sum of the upper bounds of all parts except the first, in the latest range.
    var restOfFirst: Int64 { parts.count > 1 ? parts[1].rest : 0 }

    /// Computes the upper bounds for a range of slots in which the first part scores at most `lead`.
    ///
    /// - Returns: whether a document in the range can score more than `threshold`.
    mutating func canExceed(_ threshold: Int64, lead: Int64, _ lower: UInt32, _ upper: UInt32) throws -> Bool {
        // Negative: no document in the range matches.
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

    /// Returns the score of the first part's current document if it is above `threshold` and all other parts match;
    /// otherwise `nil`.
    ///
    /// - Parameters:
    ///   - lead: the score of the first part, or an upper bound of it.
    ///   - next: raised to the next slot that can match, where that is known.
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
            for scorer in unwanted where try scorer.advance(to: slot) == slot { return nil }
        }
        if scoresAreExact { return score }
        score = 0
        for index in parts.indices {
            score += try unsafe parts[index].unmanaged._withUnsafeGuaranteedRef { try $0.score() } * parts[index].factor
        }
        return score > threshold ? score : nil
    }
}
