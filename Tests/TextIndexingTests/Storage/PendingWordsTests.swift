import TestSupport
import Testing

@testable import TextIndexing

@Suite struct PendingWordsTests {
    private typealias Word = PendingWords.Word

    @Test func `Each term has its words in the order in which they were added`() {
        var log = PendingWords()
        // fog sea fog | rain
        log.append(0, slot: 7, position: TextPosition(field: 0, position: 0))
        log.append(1, slot: 7, position: TextPosition(field: 0, position: 1))
        log.append(0, slot: 7, position: TextPosition(field: 1, position: 0))
        log.append(2, slot: 8, position: TextPosition(field: 31, position: TextPosition.positionLimit))
        #expect(
            Array(log.words(of: 0)) == [
                Word(slot: 7, position: TextPosition(field: 0, position: 0)),
                Word(slot: 7, position: TextPosition(field: 1, position: 0)),
            ])
        #expect(Array(log.words(of: 1)) == [Word(slot: 7, position: TextPosition(field: 0, position: 1))])
        #expect(
            Array(log.words(of: 2))
                == [Word(slot: 8, position: TextPosition(field: 31, position: TextPosition.positionLimit))])
        #expect(Array(log.words(of: 3)).isEmpty)
        #expect(log.count == 4)
    }

    @Test func `A term can have far more words than fit into slices of growing size`() {
        var log = PendingWords()
        // Such a word takes six bytes, and the largest slice has 1 KiB.
        let count: UInt32 = 200_000
        let position = TextPosition(field: 0, position: TextPosition.positionLimit)
        for index in 0..<count { log.append(0, slot: index, position: position) }
        var (next, isRight): (UInt32, Bool) = (0, true)
        for word in log.words(of: 0) {
            isRight = isRight && word.slot == next && word.position == position
            next += 1
        }
        #expect(isRight && next == count)
    }

    @Test func `Random words of any length and number are found again`() {
        var random = DocumentGenerator()
        for _ in 0..<40 {
            var log = PendingWords()
            let termCount = 1 + random.number(below: 60)
            var expected = [[Word]](repeating: [], count: termCount)
            var slot = UInt32(random.number(below: 1 << 31))
            for _ in 0..<random.number(below: 20_000) {
                if random.number(below: 3) == 0 { slot += UInt32(1 << random.number(below: 17)) }
                // Some terms have far more words than others, and some have none.
                let term = min(random.number(below: termCount), random.number(below: termCount))
                let position = TextPosition(
                    field: random.number(below: 32),
                    position: UInt32(random.number(below: 1 << random.number(below: 27))))
                log.append(UInt32(term), slot: slot, position: position)
                expected[term].append(Word(slot: slot, position: position))
            }
            for (term, words) in expected.enumerated() {
                #expect(Array(log.words(of: UInt32(term))) == words, "seed \(random.seed)")
            }
            #expect(log.count == expected.reduce(0) { $0 + $1.count })
        }
    }
}
