internal import Synchronization

/// The postings of documents that are not in a segment yet: an in-memory log of words that grows until it is flushed.
///
/// The words of each term form a chain from newest to oldest. A reader walks the chain and skips words added after its
/// snapshot, so that one log serves all readers, each with its own ``Limit``. Deleted documents form a second log of
/// the same structure, with the terms that they contained.
final class InMemoryIndex: Sendable {
    /// The part of the log that is visible to a reader.
    struct Limit: Sendable, Hashable {
        var slot: UInt32
        var tombstoneCount: UInt32
    }

    fileprivate struct Tombstone {
        let number: UInt32
        let previous: UInt32
    }

    fileprivate struct State {
        var terms = TermTable()
        let words = PendingWords()
        var tombstones: [Tombstone] = []
        /// The index plus one of the newest word and the newest tombstone of each term.
        var newestWords: [UInt32] = []
        var newestTombstones: [UInt32] = []
        /// The terms in order, as of the latest request.
        var sorted: [UInt32] = []

        mutating func number(of term: Span<UInt8>) -> UInt32 {
            let number = terms.insert(term)
            if Int(number) == newestWords.count {
                newestWords.append(0)
                newestTombstones.append(0)
            }
            return number
        }
    }

    /// The weight of an occurrence in each field.
    let weights: [UInt32]
    private let state = Mutex(State())

    init(weights: [UInt32]) { self.weights = weights }

    /// The number of words in the log.
    var wordCount: Int { state.withLock { $0.words.count } }

    /// Adds the words of a document. Slots must ascend.
    func add(_ document: AnalyzedDocument, slot: UInt32) {
        state.withLock { state in
            for index in 0..<document.terms.count {
                let number = document.terms.withTerm(index) { state.number(of: $0) }
                state.words.append(
                    PendingWord(
                        slot: slot, place: document.places[index], term: number,
                        previous: state.newestWords[Int(number)]))
                state.newestWords[Int(number)] = UInt32(state.words.count)
            }
        }
    }

    /// Records the terms of a deleted document, and returns the record to store.
    func delete(_ terms: SimpleAnalyzer.Terms, number tombstone: UInt32) -> [UInt8] {
        state.withLock { state in
            var record: [UInt8] = []
            for index in 0..<terms.count {
                terms.withTerm(index) { term in
                    let number = state.number(of: term)
                    let newest = state.newestTombstones[Int(number)]
                    if newest > 0, state.tombstones[Int(newest) - 1].number == tombstone { return }
                    state.tombstones.append(Tombstone(number: tombstone, previous: newest))
                    state.newestTombstones[Int(number)] = UInt32(state.tombstones.count)
                    Varint.append(UInt64(term.count), to: &record)
                    unsafe term.withUnsafeBufferPointer { unsafe record.append(contentsOf: $0) }
                }
            }
            return record
        }
    }

    // MARK: - Reading

    /// Returns the postings of a term and the number of deleted documents that contained it.
    func postings(of term: [UInt8], _ limit: Limit) -> (postings: PlainPostings, tombstoneCount: Int) {
        state.withLock { state in
            guard let number = state.terms.number(of: term.span) else { return (PlainPostings(), 0) }
            return (
                postings(Int(number), &state, from: 0, to: limit.slot),
                tombstones(Int(number), state, limit.tombstoneCount)
            )
        }
    }

    private func tombstones(_ number: Int, _ state: borrowing State, _ limit: UInt32) -> Int {
        var count = 0
        var next = state.newestTombstones[number]
        while next > 0 {
            let tombstone = state.tombstones[Int(next) - 1]
            if tombstone.number < limit { count += 1 }
            next = tombstone.previous
        }
        return count
    }

    private func postings(_ number: Int, _ state: inout State, from lower: UInt32, to upper: UInt32) -> PlainPostings {
        var words: [PendingWord] = []
        var next = state.newestWords[number]
        while next > 0 {
            let word = state.words[Int(next) - 1]
            if word.slot < lower { break }
            if word.slot < upper { words.append(word) }
            next = word.previous
        }
        var list = PostingList()
        var places: [TextPosition] = []
        var index = words.count - 1
        while index >= 0 {
            let slot = words[index].slot
            places.removeAll(keepingCapacity: true)
            var frequency: UInt32 = 0
            while index >= 0, words[index].slot == slot {
                places.append(words[index].place)
                frequency += weights[words[index].place.field]
                index -= 1
            }
            list.append(slot: slot, frequency: frequency, places: places.span)
        }
        return PlainPostings(
            slots: list.slots, frequencies: list.frequencies, fields: list.fields, positions: list.positions)
    }

    /// Calls `body` with each term that contains a part, in any order.
    func forEachTerm(containing part: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
        state.withLock { state in
            for number in 0..<UInt32(state.terms.count) {
                let term = state.terms.term(number)
                guard term.count >= part.count else { continue }
                let starts = term.startIndex...(term.endIndex - part.count)
                if starts.contains(where: { term[$0...].starts(with: part) }) { body(term) }
            }
        }
    }

    /// Returns the terms with a prefix, in order.
    func terms(from prefix: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            if state.sorted.count < state.terms.count {
                state.sorted = (0..<UInt32(state.terms.count)).sorted { state.terms.precedes($0, $1) }
            }
            var lower = 0
            var upper = state.sorted.count
            while lower < upper {
                let middle = (lower + upper) / 2
                if state.terms.term(state.sorted[middle]).lexicographicallyPrecedes(prefix) {
                    lower = middle + 1
                } else {
                    upper = middle
                }
            }
            var found: [[UInt8]] = []
            while lower < state.sorted.count {
                let term = state.terms.term(state.sorted[lower])
                guard term.starts(with: prefix) else { break }
                found.append(Array(term))
                lower += 1
            }
            return found
        }
    }

    // MARK: - Flushing

    /// The contents of the log for writing a segment. The log must not grow after this.
    var contents: Contents { Contents(state: state.withLock { $0 }, weights: weights) }

    /// The contents of a complete log: its terms in order, and the postings of each. Not thread-safe.
    ///
    /// The words of a term are far apart in the log. They are gathered for many terms at once in one pass through the
    /// log, because following the chain of each term would cause a cache miss at every step.
    final class Contents {
        private let state: State
        private let weights: [UInt32]
        /// The terms by their first two bytes.
        private let terms: CountingSort
        private var words: GatheredWords
        /// The pairs of first bytes whose words are gathered.
        private var gathered = 0..<0

        /// The approximate number of words to gather at a time.
        private static let gatheredWordCount = 1 << 20

        fileprivate init(state: State, weights: [UInt32]) {
            self.state = state
            self.weights = weights
            terms = CountingSort(count: state.terms.count, keyCount: Self.pairCount) { state.terms.firstBytes($0) }
            words = GatheredWords(state.words, termCount: state.terms.count)
        }

        /// The number of pairs of first bytes.
        static let pairCount = 0x10000

        /// Returns the terms with a pair of first bytes, in order. Pairs must ascend from call to call.
        func terms(ofPair pair: Int) -> [UInt32] {
            let terms = terms.group(pair..<pair + 1)
            if terms.isEmpty { return [] }
            if !gathered.contains(pair) { gather(from: pair) }
            return terms.sorted { state.terms.precedes($0, $1) }
        }

        /// Returns the bytes of a term.
        func bytes(of term: UInt32) -> [UInt8] { Array(state.terms.term(term)) }

        private func gather(from pair: Int) {
            var upper = pair
            var count = 0
            while upper < Self.pairCount, count < Self.gatheredWordCount {
                for term in terms.group(upper..<upper + 1) { count += Int(words.counts[Int(term)]) }
                upper += 1
            }
            gathered = pair..<upper
            words.gather(terms.group(gathered))
        }

        /// Puts the postings of a term into a list, without deleted documents. The term must be from the latest result
        /// of ``terms(ofPair:)``.
        ///
        /// - Returns: the number to subtract from the document counts of earlier segments.
        func take(_ term: UInt32, isDeleted: (UInt32) -> Bool, into list: inout PostingList) -> Int64 {
            let range = words.range(of: term)
            var index = range.lowerBound
            list.removeAll()
            list.reserveCapacity(range.count)
            let (slots, places, weights) = (words.slots, words.places, self.weights)
            let slotSpan = slots.span
            let placeSpan = places.span
            var deletedCount = 0
            while index < range.upperBound {
                let slot = slotSpan[index]
                let start = index
                var frequency: UInt32 = 0
                repeat {
                    frequency &+= weights[placeSpan[index].field]
                    index += 1
                } while index < range.upperBound && slotSpan[index] == slot
                if isDeleted(slot) {
                    deletedCount += 1
                } else {
                    list.append(slot: slot, frequency: frequency, places: placeSpan.extracting(start..<index))
                }
            }
            var tombstoneCount = 0
            var next = state.newestTombstones[Int(term)]
            while next > 0 {
                tombstoneCount += 1
                next = state.tombstones[Int(next) - 1].previous
            }
            return Int64(tombstoneCount - deletedCount)
        }
    }
}
