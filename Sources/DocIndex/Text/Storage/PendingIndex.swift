internal import Synchronization

/// The postings of documents that are in no segment yet: a log of words in memory, which grows until it is flushed.
///
/// The words of each term are chained from the newest to the oldest. A reader walks the chain and passes over what was
/// added after its moment, so one log serves every reader: each says how far it sees. Killed documents are a second log
/// of the same form, with the terms that they had.
final class PendingIndex: Sendable {
    /// How far a reader sees.
    struct Limit: Sendable, Hashable {
        var slot: UInt32
        var killCount: UInt32
    }

    fileprivate struct Kill {
        let number: UInt32
        let previous: UInt32
    }

    fileprivate struct State {
        var terms = TermTable()
        let words = PendingWords()
        var kills: [Kill] = []
        /// Of each term the newest word and the newest kill, plus one.
        var newestWords: [UInt32] = []
        var newestKills: [UInt32] = []
        /// The terms in order, as many as there were when somebody asked.
        var sorted: [UInt32] = []

        mutating func number(of term: Span<UInt8>) -> UInt32 {
            let number = terms.insert(term)
            if Int(number) == newestWords.count {
                newestWords.append(0)
                newestKills.append(0)
            }
            return number
        }
    }

    /// How often an occurrence in each field counts.
    let weights: [UInt32]
    private let state = Mutex(State())

    init(weights: [UInt32]) { self.weights = weights }

    /// How many words there are.
    var wordCount: Int { state.withLock { $0.words.count } }

    /// Adds the words of a document. Slots must rise.
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

    /// Adds a document that died, with its terms.
    func kill(_ terms: Analyzer.Terms, number kill: UInt32) -> [UInt8] {
        state.withLock { state in
            var record: [UInt8] = []
            for index in 0..<terms.count {
                terms.withTerm(index) { term in
                    let number = state.number(of: term)
                    let newest = state.newestKills[Int(number)]
                    if newest > 0, state.kills[Int(newest) - 1].number == kill { return }
                    state.kills.append(Kill(number: kill, previous: newest))
                    state.newestKills[Int(number)] = UInt32(state.kills.count)
                    Varint.append(UInt64(term.count), to: &record)
                    unsafe term.withUnsafeBufferPointer { unsafe record.append(contentsOf: $0) }
                }
            }
            return record
        }
    }

    // MARK: - Reading

    /// The postings of a term, and how many documents with it have died.
    func postings(of term: [UInt8], _ limit: Limit) -> (postings: PlainPostings, killCount: Int) {
        state.withLock { state in
            guard let number = state.terms.number(of: term.span) else { return (PlainPostings(), 0) }
            return (
                postings(Int(number), &state, from: 0, to: limit.slot), kills(Int(number), state, limit.killCount)
            )
        }
    }

    private func kills(_ number: Int, _ state: borrowing State, _ limit: UInt32) -> Int {
        var count = 0
        var next = state.newestKills[number]
        while next > 0 {
            let kill = state.kills[Int(next) - 1]
            if kill.number < limit { count += 1 }
            next = kill.previous
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
        var places: [TextPlace] = []
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

    /// The terms that begin with some bytes, in order.
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

    /// What is in the log, for whoever writes it as a segment. The log must not grow any more.
    var contents: Contents { Contents(state: state.withLock { $0 }, weights: weights) }

    /// A log that is whole: its terms in order, and what is to be stored of each. For one thread at a time.
    ///
    /// The words of a term lie far apart in the log. They are brought together for many terms at once, by one walk through the
    /// log: following each term through it would wait for memory at every step.
    final class Contents {
        private let state: State
        private let weights: [UInt32]
        /// The terms by their first two bytes, those of each pair together, and where each pair begins.
        private let terms: [UInt32]
        private let starts: [UInt32]
        /// How many words each term has.
        private let counts: [UInt32]
        /// Slots and places of the words of some neighbouring pairs of first bytes, those of each term together and in order.
        private var slots: [UInt32] = []
        private var places: [TextPlace] = []
        private var gathered = 0..<0
        /// Where in ``slots`` the words of each term end; ``elsewhere`` of those that are not there.
        private var ends: [UInt32]

        private static let elsewhere = UInt32.max
        /// How many words are brought together at a time, about.
        private static let gatheredWordCount = 1 << 20

        fileprivate init(state: State, weights: [UInt32]) {
            self.state = state
            self.weights = weights
            func pair(_ term: UInt32) -> Int { state.terms.firstBytes(term) }
            var starts = [UInt32](repeating: 0, count: Self.pairCount + 1)
            for term in 0..<UInt32(state.terms.count) { starts[pair(term) + 1] += 1 }
            for index in 1..<starts.count { starts[index] += starts[index - 1] }
            var next = starts
            var terms = [UInt32](repeating: 0, count: state.terms.count)
            for term in 0..<UInt32(state.terms.count) {
                terms[Int(next[pair(term)])] = term
                next[pair(term)] += 1
            }
            var counts = [UInt32](repeating: 0, count: state.terms.count)
            var span = counts.mutableSpan
            state.words.forEach { span[Int($0.term)] += 1 }
            self.terms = terms
            self.starts = starts
            self.counts = counts
            ends = [UInt32](repeating: Self.elsewhere, count: terms.count)
        }

        /// How many pairs of first bytes there are.
        static let pairCount = 0x10000

        /// The terms with a pair of first bytes, in order. Pairs must rise from call to call.
        func terms(ofPair pair: Int) -> [UInt32] {
            let range = Int(starts[pair])..<Int(starts[pair + 1])
            if range.isEmpty { return [] }
            if !gathered.contains(pair) { gather(from: pair) }
            return terms[range].sorted { state.terms.precedes($0, $1) }
        }

        /// The bytes of a term.
        func bytes(of term: UInt32) -> [UInt8] { Array(state.terms.term(term)) }

        private func gather(from pair: Int) {
            for term in terms[Int(starts[gathered.lowerBound])..<Int(starts[gathered.upperBound])] {
                ends[Int(term)] = Self.elsewhere
            }
            var upper = pair
            var count = 0
            while upper < Self.pairCount, count < Self.gatheredWordCount {
                for term in terms[Int(starts[upper])..<Int(starts[upper + 1])] {
                    ends[Int(term)] = UInt32(count)
                    count += Int(counts[Int(term)])
                }
                upper += 1
            }
            gathered = pair..<upper
            if slots.count < count {
                slots = [UInt32](repeating: 0, count: count)
                places = [TextPlace](repeating: TextPlace(field: 0, position: 0), count: count)
            }
            var (slots, places, ends) = (self.slots, self.places, self.ends)
            (self.slots, self.places, self.ends) = ([], [], [])
            var slotSpan = slots.mutableSpan
            var placeSpan = places.mutableSpan
            var endSpan = ends.mutableSpan
            state.words.forEach { word in
                let end = endSpan[Int(word.term)]
                if end == Self.elsewhere { return }
                slotSpan[Int(end)] = word.slot
                placeSpan[Int(end)] = word.place
                endSpan[Int(word.term)] = end + 1
            }
            (self.slots, self.places, self.ends) = (slots, places, ends)
        }

        /// Puts the postings of a term into a list, without documents that are dead. The term is one of those that
        /// ``terms(ofPair:)`` gave last.
        ///
        /// - Returns: what is to be subtracted from the counts of the segments before.
        func take(_ term: UInt32, isDead: (UInt32) -> Bool, into list: inout PostingList) -> Int64 {
            let end = Int(ends[Int(term)])
            var index = end - Int(counts[Int(term)])
            list.removeAll()
            list.reserveCapacity(end - index)
            let (slots, places, weights) = (self.slots, self.places, self.weights)
            let slotSpan = slots.span
            let placeSpan = places.span
            var deadCount = 0
            while index < end {
                let slot = slotSpan[index]
                let start = index
                var frequency: UInt32 = 0
                repeat {
                    frequency &+= weights[placeSpan[index].field]
                    index += 1
                } while index < end && slotSpan[index] == slot
                if isDead(slot) {
                    deadCount += 1
                } else {
                    list.append(slot: slot, frequency: frequency, places: placeSpan.extracting(start..<index))
                }
            }
            var killCount = 0
            var next = state.newestKills[Int(term)]
            while next > 0 {
                killCount += 1
                next = state.kills[Int(next) - 1].previous
            }
            return Int64(killCount - deadCount)
        }
    }
}
