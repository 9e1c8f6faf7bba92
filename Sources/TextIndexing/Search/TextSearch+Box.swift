/// Search boxes: documents with all words, then those with most, then those with any.
extension TextSearch {
    /// The largest number of documents with a word that is searched for with slips too.
    private static let rareDocumentCount = 3
    /// The number of words of a search that are replaced by similar words. Each reads a part of the vocabulary.
    private static let replacedWordLimit = 3

    /// Returns the query for the index. Depends on the documents if the query has a search box: words that no document
    /// contains are replaced.
    package func resolved(_ query: TextQuery) throws -> ResolvedQuery {
        let resolved = try resolver.resolve(query)
        boxCount = resolved.boxCount
        return boxCount == 0 ? resolved : try settled(resolved).simplified
    }

    private func settled(_ query: ResolvedQuery) throws -> ResolvedQuery {
        switch query {
        case .nothing, .ignored, .word, .phrase, .exactFirst: query
        case .and(let parts): .and(try parts.map(settled))
        case .or(let parts): .or(try parts.map(settled))
        case .except(let wanted, let unwanted): .except(try settled(wanted), try settled(unwanted))
        case .prefer(let wanted, let optional): .prefer(try settled(wanted), try settled(optional))
        case .boost(let part, let factor): .boost(try settled(part), factor)
        case .box(let box): try settled(box)
        }
    }

    /// Returns the box without stop words, without words that do not occur, and without forms that are not needed.
    private func settled(_ box: ResolvedBox) throws -> ResolvedQuery {
        var box = box
        let isCommon = try box.words.map { word in
            switch word.common {
            case .none: false
            case .always: !word.isRequired
            case .ifFrequent:
                try !word.isRequired && bound(word.base) * 20 >= Int(view.structure.statistics.documents)
            }
        }
        if isCommon.contains(false) { box.words = zip(box.words, isCommon).filter { !$1 }.map(\.0) }
        var words: [ResolvedBox.Word] = []
        var replacedCount = 0
        for var word in box.words {
            let count = try bound(word.base)
            if count > 0, !word.isUnfinished { word.prefix = nil }
            if count > Self.rareDocumentCount { word.slip = nil }
            if word.slip != nil || (word.prefix != nil && !word.isUnfinished) {
                replacedCount += 1
                if replacedCount > Self.replacedWordLimit {
                    word.slip = nil
                    if !word.isUnfinished { word.prefix = nil }
                }
            }
            if let prefix = word.prefix, try !occurs(prefix) { word.prefix = nil }
            if let slip = word.slip, try !occurs(slip) { word.slip = nil }
            if try occurs(word.base) || word.prefix != nil || word.slip != nil {
                words.append(word)
            } else if word.isRequired {
                return .nothing
            }
        }
        if words.count < box.words.count || words.count < 2 { box.phrase = nil }
        box.words = words
        return .box(box)
    }

    /// Returns whether the words of a query occur in documents. Does not depend on deleted documents.
    private func occurs(_ query: ResolvedQuery) throws -> Bool {
        switch query {
        case .nothing, .ignored: false
        case .word(let terms): try occurs(terms)
        case .phrase(let words, _): try words.allSatisfy { try occurs($0.terms) }
        case .and(let parts): try parts.allSatisfy(occurs)
        case .or(let parts): try parts.contains(where: occurs)
        case .except(let part, _), .prefer(let part, _), .boost(let part, _), .exactFirst(_, among: let part):
            try occurs(part)
        case .box: true
        }
    }

    private func occurs(_ terms: [ResolvedQuery.Term]) throws -> Bool {
        try terms.contains { try word($0).documentFrequency > 0 }
    }

    // MARK: - Scores

    private func scores(of box: ResolvedBox) throws -> BoxScores {
        BoxScores(
            box, boxCount: boxCount, bounds: try box.words.map { try $0.forms.map { try largestScore(of: $0) } })
    }

    /// Returns the upper bound of the BM25 scores of a query, in units.
    func largestScore(of query: ResolvedQuery) throws -> Double {
        switch query {
        case .nothing, .ignored, .box: 0
        case .word(let terms): try largestScore(of: terms)
        case .phrase(let words, _): try words.reduce(0) { $0 + (try largestScore(of: $1.terms)) }
        case .and(let parts), .or(let parts): try parts.reduce(0) { $0 + (try largestScore(of: $1)) }
        case .except(let wanted, _): try largestScore(of: wanted)
        case .prefer(let wanted, let optional): try largestScore(of: wanted) + largestScore(of: optional)
        case .boost(let part, let factor): try largestScore(of: part) * min(max(factor, 0.001), 1000)
        case .exactFirst(let exact, among: let all): try largestScore(of: exact) + largestScore(of: all)
        }
    }

    private func largestScore(of terms: [ResolvedQuery.Term]) throws -> Double {
        weight(ofFrequency: try terms.reduce(0) { max($0, try word($1).documentFrequency) })
    }

    // MARK: - Scorers

    private func scorer(
        _ box: ResolvedBox, _ number: Int, _ scores: BoxScores, part: Int
    ) throws -> Scorer? {
        let word = box.words[number]
        var forms: [(scorer: Scorer, constant: Int64)] = []
        var isFirstWithin = false
        for (form, constant) in zip(word.forms, scores.constants[number]) {
            guard let scorer = try scorer(form, boost: scores.scale, part: part) else { continue }
            if forms.isEmpty, form == word.whole { isFirstWithin = true }
            forms.append((scorer, constant))
        }
        return forms.isEmpty ? nil : BoxWordScorer(forms, isFirstWithin: isFirstWithin)
    }

    /// Returns a scorer for the word that leaves out a constant that all documents get, and the constant.
    private func plainScorer(
        _ box: ResolvedBox, _ number: Int, _ scores: BoxScores, part: Int
    ) throws -> Scorer? {
        let forms = box.words[number].forms
        if forms.count == 1 { return try scorer(forms[0], boost: scores.scale, part: part) }
        return try scorer(box, number, scores, part: part)
    }

    /// Returns a scorer for what no result may match; `nil` if nothing does.
    private func unwantedScorer(_ box: ResolvedBox, part: Int) throws -> Scorer? {
        let scorers = try box.unwanted.compactMap { try scorer($0, part: part) }
        return scorers.count < 2 ? scorers.first : OrScorer(scorers)
    }

    /// Returns a scorer for a box within another query.
    func scorer(_ box: ResolvedBox, part: Int) throws -> Scorer? {
        let scores = try scores(of: box)
        var words: [Scorer] = []
        var required: [Scorer] = []
        for number in box.words.indices {
            let scorer = try scorer(box, number, scores, part: part)
            if box.words[number].isRequired {
                guard let scorer else { return nil }
                required.append(scorer)
            }
            if let scorer { words.append(scorer) }
        }
        if words.isEmpty { return nil }
        var complete: BoxScorer.Complete?
        if words.count == box.words.count {
            let phrase = try box.phrase.flatMap { try scorer($0, part: part) }
            complete = BoxScorer.Complete(
                constant: scores.complete, phrase: phrase, phraseConstant: scores.phrase)
        }
        let wanted = BoxScorer(words, required: required, complete: complete)
        guard let unwanted = try unwantedScorer(box, part: part) else { return wanted }
        return ExceptScorer(wanted, unwanted)
    }

    // MARK: - Best documents

    /// Returns the best documents of a box.
    ///
    /// Documents with the phrase come before all others, and those with all words before the rest. So they are found
    /// first, by conjunctions. If they are enough, no other document is scored.
    func topOfBox(
        _ box: ResolvedBox, limit: Int?, filter: ((UInt64) throws -> Bool)?
    ) throws -> [TopHits.Hit] {
        let scores = try scores(of: box)
        // The constants of words with a single form are the same for all documents with all words.
        var constant = scores.complete
        for (word, constants) in zip(box.words, scores.constants) where word.forms.count == 1 {
            constant += constants[0]
        }
        var found: [TopHits.Hit] = []
        var rows: Set<UInt64> = []
        func collect(
            _ constant: Int64,
            _ body: (_ part: Int, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?) throws -> Void
        ) throws {
            if let limit, found.count >= limit { return }
            var hits = TopHits(limit: limit.map { $0 - found.count })
            let known = rows
            let isWanted = { (row: UInt64) throws in
                if known.contains(row) { return false }
                return try filter?(row) ?? true
            }
            for part in 0..<partCount { try body(part, &hits, known.isEmpty ? filter : isWanted) }
            for hit in hits.sorted {
                found.append(TopHits.Hit(score: hit.score + constant, row: hit.row))
                rows.insert(hit.row)
            }
        }
        if let phrase = box.phrase {
            try collect(constant + scores.phrase) { part, hits, filter in
                guard let phrase = try scorer(phrase, part: part),
                    let all = try conjunction(box, scores, and: UnscoredScorer(phrase), part: part)
                else { return }
                var conjunction = Conjunction(all)
                try collectAll(&conjunction, slots(ofPart: part), &hits, filter)
            }
        }
        try collect(constant) { part, hits, filter in
            guard let all = try conjunction(box, scores, and: nil, part: part) else { return }
            var conjunction = Conjunction(all)
            try collectAll(&conjunction, slots(ofPart: part), &hits, filter)
        }
        if box.words.count == 1 || box.words.allSatisfy(\.isRequired) { return found }
        var window: ScoreWindow?
        try collect(0) { part, hits, filter in
            guard let any = try alternatives(box, scores, part: part) else { return }
            let range = slots(ofPart: part)
            if let any = any as? OrScorer, limit != nil {
                let sums = window ?? ScoreWindow()
                window = sums
                return try collectAny(any.parts, range, sums, &hits, filter)
            }
            var conjunction = Conjunction(any)
            try collectAll(&conjunction, range, &hits, filter)
        }
        return found
    }

    /// Returns a scorer for the documents with all words, and of another part; `nil` if there are none.
    private func conjunction(
        _ box: ResolvedBox, _ scores: BoxScores, and other: Scorer?, part: Int
    ) throws -> Scorer? {
        var scorers: [Scorer] = other.map { [$0] } ?? []
        for number in box.words.indices {
            guard let scorer = try plainScorer(box, number, scores, part: part) else { return nil }
            scorers.append(scorer)
        }
        let all = scorers.count == 1 ? scorers[0] : AndScorer(scorers)
        guard let unwanted = try unwantedScorer(box, part: part) else { return all }
        return ExceptScorer(all, unwanted)
    }

    /// Returns a scorer for the documents with the required words, scored by all; `nil` if there are none.
    private func alternatives(_ box: ResolvedBox, _ scores: BoxScores, part: Int) throws -> Scorer? {
        var required: [Scorer] = []
        var others: [Scorer] = []
        for number in box.words.indices {
            let scorer = try scorer(box, number, scores, part: part)
            if box.words[number].isRequired {
                guard let scorer else { return nil }
                required.append(scorer)
            } else if let scorer {
                others.append(scorer)
            }
        }
        var wanted: Scorer? = others.count < 2 ? others.first : OrScorer(others)
        if !required.isEmpty {
            let all = required.count == 1 ? required[0] : AndScorer(required)
            wanted = wanted.map { OptionalScorer(all, optional: $0) } ?? all
        }
        guard let wanted, let unwanted = try unwantedScorer(box, part: part) else { return wanted }
        return ExceptScorer(wanted, unwanted)
    }
}

extension ResolvedQuery {
    /// The number of search boxes in the query.
    fileprivate var boxCount: Int {
        switch self {
        case .nothing, .ignored, .word, .phrase, .exactFirst: 0
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.boxCount }
        case .except(let first, let second), .prefer(let first, let second): first.boxCount + second.boxCount
        case .boost(let part, _): part.boxCount
        case .box: 1
        }
    }
}
