/// Documents in which terms follow one another, or occur close together, in one field value.
///
/// The score is the sum of the scores of the terms, each counted as often as it occurs in the phrase.
@safe final class PhraseScorer: Scorer {
    /// One word of the phrase.
    struct Part {
        /// The index of the word's scorer.
        let word: Int
        /// The number of words before it in the phrase, including words that the index leaves out.
        let position: UInt32
    }

    private let terms: [WordScorer]
    private let order: [Part]
    private let all: AndScorer
    /// The maximum number of other words between the terms, which may then occur in any order; `nil` for an exact
    /// phrase.
    private let slop: Int?
    /// Unmanaged references to the terms for the check of each candidate: reference counting takes as long as the
    /// check.
    private let unmanaged: [Unmanaged<WordScorer>]
    private let starts = PositionBuffer()

    init(_ terms: [WordScorer], order: [Part], slop: Int?) {
        self.terms = terms
        self.order = order
        self.slop = slop
        all = AndScorer(terms)
        unsafe unmanaged = unsafe terms.map { unsafe .passUnretained($0) }
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var slot = try all.advance(to: target)
        while slot < Self.end {
            if try occurs() { return slot }
            slot = try all.advance(to: slot + 1)
        }
        return slot
    }

    /// Returns whether the phrase occurs in the document at which all terms are currently positioned.
    func occurs() throws -> Bool {
        // All words of a phrase are in one field.
        var common = UInt32.max
        for index in unsafe unmanaged.indices {
            common &= try unsafe unmanaged[index]._withUnsafeGuaranteedRef { try $0.fieldSet() }
            if common == 0 { return false }
        }
        for index in unsafe unmanaged.indices {
            try unsafe unmanaged[index]._withUnsafeGuaranteedRef { try $0.readPositions(in: common) }
        }
        return if let slop { isNear(slop) } else { isExact() }
    }

    private func isExact() -> Bool {
        starts.removeAll()
        unsafe unmanaged[order[0].word]._withUnsafeGuaranteedRef { starts.append(contentsOf: $0.wordPositions) }
        for index in 1..<max(1, order.count) {
            let distance = min(order[index].position, TextPosition.positionLimit)
            unsafe unmanaged[order[index].word]._withUnsafeGuaranteedRef {
                let following = $0.wordPositions
                var position = 0
                starts.filter { start in
                    guard start.position < TextPosition.positionLimit - distance else { return false }
                    let goal = start.bits + distance
                    while position < following.count, following[position].bits < goal { position += 1 }
                    return position < following.count && following[position].bits == goal
                }
            }
            if starts.count == 0 { return false }
        }
        return starts.count > 0
    }

    /// Returns whether a run of words in one field value contains every term and at most `slop` other words.
    private func isNear(_ slop: Int) -> Bool {
        var next = terms.map { _ in 0 }
        let width = UInt32(clamping: terms.count - 1 + min(slop, Int(TextPosition.gap) - terms.count))
        while true {
            var smallest = 0
            var largest: UInt32 = 0
            for index in terms.indices {
                guard next[index] < terms[index].wordPositions.count else { return false }
                let position = terms[index].wordPositions[next[index]]
                if position < terms[smallest].wordPositions[next[smallest]] { smallest = index }
                largest = max(largest, position.bits)
            }
            let first = terms[smallest].wordPositions[next[smallest]]
            if largest >> 27 == first.bits >> 27, largest - first.bits <= width { return true }
            next[smallest] += 1
        }
    }

    override func add(to conjunction: inout Conjunction.Contents) {
        for (word, term) in terms.enumerated() {
            conjunction.parts.append(Conjunction.Part(term, factor: Int64(order.count { $0.word == word })))
        }
        conjunction.phrases.append(self)
    }

    /// Adds the phrase as a condition that does not affect scores.
    func addUnscored(to conjunction: inout Conjunction.Contents) {
        for term in terms { conjunction.parts.append(Conjunction.Part(term, factor: 0)) }
        conjunction.phrases.append(self)
    }

    override func score() throws -> Int64 {
        let scores = try terms.map { try $0.score() }
        return order.reduce(0) { $0 + scores[$1.word] }
    }
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        var bounds: [Int64] = []
        for term in terms {
            let bound = try term.bound(lower, upper)
            if bound < 0 { return bound }
            bounds.append(bound)
        }
        return order.reduce(0) { $0 + bounds[$1.word] }
    }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 { try all.blockEnd(lower) }
    override var cost: Int { all.cost }
    override var largestScore: Int64 { order.reduce(0) { $0 + terms[$1.word].largestScore } }
}
