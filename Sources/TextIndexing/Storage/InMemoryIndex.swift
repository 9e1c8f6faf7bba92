internal import Synchronization

/// The postings of documents that are not in a segment yet: an in-memory log of words that grows until it is flushed.
///
/// A reader ignores words added after its snapshot, so that one log serves all readers, each with its own ``Limit``.
/// Deleted documents form a second log, with the terms that they contained: the entries of each term form a chain from
/// newest to oldest.
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
        var words = PendingWords()
        var tombstones: [Tombstone] = []
        /// The index plus one of the newest tombstone of each term; shorter if the last terms have none.
        var newestTombstones: [UInt32] = []
        /// The terms in order, as of the latest request.
        var sorted: [UInt32] = []

        /// Returns the index plus one of the newest tombstone of a term; 0 if there is none.
        func newestTombstone(_ term: UInt32) -> UInt32 {
            Int(term) < newestTombstones.count ? newestTombstones[Int(term)] : 0
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
                let number = document.terms.withTerm(index) { state.terms.insert($0) }
                state.words.append(number, slot: slot, position: document.positions[index])
            }
        }
    }

    /// Records the terms of a deleted document, and returns the record to store.
    func delete(_ terms: SimpleAnalyzer.Terms, number tombstone: UInt32) -> [UInt8] {
        state.withLock { state in
            var record: [UInt8] = []
            for index in 0..<terms.count {
                terms.withTerm(index) { term in
                    let number = state.terms.insert(term)
                    let newest = state.newestTombstone(number)
                    if newest > 0, state.tombstones[Int(newest) - 1].number == tombstone { return }
                    state.tombstones.append(Tombstone(number: tombstone, previous: newest))
                    while state.newestTombstones.count <= Int(number) { state.newestTombstones.append(0) }
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
                postings(number, state, before: limit.slot), tombstones(number, state, limit.tombstoneCount)
            )
        }
    }

    private func tombstones(_ number: UInt32, _ state: borrowing State, _ limit: UInt32) -> Int {
        var count = 0
        var next = state.newestTombstone(number)
        while next > 0 {
            let tombstone = state.tombstones[Int(next) - 1]
            if tombstone.number < limit { count += 1 }
            next = tombstone.previous
        }
        return count
    }

    private func postings(_ number: UInt32, _ state: borrowing State, before limit: UInt32) -> PlainPostings {
        var list = PostingList()
        var documents = PendingDocuments(state.words.words(of: number), weights: weights)
        while let slot = documents.next(), slot < limit { documents.append(to: &list) }
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
    final class Contents {
        private let state: State
        private let weights: [UInt32]
        /// The terms by their first two bytes.
        private let terms: CountingSort

        fileprivate init(state: State, weights: [UInt32]) {
            self.state = state
            self.weights = weights
            terms = CountingSort(count: state.terms.count, keyCount: Self.pairCount) { state.terms.firstBytes($0) }
        }

        /// The number of pairs of first bytes.
        static let pairCount = 0x10000

        /// Returns the terms with a pair of first bytes, in order.
        func terms(ofPair pair: Int) -> [UInt32] {
            let group = terms.group(pair..<pair + 1)
            // Most pairs have no term.
            return group.isEmpty ? [] : group.sorted { state.terms.precedes($0, $1) }
        }

        /// Returns the bytes of a term.
        func bytes(of term: UInt32) -> [UInt8] { Array(state.terms.term(term)) }

        /// Puts the postings of a term into a list, without deleted documents.
        ///
        /// - Returns: the number to subtract from the document counts of earlier segments.
        func take(_ term: UInt32, isDeleted: (UInt32) -> Bool, into list: inout PostingList) -> Int64 {
            list.removeAll()
            var deletedCount = 0
            var documents = PendingDocuments(state.words.words(of: term), weights: weights)
            while let slot = documents.next() {
                if isDeleted(slot) { deletedCount += 1 } else { documents.append(to: &list) }
            }
            var tombstoneCount = 0
            var next = state.newestTombstone(term)
            while next > 0 {
                tombstoneCount += 1
                next = state.tombstones[Int(next) - 1].previous
            }
            return Int64(tombstoneCount - deletedCount)
        }
    }
}

/// The documents that contain a term, one after the other.
private struct PendingDocuments {
    private var words: PendingWords.Words
    private let weights: [UInt32]
    /// The first word of the document after the present one.
    private var word: PendingWords.Word?
    private var slot: UInt32 = 0
    private var frequency: UInt32 = 0
    private var positions: [TextPosition] = []

    init(_ words: PendingWords.Words, weights: [UInt32]) {
        self.words = words
        self.weights = weights
        word = self.words.next()
    }

    /// Moves to the next document, and returns its slot.
    @inline(__always)
    mutating func next() -> UInt32? {
        guard var word else { return nil }
        slot = word.slot
        frequency = 0
        positions.removeAll(keepingCapacity: true)
        repeat {
            positions.append(word.position)
            frequency &+= weights[word.position.field]
            guard let next = words.next() else {
                self.word = nil
                return slot
            }
            word = next
        } while word.slot == slot
        self.word = word
        return slot
    }

    /// Appends the posting of the document.
    @inline(__always)
    func append(to list: inout PostingList) { list.append(slot: slot, frequency: frequency, positions: positions.span) }
}
