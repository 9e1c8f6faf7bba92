internal import LevelKit

/// Answers a ``TextQuery`` from one view of a text index.
///
/// Three ways out: the best documents (``top(_:limit:filter:)``), every document that matches in the order of rows
/// (``rows(_:)``), and about how many there are (``estimatedCount(_:)``). All three see the same moment.
///
/// Not for use by several threads at once; making one is cheap.
final class TextSearch {
    let reader: any KeyValueReader
    let index: TextIndex
    let view: TextView
    let cache: TermCache
    /// Postings that were decoded, or blocks passed over, do not count: terms whose lists were opened.
    private(set) var listCount = 0
    private let scorer: BM25
    private var words: [WordKey: Word] = [:]

    /// A term, or several that count as one.
    enum WordKey: Hashable {
        case term([UInt8])
        /// Only in some fields; `nil` for all.
        case prefix([UInt8], fields: UInt32?)
        case fuzzy([UInt8], distance: Int, fields: UInt32?)
    }

    /// What is known of a term.
    struct Word {
        /// The postings in each segment, and at last the pending ones.
        var lists: [List] = []
        var documentFrequency = 0

        enum List {
            case none
            case plain(PlainPostings)
            case stored(TermRecord)
        }
    }

    /// Where a part of a query applies, and how much it counts.
    private struct Scope {
        var fields: UInt32?
        var boost = 1.0
    }

    init(reader: any KeyValueReader, index: TextIndex, view: TextView, cache: TermCache) {
        self.reader = reader
        self.index = index
        self.view = view
        self.cache = cache
        scorer = BM25(view.structure.statistics)
    }

    // MARK: - Answers

    /// The best documents.
    ///
    /// - Parameters:
    ///   - limit: how many; `nil` for all.
    ///   - filter: asked of the row of a document that would be among the best; whether it may be.
    /// - Complexity: skips whatever cannot be among the best.
    func top(
        _ query: TextQuery, limit: Int?, filter: ((UInt64) throws -> Bool)? = nil
    ) throws -> [TopHits.Hit] {
        var hits = TopHits(limit: limit)
        if limit == 0 { return [] }
        try prepare(query)
        let window = ScoreWindow()
        for part in 0...view.structure.segments.count {
            guard let matcher = try matcher(query, part: part) else { continue }
            let range = slots(ofPart: part)
            if let or = matcher as? OrMatcher, limit != nil {
                try collectAny(or.parts, range, window, &hits, filter)
            } else {
                try collect(matcher, range, &hits, filter)
            }
        }
        return hits.sorted
    }

    /// The rows of all documents that match, in their order.
    func rows(_ query: TextQuery) throws -> [UInt64] {
        var rows: [UInt64] = []
        try forEachSlot(query) { rows.append(UInt64(view.slots.row($0))) }
        if !view.isInRowOrder { rows.sort() }
        return rows
    }

    /// How many documents match.
    func count(_ query: TextQuery) throws -> Int {
        var count = 0
        try forEachSlot(query) { _ in count += 1 }
        return count
    }

    private func forEachSlot(_ query: TextQuery, _ body: (UInt32) throws -> Void) throws {
        try prepare(query)
        for part in 0...view.structure.segments.count {
            guard let matcher = try matcher(query, part: part) else { continue }
            let range = slots(ofPart: part)
            var slot = try matcher.advance(to: range.lowerBound)
            while slot < range.upperBound {
                if !view.isDead(slot) { try body(slot) }
                slot = try matcher.advance(to: slot + 1)
            }
        }
    }

    /// About how many documents match, from the counts of the terms alone; never less than there are.
    func estimatedCount(_ query: TextQuery) throws -> Int {
        try prepare(query)
        return min(try bound(query), Int(view.structure.statistics.documents))
    }

    private func bound(_ query: TextQuery, _ scope: Scope = Scope()) throws -> Int {
        switch query {
        case .nothing: return 0
        case .phrase(let terms), .near(let terms, _):
            return terms.isEmpty ? 0 : try terms.reduce(.max) { min($0, try word(.term($1)).documentFrequency) }
        case .prefix, .fuzzy:
            guard let word = try key(query, scope).map(word) else { return 0 }
            return word.lists.reduce(0) { sum, list in
                switch list {
                case .none: sum
                case .plain(let plain): sum + plain.slots.count
                case .stored(let record): sum + record.documentCount
                }
            }
        case .and(let parts): return parts.isEmpty ? 0 : try parts.reduce(.max) { min($0, try bound($1, scope)) }
        case .or(let parts): return try parts.reduce(0) { $0 + (try bound($1, scope)) }
        case .except(let wanted, _), .prefer(let wanted, _), .boost(let wanted, _): return try bound(wanted, scope)
        case .field(let name, let part): return try bound(part, narrowed(scope, to: name))
        }
    }

    // MARK: - Collecting

    /// The slots of a segment; of the pending documents behind the last.
    private func slots(ofPart part: Int) -> Range<UInt32> {
        let structure = view.structure
        if part < structure.segments.count { return structure.segments[part].lower..<structure.segments[part].upper }
        return structure.pendingSlot..<structure.nextSlot
    }

    private func offer(
        _ slot: UInt32, _ score: Int64, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let hit = TopHits.Hit(score: score, row: UInt64(view.slots.row(slot)))
        guard hits.accepts(hit), try filter?(hit.row) ?? true else { return }
        hits.add(hit)
    }

    /// Documents of one matcher, without the blocks that cannot win.
    private func collect(
        _ matcher: Matcher, _ range: Range<UInt32>, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        var lower = range.lowerBound
        while lower < range.upperBound {
            let chunk = Int(lower / TextStructure.chunkSlotCount)
            let smallestRow = UInt64(view.smallestRows[chunk])
            var upper = lower + min(range.upperBound - lower, Self.left(in: lower))
            upper = min(upper, max(try matcher.blockEnd(lower), lower + 1))
            if try matcher.bound(lower, upper) <= hits.threshold(smallestRow: smallestRow) {
                lower = upper
                continue
            }
            let dead = view.dead[chunk]
            var slot = try matcher.advance(to: lower)
            while slot < upper {
                if dead?.contains(slot) != true { try offer(slot, try matcher.score(), &hits, filter) }
                slot = try matcher.advance(to: slot + 1)
            }
            if slot == Matcher.end { return }
            lower = max(upper, slot)
        }
    }

    /// How many slots are left in the chunk of a slot.
    private static func left(in slot: UInt32) -> UInt32 {
        TextStructure.chunkSlotCount - slot % TextStructure.chunkSlotCount
    }

    /// Documents of at least one of several matchers: MaxScore (Turtle and Flood, "Query Evaluation: Strategies and
    /// Optimizations", 1995) in windows with the bounds of blocks, as Lucene's bulk scorer has it.
    ///
    /// In a window, the matchers whose bounds together do not reach the threshold cannot bring a document among the best
    /// by themselves. Only the others are walked through; those are asked about the candidates that remain, the largest
    /// bound first, as long as a candidate can still win.
    private func collectAny(
        _ parts: [Matcher], _ range: Range<UInt32>, _ window: ScoreWindow, _ hits: inout TopHits,
        _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let byLargest = parts.sorted { $0.largestScore < $1.largestScore }
        var bounded: [(bound: Int64, part: Matcher)] = []
        var sums: [Int64] = []
        var lower = range.lowerBound
        while lower < range.upperBound {
            let chunk = Int(lower / TextStructure.chunkSlotCount)
            let smallestRow = UInt64(view.smallestRows[chunk])
            let dead = view.dead[chunk]
            let threshold = hits.threshold(smallestRow: smallestRow)
            // The window ends where a block of one that counts ends, but is not too narrow.
            var upper = lower + min(range.upperBound - lower, Self.left(in: lower))
            var sum: Int64 = 0
            for part in byLargest {
                sum += part.largestScore
                guard sum > threshold else { continue }
                upper = min(upper, max(try part.blockEnd(lower), lower + min(256, upper - lower)))
            }
            if sum <= threshold {
                // Nothing in this segment can win against what is there; in another chunk rows may be smaller.
                lower = upper
                continue
            }
            bounded.removeAll(keepingCapacity: true)
            for part in parts {
                let bound = try part.bound(lower, upper)
                if bound >= 0 { bounded.append((bound, part)) }
            }
            bounded.sort { $0.bound < $1.bound }
            sums.removeAll(keepingCapacity: true)
            sum = 0
            var optionalCount = 0
            for entry in bounded {
                sum += entry.bound
                sums.append(sum)
                if sum <= threshold { optionalCount += 1 }
            }
            if optionalCount == bounded.count {
                lower = upper
                continue
            }
            for index in optionalCount..<bounded.count {
                try bounded[index].part.accumulate(lower, upper, into: window)
            }
            try window.drain(upTo: Int(upper - lower)) { offset, partial in
                let slot = lower + UInt32(offset)
                var score = partial
                let threshold = hits.threshold(smallestRow: smallestRow)
                var index = optionalCount - 1
                while index >= 0 {
                    if score + sums[index] <= threshold { return }
                    let part = bounded[index].part
                    if try part.advance(to: slot) == slot { score += try part.score() }
                    index -= 1
                }
                if score <= threshold || dead?.contains(slot) == true { return }
                try offer(slot, score, &hits, filter)
            }
            lower = upper
        }
    }

    // MARK: - Matchers

    /// Looks up every term of the query: its count decides what it weighs in every segment.
    func prepare(_ query: TextQuery) throws { try prepare(query, Scope()) }

    private func prepare(_ query: TextQuery, _ scope: Scope) throws {
        switch query {
        case .nothing: break
        case .phrase(let terms), .near(let terms, _): for term in terms { _ = try word(.term(term)) }
        case .prefix, .fuzzy: if let key = key(query, scope) { _ = try word(key) }
        case .and(let parts), .or(let parts): for part in parts { try prepare(part, scope) }
        case .except(let first, let second), .prefer(let first, let second):
            try prepare(first, scope)
            try prepare(second, scope)
        case .field(let name, let part): try prepare(part, narrowed(scope, to: name))
        case .boost(let part, _): try prepare(part, scope)
        }
    }

    private func key(_ query: TextQuery, _ scope: Scope) -> WordKey? {
        switch query {
        case .prefix(let prefix): prefix.isEmpty ? nil : .prefix(prefix, fields: scope.fields)
        case .fuzzy(let term, let distance):
            // A word of one letter is like any other.
            distance <= 0 || term.count < 2
                ? .term(term) : .fuzzy(term, distance: min(distance, 2), fields: scope.fields)
        default: nil
        }
    }

    /// The scope within a field.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` for a field that the index does not have.
    private func narrowed(_ scope: Scope, to name: String) throws -> Scope {
        let names = index.definition.fields.map(\.description)
        var fields: UInt32 = 0
        for (position, path) in names.enumerated() {
            let last = path.split(separator: ".").last ?? ""
            if path.hasSameBytes(as: name) || last == name || last == name + "[]" { fields |= 1 << UInt32(position) }
        }
        guard fields != 0 else {
            throw DocIndexError(
                .invalidQuery,
                "the text index \(index.definition.name) has no field \(name); it has \(names.joined(separator: ", ")). "
                    + "Put the word in quotes if it is no field")
        }
        return Scope(fields: scope.fields.map { $0 & fields } ?? fields, boost: scope.boost)
    }

    /// How many documents have a term.
    func documentFrequency(of term: [UInt8]) throws -> Int { try word(.term(term)).documentFrequency }

    /// What a term weighs that so many documents have.
    func weight(ofFrequency frequency: Int) -> Double { scorer.weight(documentFrequency: frequency, boost: 1) }

    private func word(_ key: WordKey) throws -> Word {
        if let known = words[key] { return known }
        let word =
            switch key {
            case .term(let term): try exactWord(term)
            case .prefix, .fuzzy:
                try ExpandedWord(key, reader: reader, index: index, view: view).word()
            }
        listCount += word.lists.count
        words[key] = word
        return word
    }

    private func exactWord(_ term: [UInt8]) throws -> Word {
        var word = Word()
        for segment in view.structure.segments {
            let record = try cache.record(term, in: SegmentReader(reader: reader, index: index, segment: segment))
            guard let record else {
                word.lists.append(.none)
                continue
            }
            word.documentFrequency += record.documentCount - Int(record.correction)
            switch record.postings {
            case .none: word.lists.append(.none)
            case .short(let plain): word.lists.append(.plain(plain))
            case .long: word.lists.append(.stored(record))
            }
        }
        let (postings, killCount) = view.pending.postings(of: term, view.limit)
        word.lists.append(postings.slots.isEmpty ? .none : .plain(postings))
        word.documentFrequency += postings.slots.count - killCount
        return word
    }

    /// What matches the query in a segment, or in the pending documents; `nil` if nothing does.
    func matcher(_ query: TextQuery, part: Int) throws -> Matcher? { try matcher(query, Scope(), part: part) }

    private func matcher(_ query: TextQuery, _ scope: Scope, part: Int) throws -> Matcher? {
        switch query {
        case .nothing: return nil
        case .phrase(let terms):
            if terms.count == 1 { return try termMatcher(.term(terms[0]), scope, part: part) }
            return try phraseMatcher(terms, slop: nil, scope, part: part)
        case .near(let terms, let slop):
            if terms.count == 1 { return try termMatcher(.term(terms[0]), scope, part: part) }
            return try phraseMatcher(terms, slop: max(0, slop), scope, part: part)
        case .prefix, .fuzzy:
            return try key(query, scope).flatMap { try termMatcher($0, scope, part: part) }
        case .and(let parts):
            var matchers: [Matcher] = []
            for query in parts {
                guard let matcher = try matcher(query, scope, part: part) else { return nil }
                matchers.append(matcher)
            }
            return matchers.count < 2 ? matchers.first : AndMatcher(matchers)
        case .or(let parts):
            var matchers: [Matcher] = []
            for query in parts {
                guard let matcher = try matcher(query, scope, part: part) else { continue }
                matchers.append(matcher)
            }
            return matchers.count < 2 ? matchers.first : OrMatcher(matchers)
        case .except(let wanted, let unwanted):
            guard let wanted = try matcher(wanted, scope, part: part) else { return nil }
            guard let unwanted = try matcher(unwanted, scope, part: part) else { return wanted }
            return ExceptMatcher(wanted, unwanted)
        case .prefer(let wanted, let optional):
            guard let wanted = try matcher(wanted, scope, part: part) else { return nil }
            guard let optional = try matcher(optional, scope, part: part) else { return wanted }
            return OptionalMatcher(wanted, optional: optional)
        case .field(let name, let query): return try matcher(query, narrowed(scope, to: name), part: part)
        case .boost(let query, let boost):
            let factor = min(max(boost, 0.001), 1000)
            return try matcher(query, Scope(fields: scope.fields, boost: min(1e6, scope.boost * factor)), part: part)
        }
    }

    private func phraseMatcher(_ terms: [[UInt8]], slop: Int?, _ scope: Scope, part: Int) throws -> Matcher? {
        var distinct: [[UInt8]] = []
        var matchers: [TermMatcher] = []
        var order: [Int] = []
        for term in terms {
            if let known = distinct.firstIndex(of: term) {
                order.append(known)
                continue
            }
            guard let matcher = try termMatcher(.term(term), scope, part: part) else { return nil }
            order.append(matchers.count)
            distinct.append(term)
            matchers.append(matcher)
        }
        return matchers.isEmpty ? nil : PhraseMatcher(matchers, order: order, slop: slop)
    }

    private func termMatcher(_ key: WordKey, _ scope: Scope, part: Int) throws -> TermMatcher? {
        let word = try word(key)
        let source: TermMatcher.Source
        var fields = scope.fields
        switch word.lists[part] {
        case .none: return nil
        case .plain(let plain): source = .plain(plain)
        case .stored(let record):
            guard case .term(let term) = key else { return nil }
            let segment = SegmentReader(reader: reader, index: index, segment: view.structure.segments[part])
            source = .stored(record, segment, cache, term: term)
        }
        // Several terms that count as one were narrowed when they were put together.
        if case .term = key {} else { fields = nil }
        return try TermMatcher(
            source, slots: view.slots, scorer: scorer,
            weight: scorer.weight(documentFrequency: word.documentFrequency, boost: scope.boost), fields: fields,
            fieldWeights: index.weights)
    }
}
