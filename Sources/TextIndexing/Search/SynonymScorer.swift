/// A scorer that provides the frequency and the positions of a word in the current document.
class WordScorer: Scorer {
    /// Returns the frequency of the word in the searched fields of the document at ``Scorer/slot``.
    func frequency() throws -> UInt32 { 0 }
    /// Returns the searched fields of that document that contain the word, as bits.
    func fieldSet() throws -> UInt32 { 0 }
    /// The positions that ``readPositions(in:)`` found, in ascending order.
    final let wordPositions = PositionBuffer()
    /// Reads the positions of the word in that document into ``wordPositions``, limited to searched fields that are wanted.
    func readPositions(in wanted: UInt32) throws {}
}

/// Several terms that count as one word. The frequency in a document is the sum of their frequencies.
///
/// No two of them share a position in a document. All have the same weight.
final class SynonymScorer: WordScorer {
    private let parts: [TermScorer]
    private let slots: SlotTable
    private let bm25: BM25
    private let weight: Double

    init(_ parts: [TermScorer], slots: SlotTable, bm25: BM25, weight: Double) {
        self.parts = parts
        self.slots = slots
        self.bm25 = bm25
        self.weight = weight
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        try parts.reduce(Self.end) { min($0, try $1.advance(to: target)) }
    }

    override func frequency() throws -> UInt32 {
        try parts.reduce(0) { $0 &+ ($1.slot == slot ? try $1.frequency() : 0) }
    }

    override func fieldSet() throws -> UInt32 {
        try parts.reduce(0) { $0 | ($1.slot == slot ? try $1.fieldSet() : 0) }
    }

    override func readPositions(in wanted: UInt32) throws {
        wordPositions.removeAll()
        for part in parts where part.slot == slot {
            try part.readPositions(in: wanted)
            wordPositions.append(contentsOf: part.wordPositions)
        }
        wordPositions.sort()
    }

    override func score() throws -> Int64 {
        bm25.contribution(weight, frequency: try frequency(), norm: slots.norm(slot))
    }

    // Each further occurrence adds less, so the sum of the parts' scores is an upper bound; plus 1 each for truncation.
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        var sum: Int64 = -1
        for part in parts {
            let bound = try part.bound(lower, upper)
            if bound >= 0 { sum = max(0, sum) + bound + 1 }
        }
        return sum
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try parts.reduce(Self.end) { min($0, try $1.blockEnd(lower)) }
    }

    override var cost: Int { parts.reduce(0) { $0 + $1.cost } }
    override var largestScore: Int64 { parts.reduce(0) { $0 + $1.largestScore + 1 } }
}
