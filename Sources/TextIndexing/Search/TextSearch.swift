package import LevelKit

/// Answers a ``TextQuery`` from one view of a text index.
///
/// Returns the best documents (``top(_:limit:filter:)``), all matching documents in row order (``rows(_:)``) or an
/// estimate of their number (``estimatedCount(_:)``). All results come from the same snapshot.
///
/// Not thread-safe. Creating one is cheap.
///
/// ``top(_:limit:filter:)`` is a Block-Max MaxScore search. The threshold is the score that a document must exceed to
/// enter the best documents found so far; it rises during the search. Parts of the query, blocks and documents whose
/// upper bounds do not exceed the threshold are skipped. For example, with a limit of 10 and a tenth-best score of 60,
/// a block whose block maximum is 45 is not decoded for a query of one term.
package final class TextSearch {
    let reader: any KeyValueReader
    package let index: TextIndex
    let view: TextIndexReader
    let cache: TermCache
    /// The number of terms whose posting lists were opened. Decoded postings and skipped blocks do not count.
    private(set) var listCount = 0
    private let bm25: BM25
    let resolver: QueryResolver
    private let unwritten: [(pending: InMemoryIndex, slots: Range<UInt32>, limit: InMemoryIndex.Limit)]
    private var words = Words()
    /// The number of search boxes in the current query.
    var boxCount = 0
    /// The number of words and terms in the current query.
    private var wordCount = 0

    /// The posting lists and the document frequency of a term.
    struct Word {
        /// The postings in each segment, followed by the pending ones.
        var lists: [List] = []
        var documentFrequency = 0

        enum List {
            case none
            case plain(PlainPostings)
            case stored(StoredPostings)
        }
    }

    /// The terms looked up so far. Among a few terms, a linear search is faster than hashing.
    private struct Words {
        private var few: [(term: ResolvedQuery.Term, word: Word)] = []
        private var others: [ResolvedQuery.Term: Word] = [:]
        private static let fewLimit = 8

        func word(of term: ResolvedQuery.Term) -> Word? {
            for known in few where known.term == term { return known.word }
            return few.count < Self.fewLimit ? nil : others[term]
        }

        mutating func add(_ word: Word, of term: ResolvedQuery.Term) {
            if few.count < Self.fewLimit { few.append((term, word)) } else { others[term] = word }
        }
    }

    package init(reader: any KeyValueReader, index: TextIndex, view: TextIndexReader, cache: TermCache) {
        self.reader = reader
        self.index = index
        self.view = view
        self.cache = cache
        bm25 = index.tools.bm25(view.structure.statistics)
        resolver = index.tools.resolver(for: index)
        unwritten = view.unwritten
    }

    deinit { index.tools.keep(resolver) }

    // MARK: - Results

    /// Returns the best documents.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of documents; `nil` for all.
    ///   - filter: called with the row of a document that would be among the best; returns whether to accept it.
    /// - Complexity: skips whatever cannot be among the best.
    package func top(
        _ query: TextQuery, limit: Int?, filter: ((UInt64) throws -> Bool)? = nil
    ) throws -> [TopHits.Hit] {
        try top(resolved(query), limit: limit, filter: filter)
    }

    /// Same as ``top(_:limit:filter:)-(TextQuery,_,_)``, for a resolved query.
    package func top(
        _ query: ResolvedQuery, limit: Int?, filter: ((UInt64) throws -> Bool)? = nil
    ) throws -> [TopHits.Hit] {
        var hits = TopHits(limit: limit)
        if limit == 0 { return [] }
        try prepare(query)
        if case .box(let box) = query { return try topOfBox(box, limit: limit, filter: filter) }
        var window: ScoreWindow?
        for part in 0..<partCount {
            guard let scorer = try scorer(query, part: part) else { continue }
            let range = slots(ofPart: part)
            if let or = scorer as? OrScorer, limit != nil {
                let sums = window ?? ScoreWindow()
                window = sums
                try collectAny(or.parts, range, sums, &hits, filter)
            } else {
                var conjunction = Conjunction(scorer)
                try collectAll(&conjunction, range, &hits, filter)
            }
        }
        return hits.sorted
    }

    /// Returns the rows of all matching documents, in ascending order.
    package func rows(_ query: TextQuery) throws -> [UInt64] {
        var rows: [UInt64] = []
        try forEachSlot(query) { rows.append(UInt64(view.slots.row($0))) }
        if !view.isInRowOrder { rows.sort() }
        return rows
    }

    /// Returns the slots of matching documents, up to a limit, in ascending order.
    func slots(of query: TextQuery, limit: Int) throws -> [UInt32] {
        var slots: [UInt32] = []
        _ = try forEachSlot(resolved(query)) {
            slots.append($0)
            return slots.count < limit
        }
        return slots
    }

    /// Returns the number of matching documents.
    package func count(_ query: TextQuery) throws -> Int { try count(query, upTo: .max).count }

    /// Returns the number of matching documents, counted up to a limit.
    ///
    /// - Complexity: O(1) for a word with a single term that is searched in all fields: its document frequency is
    ///   stored.
    package func count(_ query: TextQuery, upTo limit: Int) throws -> TextQuery.Total {
        let query = try resolved(query)
        if case .word(let terms) = query, terms.count == 1, terms[0].fields == nil, case .term = terms[0].key {
            return TextQuery.Total(count: try word(terms[0]).documentFrequency, isExact: true)
        }
        if limit <= 0 { return TextQuery.Total(count: 0, isExact: query == .nothing) }
        var count = 0
        let isWhole = try forEachSlot(query) { _ in
            count += 1
            return count <= limit
        }
        return TextQuery.Total(count: min(count, limit), isExact: isWhole)
    }

    private func forEachSlot(_ query: TextQuery, _ body: (UInt32) throws -> Void) throws {
        _ = try forEachSlot(resolved(query)) {
            try body($0)
            return true
        }
    }

    /// Calls `body` with the slot of each matching document until it returns `false`.
    ///
    /// - Returns: `true` if all matching documents were visited.
    func forEachSlot(_ query: ResolvedQuery, _ body: (UInt32) throws -> Bool) throws -> Bool {
        try prepare(query)
        for part in 0..<partCount {
            guard let scorer = try scorer(query, part: part) else { continue }
            let range = slots(ofPart: part)
            var cancellation = CancellationCheck()
            var slot = try scorer.advance(to: range.lowerBound)
            while slot < range.upperBound {
                try cancellation.step()
                if !view.isDeleted(slot), try !body(slot) { return false }
                slot = try scorer.advance(to: slot + 1)
            }
        }
        return true
    }

    /// Returns an estimate of the number of matching documents from the document frequencies alone, never too low.
    package func estimatedCount(_ query: TextQuery) throws -> Int {
        let query = try resolved(query)
        try prepare(query)
        return min(try bound(query), Int(view.structure.statistics.documents))
    }

    /// Returns an upper bound of the number of documents that match.
    package func bound(_ query: ResolvedQuery) throws -> Int {
        switch query {
        case .nothing, .ignored: 0
        case .word(let terms): try bound(terms)
        case .phrase(let words, _): try words.reduce(.max) { min($0, try bound($1.terms)) }
        case .and(let parts): try parts.reduce(.max) { min($0, try bound($1)) }
        case .or(let parts): try parts.reduce(0) { $0 + (try bound($1)) }
        case .except(let wanted, _), .prefer(let wanted, _), .boost(let wanted, _), .exactFirst(_, among: let wanted):
            try bound(wanted)
        case .box(let box):
            box.words.contains(where: \.isRequired)
                ? try box.words.reduce(.max) { $1.isRequired ? min($0, try bound($1)) : $0 }
                : try box.words.reduce(0) { $0 + (try bound($1)) }
        }
    }

    private func bound(_ word: ResolvedBox.Word) throws -> Int {
        try [word.base, word.prefix, word.slip].reduce(0) { sum, form in
            let (total, isTooLarge) = sum.addingReportingOverflow(try form.map { try bound($0) } ?? 0)
            return isTooLarge ? .max : total
        }
    }

    private func bound(_ terms: [ResolvedQuery.Term]) throws -> Int {
        try terms.reduce(0) { sum, term in
            let word = try word(term)
            if case .term = term.key { return sum + word.documentFrequency }
            return word.lists.reduce(sum) { sum, list in
                switch list {
                case .none: sum
                case .plain(let plain): sum + plain.slots.count
                case .stored(let postings): sum + postings.record.documentCount
                }
            }
        }
    }

    // MARK: - Parts

    /// The number of segments and of sets of pending documents, which follow the segments.
    var partCount: Int { view.structure.segments.count + unwritten.count }

    /// Returns the slots of a segment or, after the last segment, of pending documents.
    func slots(ofPart part: Int) -> Range<UInt32> {
        let segments = view.structure.segments
        if part < segments.count { return segments[part].lower..<segments[part].upper }
        return unwritten[part - segments.count].slots
    }

    /// Returns the part of the index that contains a slot; `nil` if none does.
    func part(of slot: UInt32) -> Int? { (0..<partCount).first { slots(ofPart: $0).contains(slot) } }

    // MARK: - Words

    /// Looks up every term of the query. The document frequency over all parts determines the weight of a term in each.
    func prepare(_ query: TextQuery) throws { try prepare(resolved(query)) }

    func prepare(_ query: ResolvedQuery) throws {
        wordCount = 0
        try visit(query)
    }

    private func visit(_ query: ResolvedQuery) throws {
        switch query {
        case .nothing, .ignored: break
        case .word(let terms): try visit(terms)
        case .phrase(let words, _): for word in words { try visit(word.terms) }
        case .and(let parts), .or(let parts): for part in parts { try visit(part) }
        case .except(let first, let second), .prefer(let first, let second), .exactFirst(let first, among: let second):
            try visit(first)
            try visit(second)
        case .boost(let part, _): try visit(part)
        case .box(let box):
            for word in box.words { for form in word.forms { try visit(form) } }
            if let phrase = box.phrase { try visit(phrase) }
            for part in box.unwanted { try visit(part) }
        }
    }

    private func visit(_ terms: [ResolvedQuery.Term]) throws {
        wordCount += terms.count
        for term in terms { _ = try word(term) }
    }

    /// Returns the number of documents that contain a term.
    package func documentFrequency(of term: [UInt8]) throws -> Int {
        try word(ResolvedQuery.Term(key: .term(term))).documentFrequency
    }

    /// Returns the weight of a term with this document frequency.
    func weight(ofFrequency frequency: Int) -> Double { bm25.weight(documentFrequency: frequency, boost: 1) }

    /// Returns the posting lists of a term, which are looked up once.
    func word(_ term: ResolvedQuery.Term) throws -> Word {
        var term = term
        // The lists of a single term do not depend on the searched fields.
        if case .term = term.key { term.fields = nil }
        if let known = words.word(of: term) { return known }
        let word =
            switch term.key {
            case .term(let term): try exactWord(term)
            case .prefix, .fuzzy: try ExpandedWord(term, reader: reader, index: index, view: view).word()
            }
        listCount += word.lists.count
        words.add(word, of: term)
        return word
    }

    private func exactWord(_ term: [UInt8]) throws -> Word {
        var word = Word()
        for segment in view.structure.segments {
            let segment = SegmentReader(reader: reader, index: index, segment: segment)
            let record = try cache.record(term, in: segment)
            guard let record else {
                word.lists.append(.none)
                continue
            }
            word.documentFrequency += record.documentCount - Int(record.correction)
            switch record.postings {
            case .none: word.lists.append(.none)
            case .short(let plain): word.lists.append(.plain(plain))
            case .long: word.lists.append(.stored(StoredPostings(record, segment, cache, term)))
            }
        }
        for part in unwritten {
            let (postings, tombstoneCount) = part.pending.postings(of: term, part.limit)
            word.lists.append(postings.slots.isEmpty ? .none : .plain(postings))
            word.documentFrequency += postings.slots.count - tombstoneCount
        }
        return word
    }

    // MARK: - Scorers

    /// Returns a scorer for the query in one part of the index; `nil` if nothing matches there.
    func scorer(_ query: TextQuery, part: Int) throws -> Scorer? {
        try scorer(resolved(query), part: part)
    }

    /// Returns a scorer for a resolved query in one part of the index; `nil` if nothing matches there.
    func scorer(_ query: ResolvedQuery, boost: Double = 1, part: Int) throws -> Scorer? {
        switch query {
        case .nothing, .ignored: return nil
        case .word(let terms): return try wordScorer(terms, boost, part: part)
        case .phrase(let words, let slop): return try phraseScorer(words, slop: slop, boost, part: part)
        case .and(let parts):
            var scorers: [Scorer] = []
            for query in parts {
                guard let scorer = try scorer(query, boost: boost, part: part) else { return nil }
                scorers.append(scorer)
            }
            return scorers.count < 2 ? scorers.first : AndScorer(scorers)
        case .or(let parts):
            var scorers: [Scorer] = []
            for query in parts {
                guard let scorer = try scorer(query, boost: boost, part: part) else { continue }
                scorers.append(scorer)
            }
            return scorers.count < 2 ? scorers.first : OrScorer(scorers)
        case .except(let wanted, let unwanted):
            guard let wanted = try scorer(wanted, boost: boost, part: part) else { return nil }
            guard let unwanted = try scorer(unwanted, boost: boost, part: part) else { return wanted }
            return ExceptScorer(wanted, unwanted)
        case .prefer(let wanted, let optional):
            guard let wanted = try scorer(wanted, boost: boost, part: part) else { return nil }
            guard let optional = try scorer(optional, boost: boost, part: part) else { return wanted }
            return OptionalScorer(wanted, optional: optional)
        case .boost(let query, let factor):
            let factor = min(max(factor, 0.001), 1000)
            return try scorer(query, boost: min(BM25.boostLimit, boost * factor), part: part)
        case .box(let box): return try scorer(box, part: part)
        case .exactFirst(let exact, among: let all): return try exactFirst(exact, all, boost, part: part)
        }
    }

    /// Returns a scorer for a query whose exact matches come first: their score is above the largest of the others.
    private func exactFirst(
        _ exact: ResolvedQuery, _ all: ResolvedQuery, _ boost: Double, part: Int
    ) throws -> Scorer? {
        guard let others = try scorer(all, boost: boost, part: part) else { return nil }
        guard let exact = try scorer(exact, boost: boost, part: part) else { return others }
        let constant = Int64(try largestScore(of: all) * limited(boost))
        return BoxWordScorer([(exact, constant), (others, 0)], isFirstWithin: false)
    }

    /// Returns the boost, limited so that the sum of all scores fits in an integer.
    private func limited(_ boost: Double) -> Double { min(boost, BM25.boostLimit / Double(max(1, wordCount))) }

    private func phraseScorer(
        _ words: [ResolvedQuery.Part], slop: Int?, _ boost: Double, part: Int
    ) throws -> Scorer? {
        var distinct: [[ResolvedQuery.Term]] = []
        // Among a few words, a linear search is faster than hashing.
        var numbers: [[ResolvedQuery.Term]: Int]? = words.count > 16 ? [:] : nil
        var scorers: [WordScorer] = []
        var order: [PhraseScorer.Part] = []
        for word in words {
            if let known = numbers.map({ $0[word.terms] }) ?? distinct.firstIndex(of: word.terms) {
                order.append(PhraseScorer.Part(word: known, position: word.position))
                continue
            }
            guard let scorer = try wordScorer(word.terms, boost, part: part) else { return nil }
            order.append(PhraseScorer.Part(word: scorers.count, position: word.position))
            numbers?[word.terms] = scorers.count
            if numbers == nil { distinct.append(word.terms) }
            scorers.append(scorer)
        }
        return scorers.isEmpty ? nil : PhraseScorer(scorers, order: order, slop: slop)
    }

    private func wordScorer(_ terms: [ResolvedQuery.Term], _ boost: Double, part: Int) throws -> WordScorer? {
        var frequency = 0
        for term in terms { frequency = max(frequency, try word(term).documentFrequency) }
        let weight = bm25.weight(documentFrequency: frequency, boost: limited(boost))
        var scorers: [TermScorer] = []
        for term in terms {
            if let scorer = try termScorer(term, weight, part: part) { scorers.append(scorer) }
        }
        if scorers.count < 2 { return scorers.first }
        return SynonymScorer(scorers, slots: view.slots, bm25: bm25, weight: weight)
    }

    private func termScorer(_ term: ResolvedQuery.Term, _ weight: Double, part: Int) throws -> TermScorer? {
        let source: TermScorer.Source
        var fields = term.fields
        switch try word(term).lists[part] {
        case .none: return nil
        case .plain(let plain): source = .plain(plain)
        case .stored(let postings): source = .stored(postings)
        }
        // The postings of an expanded term were limited to the searched fields when they were merged.
        if case .term = term.key {} else { fields = nil }
        return try TermScorer(
            source, slots: view.slots, bm25: bm25, weight: weight, fields: fields, fieldWeights: index.weights)
    }
}
