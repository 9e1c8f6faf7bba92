/// The scores of one term in one segment, or in the pending documents.
///
/// Each block is decoded in steps: the block maximum comes from the block header (``TermBlocks``), then the slots are
/// decoded, then the frequencies. Fields and positions are decoded only on demand.
@safe final class TermScorer: WordScorer {
    /// The source of the postings.
    enum Source {
        /// Decoded, in memory.
        case plain(PlainPostings)
        /// Stored in blocks.
        case stored(StoredPostings)
    }

    private let blocks: TermBlocks
    /// The buffer of ``blocks``.
    private let buffer: BlockBuffer
    private let positions: TermPositions
    private let slots: SlotTable
    private let bm25: BM25
    private let weight: Double
    /// The fields in which the term must occur.
    private let scope: FieldScope
    private let fields: UInt32
    private let isScoped: Bool
    /// The index of the current posting in the block.
    private var index = 0

    // The latest threshold passed to `firstCandidate`, and the limit derived from it.
    private var candidateThreshold = Int64.min
    private var candidateLimit = 0.0

    /// The counts of each field set code of the block, in a search of certain fields.
    private var scopes: UnsafeMutablePointer<FieldScope.Counts>?
    private var hasScopes = false

    init(
        _ source: Source, slots: SlotTable, bm25: BM25, weight: Double, fields: UInt32?, fieldWeights: [UInt32]
    ) throws {
        self.slots = slots
        self.bm25 = bm25
        self.weight = weight
        self.fields = fields ?? .max
        isScoped = fields != nil
        scope = FieldScope(fields: fields ?? .max, weights: fieldWeights)
        blocks = try TermBlocks(
            source, slots: slots, bm25: bm25, weight: weight, scope: fields == nil ? nil : scope)
        buffer = blocks.buffer
        positions = TermPositions(blocks)
        super.init()
    }

    deinit { unsafe scopes?.deallocate() }

    override var cost: Int { blocks.documentCount }
    override var largestScore: Int64 { blocks.largestScore }

    // MARK: - Moving

    private func decode() throws {
        hasScopes = false
        index = 0
        try blocks.decode()
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var target = target
        while try blocks.move(to: target) {
            if !blocks.isDecoded { try decode() }
            index = buffer.index(ofSlot: target, from: index)
            if !isScoped { return unsafe buffer.slots[index] }
            try blocks.readFields()
            while index < buffer.count {
                if buffer.fieldSet(at: index) & fields != 0 { return unsafe buffer.slots[index] }
                index += 1
            }
            index = buffer.count - 1
            target = blocks.last + 1
        }
        return Self.end
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try blocks.move(to: lower) ? blocks.last + 1 : Self.end
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        if isPlaced, slot >= upper { return -1 }
        return try blocks.maximum(lower, upper)
    }

    // MARK: - Scores

    override func score() throws -> Int64 {
        return bm25.contribution(weight, frequency: try frequency(), norm: slots.norm(slot))
    }

    override var scoresAreExact: Bool { !isScoped }

    override func scoreBound() throws -> Int64 {
        if !isScoped { return try score() }
        let most = scope.counts(in: try currentSet()).most(buffer.frequency(at: index))
        return bm25.contribution(weight, frequency: most, norm: slots.norm(slot))
    }

    private func findScopes() -> UnsafeMutablePointer<FieldScope.Counts> {
        let scopes = unsafe scopes ?? .allocate(capacity: TermEncoder.blockCount)
        unsafe self.scopes = scopes
        for code in 0..<min(buffer.codeCount, TermEncoder.blockCount) {
            unsafe (scopes + code).initialize(to: scope.counts(in: buffer.fieldSet(ofCode: code)))
        }
        hasScopes = true
        return unsafe scopes
    }

    /// Returns how often the term occurs in the searched fields.
    override func frequency() throws -> UInt32 {
        let frequency = buffer.frequency(at: index)
        if !isScoped { return frequency }
        let counts = scope.counts(in: try currentSet())
        if counts.others == 0 { return frequency }
        if counts.least == counts.most(frequency) { return counts.least }
        // The term is in other fields too, and occurs more often than once in each: count its positions.
        try readPositions(in: fields)
        var sum: UInt32 = 0
        for index in 0..<wordPositions.count { sum &+= scope.weights[wordPositions[index].field] }
        return sum
    }

    override func candidateScore(
        of slot: UInt32, factor: Int64, above threshold: Int64, next: inout UInt32
    ) throws -> Int64? {
        if isScoped { return try super.candidateScore(of: slot, factor: factor, above: threshold, next: &next) }
        if isPlaced, self.slot > slot {
            next = max(next, self.slot)
            return nil
        }
        guard try blocks.move(to: slot) else {
            next = Self.end
            return nil
        }
        if blocks.blockMaximum * factor <= threshold { return nil }
        if !isPlaced || self.slot < slot {
            if !blocks.isDecoded { try decode() }
            index = buffer.index(ofSlot: slot, from: index)
            place(self.slot(at: index))
            if self.slot > slot {
                next = max(next, self.slot)
                return nil
            }
        }
        let score = bm25.contribution(weight, frequency: buffer.frequency(at: index), norm: slots.norm(slot)) * factor
        return score > threshold ? score : nil
    }

    override func fieldSet() throws -> UInt32 { try currentSet() & fields }

    /// Returns the set of fields in which the current document has the term.
    private func currentSet() throws -> UInt32 {
        let set = buffer.fieldSet(at: index)
        // A posting with no field is corrupt.
        if set == 0 { throw blocks.damage("a block of postings") }
        return set
    }

    /// Opens the block that contains the first posting at or after `target`.
    ///
    /// - Returns: the indexes of that posting and of all after it in the block; `nil` after the last posting.
    func openBlock(from target: UInt32) throws -> Range<Int>? {
        guard try blocks.move(to: target) else { return nil }
        if !blocks.isDecoded { try decode() }
        index = buffer.index(ofSlot: target, from: index)
        buffer.readFrequencies()
        if isScoped { try blocks.readFields() }
        return index..<buffer.count
    }

    /// Returns the first index at or after `index` whose document may score more than `threshold`, and its
    /// ``scoreBound()``; `end` if there is none. In a search of certain fields, skips documents that have the term only
    /// in others.
    func firstCandidate(above threshold: Int64, from index: Int, to end: Int) -> (index: Int, score: Int64) {
        precondition(index >= 0 && end <= buffer.count)
        if threshold != candidateThreshold {
            candidateThreshold = threshold
            // `weight · tf / (tf + factor) > threshold` without the division, with a margin for rounding.
            candidateLimit = threshold > 0 ? weight / Double(threshold) * (1 + 1e-12) - 1 + 1e-12 : .infinity
        }
        let limit = candidateLimit
        var index = index
        let scopes = isScoped ? unsafe hasScopes ? self.scopes : findScopes() : nil
        while index < end {
            var frequency = unsafe buffer.frequencies[index]
            if let scopes = unsafe scopes {
                let counts = unsafe scopes[Int(buffer.codes[index])]
                if counts.others == FieldScope.Counts.isOutside {
                    index += 1
                    continue
                }
                frequency = counts.most(frequency)
            }
            let norm = unsafe slots.norm(buffer.slots[index])
            if unsafe bm25.factors[Int(norm)] <= Double(frequency) * limit {
                let score = bm25.contribution(weight, frequency: frequency, norm: norm)
                if score > threshold { return (index, score) }
            }
            index += 1
        }
        return (max(index, end), 0)
    }

    /// Returns the slot at an index of the block that ``openBlock(from:)`` opened.
    @inline(__always)
    func slot(at index: Int) -> UInt32 {
        precondition(index < buffer.count)
        return unsafe buffer.slots[index]
    }

    /// Returns the first index at or after `index` whose slot is at least `target`; the end of the block if there is
    /// none.
    @inline(__always)
    func index(ofSlot target: UInt32, from index: Int) -> Int { buffer.index(ofSlot: target, from: index) }

    /// Moves to an index of the open block.
    func place(at index: Int) {
        self.index = index
        place(slot(at: index))
    }

    override func accumulate(_ lower: UInt32, _ upper: UInt32, into window: ScoreWindow) throws {
        if isScoped { return try super.accumulate(lower, upper, into: window) }
        _ = try advance(to: lower)
        var position = slot
        while position < upper {
            // The rest of the block, up to the end of the window.
            buffer.readFrequencies()
            let count = buffer.count
            var index = self.index
            while index < count {
                position = unsafe buffer.slots[index]
                if position >= upper { break }
                let score = unsafe bm25.contribution(
                    weight, frequency: buffer.frequencies[index], norm: slots.norm(position))
                window.add(score, at: Int(position - lower))
                index += 1
            }
            if index < count {
                self.index = index
                break
            }
            self.index = count - 1
            position = try find(blocks.last + 1)
        }
        place(position)
    }

    override func readPositions(in wanted: UInt32) throws {
        wordPositions.removeAll()
        try positions.read(at: index, in: wanted & fields, into: wordPositions)
    }
}
