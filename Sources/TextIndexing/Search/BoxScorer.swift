/// One word in all its forms: of a search box, or a fuzzy word. The score of a document is the constant of its best form, which puts it
/// into a tier, plus its BM25 score.
final class BoxWordScorer: Scorer {
    /// The forms from the best to the worst, each with its constant.
    private let forms: [(scorer: Scorer, constant: Int64)]
    /// Whether the first form only decides on the constant. Its documents are scored by another form, which finds
    /// them too.
    private let isFirstWithin: Bool

    init(_ forms: [(scorer: Scorer, constant: Int64)], isFirstWithin: Bool) {
        self.forms = forms
        self.isFirstWithin = isFirstWithin
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var slot = Self.end
        for form in forms { slot = min(slot, try form.scorer.advance(to: target)) }
        return slot
    }

    override func score() throws -> Int64 {
        guard let best = forms.firstIndex(where: { $0.scorer.slot == slot }) else { return 0 }
        var scored = forms[best].scorer
        if isFirstWithin, best == 0, let other = forms.dropFirst().first(where: { $0.scorer.slot == slot }) {
            scored = other.scorer
        }
        return forms[best].constant + (try scored.score())
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        var constant: Int64 = -1
        var best: Int64 = 0
        for form in forms {
            let bound = try form.scorer.bound(lower, upper)
            if bound < 0 { continue }
            constant = max(constant, form.constant)
            best = max(best, bound)
        }
        return constant < 0 ? -1 : constant + best
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try forms.reduce(Self.end) { min($0, try $1.scorer.blockEnd(lower)) }
    }

    override var cost: Int { forms.reduce(0) { $0 + $1.scorer.cost } }

    override var largestScore: Int64 {
        forms.reduce(0) { max($0, $1.constant) } + forms.reduce(0) { max($0, $1.scorer.largestScore) }
    }

    override func accumulate(_ lower: UInt32, _ upper: UInt32, into window: ScoreWindow) throws {
        guard forms.count == 1 else { return try super.accumulate(lower, upper, into: window) }
        window.constant = forms[0].constant
        defer { window.constant = 0 }
        try forms[0].scorer.accumulate(lower, upper, into: window)
        place(try forms[0].scorer.advance(to: upper))
    }
}

/// Documents that match a scorer, without its scores.
final class UnscoredScorer: Scorer {
    private let inner: Scorer

    init(_ inner: Scorer) { self.inner = inner }

    override func find(_ target: UInt32) throws -> UInt32 { try inner.advance(to: target) }
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 { min(0, try inner.bound(lower, upper)) }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 { try inner.blockEnd(lower) }
    override var cost: Int { inner.cost }

    override func add(to conjunction: inout Conjunction.Contents) {
        // The terms of a phrase are checked first.
        guard let phrase = inner as? PhraseScorer else { return super.add(to: &conjunction) }
        phrase.addUnscored(to: &conjunction)
    }
}

/// The documents of a search box, for use within another query. ``TextSearch/topOfBox(_:limit:filter:)`` is faster, and
/// finds the same.
final class BoxScorer: Scorer {
    /// The words that occur in this part of the index.
    private let words: [Scorer]
    private let required: AndScorer?
    /// Present if all words occur in this part of the index.
    private let complete: Complete?

    struct Complete {
        /// The additional score of a document with all words.
        let constant: Int64
        let phrase: Scorer?
        /// The additional score of a document with the phrase.
        let phraseConstant: Int64
    }

    init(_ words: [Scorer], required: [Scorer], complete: Complete?) {
        self.words = words
        self.required = required.isEmpty ? nil : AndScorer(required)
        self.complete = complete
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        if let required { return try required.advance(to: target) }
        return try words.reduce(Self.end) { min($0, try $1.advance(to: target)) }
    }

    override func score() throws -> Int64 {
        var score: Int64 = 0
        var count = 0
        for word in words where try word.advance(to: slot) == slot {
            score += try word.score()
            count += 1
        }
        guard count == words.count, let complete else { return score }
        score += complete.constant
        if let phrase = complete.phrase, try phrase.advance(to: slot) == slot { score += complete.phraseConstant }
        return score
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        if let required, try required.bound(lower, upper) < 0 { return -1 }
        var sum: Int64 = -1
        var count = 0
        for word in words {
            let bound = try word.bound(lower, upper)
            if bound < 0 { continue }
            sum = max(0, sum) + bound
            count += 1
        }
        guard sum >= 0, count == words.count, let complete else { return sum }
        return sum + complete.constant + (complete.phrase == nil ? 0 : complete.phraseConstant)
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try words.reduce(Self.end) { min($0, try $1.blockEnd(lower)) }
    }

    override var cost: Int { required?.cost ?? words.reduce(0) { $0 + $1.cost } }

    override var largestScore: Int64 {
        let constants = (complete?.constant ?? 0) + (complete?.phraseConstant ?? 0)
        return words.reduce(constants) { $0 + $1.largestScore }
    }
}
