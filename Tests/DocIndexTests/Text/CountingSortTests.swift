import TestSupport
import Testing

@testable import DocIndex

@Suite struct CountingSortTests {
    @Test func `A counting sort groups numbers by key and keeps them in order`() {
        let keys = [2, 0, 2, 1]
        let sorted = CountingSort(count: keys.count, keyCount: 4) { keys[Int($0)] }
        #expect(sorted.numbers == [1, 3, 0, 2])
        #expect(Array(sorted.group(2..<3)) == [0, 2])
        #expect(Array(sorted.group(0..<2)) == [1, 3])
        #expect(sorted.group(3..<4).isEmpty)
        #expect(CountingSort(count: 0, keyCount: 4) { _ in 0 }.group(0..<4).isEmpty)
    }

    /// A log of words; the word at an index has the index as its position, and two words share a slot.
    private static func log(_ terms: [UInt32]) -> PendingWords {
        let log = PendingWords()
        for (index, term) in terms.enumerated() {
            log.append(
                PendingWord(
                    slot: UInt32(index / 2), place: TextPosition(field: 0, position: UInt32(index)), term: term,
                    previous: 0))
        }
        return log
    }

    @Test func `Gathered words are the words of their terms in the order of the log`() {
        // fog sea fog rain
        var words = GatheredWords(Self.log([0, 1, 0, 2]), termCount: 3)
        words.gather([2, 0])
        #expect(words.range(of: 2) == 0..<1)
        #expect(words.range(of: 0) == 1..<3)
        #expect(words.places[0..<3].map(\.position) == [3, 0, 2])
        #expect(Array(words.slots[0..<3]) == [1, 0, 1])
        #expect(words.counts == [2, 1, 1])
    }

    @Test func `Gathering one group of terms after another finds every word once`() {
        var random = DocumentGenerator()
        for _ in 0..<50 {
            let termCount = 1 + random.number(below: 40)
            let terms = (0..<random.number(below: 500)).map { _ in UInt32(random.number(below: termCount)) }
            var words = GatheredWords(Self.log(terms), termCount: termCount)
            let order = (0..<UInt32(termCount)).shuffled(using: &random)
            var found = 0
            var start = 0
            while start < order.count {
                let end = min(order.count, start + 1 + random.number(below: 8))
                words.gather(order[start..<end])
                for term in order[start..<end] {
                    let range = words.range(of: term)
                    #expect(
                        words.places[range].map { Int($0.position) } == terms.indices.filter { terms[$0] == term },
                        "seed \(random.seed)")
                    found += range.count
                }
                start = end
            }
            #expect(found == terms.count, "seed \(random.seed)")
        }
    }
}
