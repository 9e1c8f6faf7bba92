/// The numbers from 0 on, grouped by a small key and ascending within each group.
///
/// For example, the numbers 0 to 3 with the keys 2, 0, 2, 1 are sorted as 1, 3, 0, 2: the group of key 0 is 1, that of
/// key 1 is 3, and that of key 2 is 0, 2.
struct CountingSort {
    /// The numbers, group by group.
    let numbers: [UInt32]
    /// The start of each group in ``numbers``, and the end of the last.
    private let starts: [UInt32]

    /// Groups the numbers below `count` by keys below `keyCount`.
    ///
    /// - Complexity: O(*n*) in `count` and `keyCount`.
    init(count: Int, keyCount: Int, key: (UInt32) -> Int) {
        var starts = [UInt32](repeating: 0, count: keyCount + 1)
        for number in 0..<UInt32(count) { starts[key(number) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var next = starts
        var numbers = [UInt32](repeating: 0, count: count)
        for number in 0..<UInt32(count) {
            let key = key(number)
            numbers[Int(next[key])] = number
            next[key] += 1
        }
        self.numbers = numbers
        self.starts = starts
    }

    /// Returns the numbers of some consecutive keys.
    func group(_ keys: Range<Int>) -> ArraySlice<UInt32> {
        numbers[Int(starts[keys.lowerBound])..<Int(starts[keys.upperBound])]
    }
}

/// The words of a log, grouped by term for some of its terms: a counting sort that leaves out the other words.
///
/// For example, the log `fog sea fog rain`, gathered for the terms `rain` and `fog`, is `rain fog fog`.
struct GatheredWords {
    /// The number of words of each term in the log.
    let counts: [UInt32]
    /// The slots and places of the gathered words, in the order of the log within each term.
    private(set) var slots: [UInt32] = []
    private(set) var places: [TextPosition] = []
    private let log: PendingWords
    private var terms: ArraySlice<UInt32> = []
    /// The end of each gathered term in ``slots``; ``absent`` for the others.
    private var ends: [UInt32]

    private static let absent = UInt32.max

    /// Counts the words of each term. The log must not grow after this.
    init(_ log: PendingWords, termCount: Int) {
        self.log = log
        var counts = [UInt32](repeating: 0, count: termCount)
        var span = counts.mutableSpan
        log.forEach { span[Int($0.term)] += 1 }
        self.counts = counts
        ends = [UInt32](repeating: Self.absent, count: termCount)
    }

    /// Replaces the gathered words with the words of other terms, in the order of the terms.
    ///
    /// - Complexity: O(*n*) in the number of words in the log.
    mutating func gather(_ terms: ArraySlice<UInt32>) {
        for term in self.terms { ends[Int(term)] = Self.absent }
        self.terms = terms
        var count = 0
        for term in terms {
            ends[Int(term)] = UInt32(count)
            count += Int(counts[Int(term)])
        }
        if slots.count < count {
            slots = [UInt32](repeating: 0, count: count)
            places = [TextPosition](repeating: TextPosition(field: 0, position: 0), count: count)
        }
        // Moved out of the properties, because two of them cannot be borrowed at the same time.
        var (slots, places, ends) = (self.slots, self.places, self.ends)
        (self.slots, self.places, self.ends) = ([], [], [])
        var slotSpan = slots.mutableSpan
        var placeSpan = places.mutableSpan
        var endSpan = ends.mutableSpan
        log.forEach { word in
            let end = endSpan[Int(word.term)]
            if end == Self.absent { return }
            slotSpan[Int(end)] = word.slot
            placeSpan[Int(end)] = word.place
            endSpan[Int(word.term)] = end + 1
        }
        (self.slots, self.places, self.ends) = (slots, places, ends)
    }

    /// Returns where the words of a gathered term are.
    func range(of term: UInt32) -> Range<Int> {
        let end = Int(ends[Int(term)])
        return end - Int(counts[Int(term)])..<end
    }
}
