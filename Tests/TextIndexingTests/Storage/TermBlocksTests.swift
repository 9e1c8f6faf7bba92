import Testing

@testable import TextIndexing

@Suite struct TermBlocksTests {
    /// The example in the documentation of `TermBlocks`: slots 0 to 299 with a term once each, but five times in slot 200.
    private struct Example {
        let postings: PlainPostings
        let slots = SlotTable(capacity: 300)
        // All documents have ten words, so the average is ten.
        let bm25 = BM25(IndexStatistics(documents: 300, words: 3000))

        init() {
            var list = PostingList()
            for slot in 0..<300 as Range<UInt32> {
                let frequency: UInt32 = slot == 200 ? 5 : 1
                let places = (0..<frequency).map { TextPosition(field: 0, position: $0) }
                list.append(slot: slot, frequency: frequency, positions: places.span)
                slots.set(slot, row: slot + 1, norm: TextNorm.code(10))
            }
            postings = PlainPostings(
                slots: list.slots, frequencies: list.frequencies, fields: list.fields, positions: list.positions)
        }

        func blocks() throws -> TermBlocks {
            try TermBlocks(.plain(postings), slots: slots, bm25: bm25, weight: 100, scope: nil)
        }

        func scorer() throws -> TermScorer {
            try TermScorer(
                .plain(postings), slots: slots, bm25: bm25, weight: 100, fields: nil, fieldWeights: [1])
        }
    }

    @Test func `Block maxima are known without decoding a block`() throws {
        let blocks = try Example().blocks()
        var found: [[Int64]] = []
        var slot: UInt32 = 0
        while try blocks.move(to: slot) {
            found.append([Int64(slot), Int64(blocks.last), blocks.blockMaximum])
            #expect(!blocks.isDecoded)
            slot = blocks.last + 1
        }
        #expect(found == [[0, 127, 45], [128, 255, 80], [256, 299, 45]])
        #expect(blocks.isAtEnd)
        #expect(blocks.largestScore == 80)
    }

    @Test func `The maximum of a range covers every block that it touches`() throws {
        let example = Example()
        func maximum(_ lower: UInt32, _ upper: UInt32) throws -> Int64 { try example.blocks().maximum(lower, upper) }
        #expect(try maximum(0, 128) == 45)
        #expect(try maximum(0, 129) == 80)
        #expect(try maximum(256, 1000) == 45)
        #expect(try maximum(300, 1000) == -1)
    }

    @Test func `At a threshold of 60, slot 200 is the only candidate`() throws {
        let scorer = try Example().scorer()
        let block = try #require(try scorer.openBlock(from: 128))
        #expect(block == 0..<128)
        let first = scorer.firstCandidate(above: 60, from: block.lowerBound, to: block.upperBound)
        #expect(scorer.slot(at: first.index) == 200)
        #expect(first.score == 80)
        let next = scorer.firstCandidate(above: 60, from: first.index + 1, to: block.upperBound)
        #expect(next.index == block.upperBound)
    }

    @Test func `The example in the documentation has the documented scores`() throws {
        let scorer = try Example().scorer()
        for slot in [0, 127, 128, 199, 200, 201, 256, 299] as [UInt32] {
            #expect(try scorer.advance(to: slot) == slot)
            #expect(try scorer.score() == (slot == 200 ? 80 : 45))
        }
        #expect(try scorer.advance(to: 300) == Scorer.end)
    }

    @Test func `The positions of a posting are read on demand, and can be read again`() throws {
        let scorer = try Example().scorer()
        for slot in [3, 200, 299] as [UInt32] {
            _ = try scorer.advance(to: slot)
            for _ in 0..<2 {
                try scorer.readPositions(in: .max)
                let positions = (0..<scorer.wordPositions.count).map { scorer.wordPositions[$0].position }
                #expect(positions == (slot == 200 ? [0, 1, 2, 3, 4] : [0]))
            }
        }
    }
}
