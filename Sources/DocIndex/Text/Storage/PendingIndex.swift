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

    private struct Word {
        let slot: UInt32
        let place: TextPlace
        let term: UInt32
        /// The word of the same term before this one, plus one; 0 if there is none.
        let previous: UInt32
    }

    private struct Kill {
        let number: UInt32
        let previous: UInt32
    }

    private struct State {
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
                    for position in term.indices { record.append(term[position]) }
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

    /// Calls `body` with each term in order: the postings of documents that are alive, and what is to be subtracted
    /// from the counts of the segments before.
    func forEachTerm(
        isDead: (UInt32) -> Bool, _ body: (_ term: [UInt8], _ postings: PostingList, _ correction: Int64) throws -> Void
    ) throws {
        // The writer alone adds to the log, and it is the writer who flushes.
        let state = self.state.withLock { $0 }
        // A counting sort: the words of each term together, in the order in which they were added.
        var ends = [Int](repeating: 0, count: state.terms.count + 1)
        for word in state.words { ends[Int(word.term) + 1] += 1 }
        for index in 1..<ends.count { ends[index] += ends[index - 1] }
        var order = [UInt32](repeating: 0, count: state.words.count)
        var next = ends
        for (index, word) in state.words.enumerated() {
            order[next[Int(word.term)]] = UInt32(index)
            next[Int(word.term)] += 1
        }
        let sorted = (0..<UInt32(state.terms.count)).sorted { state.terms.precedes($0, $1) }
        var list = PostingList()
        var places: [TextPlace] = []
        for number in sorted {
            list.removeAll()
            var deadCount = 0
            var index = ends[Int(number)]
            let end = ends[Int(number) + 1]
            while index < end {
                let slot = state.words[Int(order[index])].slot
                places.removeAll(keepingCapacity: true)
                var frequency: UInt32 = 0
                while index < end, state.words[Int(order[index])].slot == slot {
                    let place = state.words[Int(order[index])].place
                    places.append(place)
                    frequency += weights[place.field]
                    index += 1
                }
                if isDead(slot) {
                    deadCount += 1
                } else {
                    list.append(slot: slot, frequency: frequency, places: places.span)
                }
            }
            let correction = kills(Int(number), state, .max) - deadCount
            if list.count > 0 || correction != 0 {
                try body(Array(state.terms.term(number)), list, Int64(correction))
            }
        }
    }
}
