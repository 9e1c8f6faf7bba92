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

    fileprivate struct Word {
        let slot: UInt32
        let place: TextPlace
        let term: UInt32
        /// The word of the same term before this one, plus one; 0 if there is none.
        let previous: UInt32
    }

    fileprivate struct Kill {
        let number: UInt32
        let previous: UInt32
    }

    fileprivate struct State {
        var terms = TermTable()
        var words: [Word] = []
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
                    Word(
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
        var words: [Word] = []
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
    final class Contents {
        private let state: State
        private let weights: [UInt32]
        /// The terms by their first two bytes, those of each pair together, and where each pair begins.
        private let terms: [UInt32]
        private let starts: [UInt32]
        private var words: [UInt32] = []
        private var places: [TextPlace] = []

        fileprivate init(state: State, weights: [UInt32]) {
            self.state = state
            self.weights = weights
            func pair(_ term: UInt32) -> Int { state.terms.firstBytes(term) }
            var starts = [UInt32](repeating: 0, count: 0x10001)
            for term in 0..<UInt32(state.terms.count) { starts[pair(term) + 1] += 1 }
            for index in 1..<starts.count { starts[index] += starts[index - 1] }
            var next = starts
            var terms = [UInt32](repeating: 0, count: state.terms.count)
            for term in 0..<UInt32(state.terms.count) {
                terms[Int(next[pair(term)])] = term
                next[pair(term)] += 1
            }
            self.terms = terms
            self.starts = starts
        }

        /// How many pairs of first bytes there are.
        static let pairCount = 0x10000

        /// The terms with a pair of first bytes, in order.
        func terms(ofPair pair: Int) -> [UInt32] {
            terms[Int(starts[pair])..<Int(starts[pair + 1])].sorted { state.terms.precedes($0, $1) }
        }

        /// The bytes of a term.
        func bytes(of term: UInt32) -> [UInt8] { Array(state.terms.term(term)) }

        /// Puts the postings of a term into a list, without documents that are dead.
        ///
        /// - Returns: what is to be subtracted from the counts of the segments before.
        func take(_ term: UInt32, isDead: (UInt32) -> Bool, into list: inout PostingList) -> Int64 {
            list.removeAll()
            var (words, places) = (self.words, self.places)
            (self.words, self.places) = ([], [])
            defer { (self.words, self.places) = (words, places) }
            words.removeAll(keepingCapacity: true)
            var next = state.newestWords[Int(term)]
            while next > 0 {
                words.append(next - 1)
                next = state.words[Int(next) - 1].previous
            }
            var deadCount = 0
            var index = words.count - 1
            while index >= 0 {
                let slot = state.words[Int(words[index])].slot
                places.removeAll(keepingCapacity: true)
                var frequency: UInt32 = 0
                while index >= 0, state.words[Int(words[index])].slot == slot {
                    let place = state.words[Int(words[index])].place
                    places.append(place)
                    frequency &+= weights[place.field]
                    index -= 1
                }
                if isDead(slot) {
                    deadCount += 1
                } else {
                    list.append(slot: slot, frequency: frequency, places: places.span)
                }
            }
            var killCount = 0
            next = state.newestKills[Int(term)]
            while next > 0 {
                killCount += 1
                next = state.kills[Int(next) - 1].previous
            }
            return Int64(killCount - deadCount)
        }
    }
}
