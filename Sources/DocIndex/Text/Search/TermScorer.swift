/// The postings of one term in one segment, or in the pending documents.
///
/// Each block is decoded in steps: the upper bound of its scores comes from the block header, then its slots are
/// decoded, then its frequencies. Fields and positions are decoded only on demand.
///
/// For example, a term that 10,000 documents of a segment contain has 79 blocks of up to 128 postings, in three groups
/// of 32. Assume a threshold of 60 and two blocks whose block maxima are 45 and 70. ``blockEnd(_:)`` and
/// ``bound(_:_:)`` let the search skip the first block without decoding it. In the second block, only postings whose
/// frequency and norm give more than 60 are candidates (``firstCandidate(above:from:to:)``).
@safe final class TermScorer: WordScorer {
    /// The source of the postings.
    enum Source {
        /// Decoded, in memory.
        case plain(PlainPostings)
        /// Stored in blocks.
        case stored(StoredPostings)
    }

    /// The source of stored postings; `nil` if the postings are in memory.
    private let stored: StoredPostings?
    private let plain: PlainPostings
    private let slots: SlotTable
    private let scorer: BM25
    private let weight: Double
    /// The fields in which the term must occur.
    private let scope: FieldScope
    private let fields: UInt32
    private let isScoped: Bool
    private let buffer = BlockBuffer()
    private let documentCount: Int

    // Last slots and upper bounds of the groups of the term, and of the blocks of the current group. All blocks of
    // plain postings form one group. These are raw buffers because an array in a class adds overhead at each access.
    private let groupCount: Int
    private let groupLasts: UnsafeMutablePointer<UInt32>
    private let groupBounds: UnsafeMutablePointer<Int64>
    private let lasts: UnsafeMutablePointer<UInt32>
    private let bounds: UnsafeMutablePointer<Int64>
    private var bestImpacts: [TermImpact] = []
    private var blockCount = 0
    private var group = 0
    private var block = 0
    private var isAtEnd = false
    private let bestScore: Int64

    private var isDecoded = false
    private var index = 0

    // The latest threshold passed to `firstCandidate`, and the limit derived from it.
    private var candidateBar = Int64.min
    private var candidateLimit = 0.0

    /// The counts of each field set code of the block, in a search of certain fields.
    private var scopes: UnsafeMutablePointer<FieldScope.Counts>?
    private var hasScopes = false

    // Positions are read on demand: stored ones for one group, and one block of it, at a time; plain ones all at once.
    private var positions: [UInt8] = []
    private var positionGroup = -1
    private var positionBlock = -1
    private let positionReader = PositionReader()
    /// The posting that the reader is positioned at.
    private var positionIndex = 0

    init(
        _ source: Source, slots: SlotTable, scorer: BM25, weight: Double, fields: UInt32?, fieldWeights: [UInt32]
    ) throws {
        self.slots = slots
        self.scorer = scorer
        self.weight = weight
        self.fields = fields ?? .max
        isScoped = fields != nil
        scope = FieldScope(fields: fields ?? .max, weights: fieldWeights)
        var groups: [TermRecord.Group] = []
        var blockCapacity = TermEncoder.groupBlockCount
        switch source {
        case .plain(let plain):
            self.plain = plain
            stored = nil
            documentCount = plain.slots.count
            groupCount = plain.slots.isEmpty ? 0 : 1
            blockCapacity = max(1, (plain.slots.count + TermEncoder.blockCount - 1) / TermEncoder.blockCount)
        case .stored(let postings):
            plain = PlainPostings()
            stored = postings
            documentCount = postings.record.documentCount
            if case .long(let stored, _) = postings.record.postings { groups = stored }
            groupCount = groups.count
        }
        unsafe groupLasts = .allocate(capacity: groupCount + blockCapacity)
        unsafe groupLasts.initialize(repeating: 0, count: groupCount + blockCapacity)
        unsafe lasts = groupLasts + groupCount
        unsafe groupBounds = .allocate(capacity: groupCount + blockCapacity)
        unsafe groupBounds.initialize(repeating: 0, count: groupCount + blockCapacity)
        unsafe bounds = groupBounds + groupCount
        var best: Int64 = 0
        if stored == nil {
            for number in 0..<(groupCount == 0 ? 0 : blockCapacity) {
                let start = number * TermEncoder.blockCount
                let end = min(plain.slots.count, start + TermEncoder.blockCount)
                let bound = Self.bound(plain, start..<end, slots, scorer, weight)
                unsafe lasts[number] = plain.slots[end - 1]
                unsafe bounds[number] = bound
                best = max(best, bound)
            }
            if groupCount > 0 {
                blockCount = blockCapacity
                unsafe groupLasts[0] = plain.slots[plain.slots.count - 1]
                unsafe groupBounds[0] = best
            }
        } else {
            for (number, group) in groups.enumerated() {
                let bound = Self.bound(group.impacts, scorer, weight)
                unsafe groupLasts[number] = group.last
                unsafe groupBounds[number] = bound
                best = max(best, bound)
            }
        }
        bestScore = best
        isAtEnd = groupCount == 0
        super.init()
        if !isAtEnd { try load(group: 0) }
    }

    deinit {
        unsafe groupLasts.deallocate()
        unsafe groupBounds.deallocate()
        unsafe scopes?.deallocate()
    }

    private static func bound(
        _ plain: PlainPostings, _ range: Range<Int>, _ slots: SlotTable, _ scorer: BM25, _ weight: Double
    ) -> Int64 {
        var best = BestImpact()
        for index in range {
            best.offer(frequency: plain.frequencies[index], norm: slots.norm(plain.slots[index]), scorer)
        }
        if !best.isUnsure {
            return scorer.contribution(weight, frequency: best.impact.frequency, norm: best.impact.norm)
        }
        return range.reduce(0) {
            max(
                $0,
                scorer.contribution(weight, frequency: plain.frequencies[$1], norm: slots.norm(plain.slots[$1])))
        }
    }

    private static func bound(
        _ impacts: some Sequence<TermImpact>, _ scorer: BM25, _ weight: Double, others: UInt32 = 0
    ) -> Int64 {
        var bound: Int64 = 0
        for impact in impacts where impact.frequency > others {
            bound = max(
                bound, scorer.contribution(weight, frequency: impact.frequency - others, norm: impact.norm))
        }
        return bound
    }

    override var cost: Int { documentCount }
    override var largestScore: Int64 { bestScore }

    // MARK: - Blocks

    private func load(group number: Int) throws {
        group = number
        block = 0
        isDecoded = false
        guard let stored else { return }
        let content = try stored.cache.group(number, of: stored.record, term: stored.term, in: stored.segment)
        // The headers were checked: the number of blocks of a group matches its number of documents.
        precondition(!content.blocks.isEmpty && content.blocks.count <= TermEncoder.groupBlockCount)
        buffer.use(content)
        blockCount = content.blocks.count
        if !isScoped { bestImpacts = content.bestImpacts(scorer) }
        for number in 0..<blockCount {
            unsafe lasts[number] = content.blocks[number].last
            unsafe bounds[number] = Self.unknown
        }
    }

    /// A placeholder for the upper bound of a block that has not been computed yet.
    private static let unknown: Int64 = -2

    /// Returns the upper bound of the scores in a block of the group (the block maximum); negative if the term is in
    /// none of the searched fields there.
    @inline(__always)
    private func bound(ofBlock number: Int) -> Int64 {
        let bound = unsafe bounds[number]
        return bound == Self.unknown ? findBound(ofBlock: number) : bound
    }

    private func findBound(ofBlock number: Int) -> Int64 {
        if !isScoped {
            let best = bestImpacts[number]
            if best.frequency > 0 {
                let bound = scorer.contribution(weight, frequency: best.frequency, norm: best.norm)
                unsafe bounds[number] = bound
                return bound
            }
        }
        guard let content = buffer.group else { return 0 }
        let block = content.blocks[number]
        var bound: Int64 = -1
        // Every document that has the term in a searched field has it at least this often in other fields; these
        // occurrences do not count. A block that is not full stores no field sets.
        var others: UInt32 = 0
        if isScoped, !block.sets.isEmpty {
            others = content.sets[block.sets].reduce(FieldScope.Counts.isOutside) {
                min($0, scope.counts(in: $1).others)
            }
        }
        if others != FieldScope.Counts.isOutside {
            bound = Self.bound(content.impacts[block.impacts], scorer, weight, others: others)
        }
        unsafe bounds[number] = bound
        return bound
    }

    /// Moves to the block that contains the first posting at or after `target`, without decoding it.
    ///
    /// - Returns: `false` if there is no such posting.
    @inline(__always)
    private func moveBlock(to target: UInt32) throws -> Bool {
        if isAtEnd { return false }
        if unsafe lasts[block] >= target { return true }
        return try moveOn(to: target)
    }

    private func moveOn(to target: UInt32) throws -> Bool {
        if unsafe groupLasts[group] < target {
            var next = group + 1
            while next < groupCount, unsafe groupLasts[next] < target { next += 1 }
            guard next < groupCount else {
                isAtEnd = true
                return false
            }
            try load(group: next)
        }
        // The last slot of a group is that of its last block.
        var next = block
        while next + 1 < blockCount, unsafe lasts[next] < target { next += 1 }
        if next != block {
            block = next
            isDecoded = false
        }
        return true
    }

    private func decode() throws {
        isDecoded = true
        hasScopes = false
        index = 0
        if stored == nil {
            let start = block * TermEncoder.blockCount
            return buffer.take(plain, start..<min(plain.slots.count, start + TermEncoder.blockCount))
        }
        guard buffer.readSlots(block: block) else { throw damage("a block of postings", stored) }
    }

    private func readFields() throws {
        guard buffer.readFields() else { throw damage("a block of postings", stored) }
    }

    private func damage(_ what: String, _ stored: StoredPostings?) -> DocIndexError {
        stored?.segment.damage("\(what) cannot be read") ?? DocIndexError.damagedTextIndex("", "\(what) cannot be read")
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var target = target
        while try moveBlock(to: target) {
            if !isDecoded { try decode() }
            index = buffer.index(ofSlot: target, from: index)
            if !isScoped { return unsafe buffer.slots[index] }
            try readFields()
            while index < buffer.count {
                if buffer.fieldSet(at: index) & fields != 0 { return unsafe buffer.slots[index] }
                index += 1
            }
            index = buffer.count - 1
            target = unsafe lasts[block] + 1
        }
        return Self.end
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try moveBlock(to: lower) ? unsafe lasts[block] + 1 : Self.end
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        if isPlaced, slot >= upper { return -1 }
        guard try moveBlock(to: lower) else { return -1 }
        var bound = bound(ofBlock: block)
        var next = block
        while unsafe lasts[next] < upper - 1 {
            next += 1
            if next == blockCount {
                var following = group + 1
                while following < groupCount {
                    bound = max(bound, unsafe groupBounds[following])
                    if unsafe groupLasts[following] >= upper - 1 { break }
                    following += 1
                }
                break
            }
            bound = max(bound, self.bound(ofBlock: next))
        }
        return bound
    }

    // MARK: - Scores

    override func score() throws -> Int64 {
        return scorer.contribution(weight, frequency: try frequency(), norm: slots.norm(slot))
    }

    override var scoresAreExact: Bool { !isScoped }

    override func scoreBound() throws -> Int64 {
        if !isScoped { return try score() }
        let most = scope.counts(in: try currentSet()).most(buffer.frequency(at: index))
        return scorer.contribution(weight, frequency: most, norm: slots.norm(slot))
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
        for index in 0..<places.count { sum &+= scope.weights[places[index].field] }
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
        guard try moveBlock(to: slot) else {
            next = Self.end
            return nil
        }
        if bound(ofBlock: block) * factor <= threshold { return nil }
        if !isPlaced || self.slot < slot {
            if !isDecoded { try decode() }
            index = buffer.index(ofSlot: slot, from: index)
            place(self.slot(at: index))
            if self.slot > slot {
                next = max(next, self.slot)
                return nil
            }
        }
        let score = scorer.contribution(weight, frequency: buffer.frequency(at: index), norm: slots.norm(slot)) * factor
        return score > threshold ? score : nil
    }

    override func fieldSet() throws -> UInt32 { try currentSet() & fields }

    /// Returns the set of fields in which the current document has the term.
    private func currentSet() throws -> UInt32 {
        let set = buffer.fieldSet(at: index)
        // A posting with no field is corrupt.
        if set == 0 { throw damage("a block of postings", stored) }
        return set
    }

    /// Opens the block that contains the first posting at or after `target`.
    ///
    /// - Returns: the indexes of that posting and of all after it in the block; `nil` after the last posting.
    func openBlock(from target: UInt32) throws -> Range<Int>? {
        guard try moveBlock(to: target) else { return nil }
        if !isDecoded { try decode() }
        index = buffer.index(ofSlot: target, from: index)
        buffer.readFrequencies()
        if isScoped { try readFields() }
        return index..<buffer.count
    }

    /// Returns the first index at or after `index` whose document may score more than `bar`, and its ``scoreBound()``;
    /// `end` if there is none. In a search of certain fields, skips documents that have the term only in others.
    func firstCandidate(above bar: Int64, from index: Int, to end: Int) -> (index: Int, score: Int64) {
        precondition(index >= 0 && end <= buffer.count)
        if bar != candidateBar {
            candidateBar = bar
            // `weight · tf / (tf + factor) > bar` without the division, with a margin for rounding.
            candidateLimit = bar > 0 ? weight / Double(bar) * (1 + 1e-12) - 1 + 1e-12 : .infinity
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
            if unsafe scorer.factors[Int(norm)] <= Double(frequency) * limit {
                let score = scorer.contribution(weight, frequency: frequency, norm: norm)
                if score > bar { return (index, score) }
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
                let score = unsafe scorer.contribution(
                    weight, frequency: buffer.frequencies[index], norm: slots.norm(position))
                window.add(score, at: Int(position - lower))
                index += 1
            }
            if index < count {
                self.index = index
                break
            }
            self.index = count - 1
            position = try find(unsafe lasts[block] + 1)
        }
        place(position)
    }

    // MARK: - Positions

    override func readPositions(in wanted: UInt32) throws {
        places.removeAll()
        let set: UInt32
        if stored == nil {
            if positionGroup < 0 {
                let encoded = plain.positions
                positionReader.take(encoded.span)
                positionGroup = 0
            }
            let target = block * TermEncoder.blockCount + index
            var fieldCount = 0
            for passed in positionIndex..<target { fieldCount += plain.fields[passed].nonzeroBitCount }
            // The same posting may be requested again.
            positionIndex = target
            guard positionReader.skip(fields: fieldCount) else { throw damage("the positions of a term", stored) }
            set = plain.fields[target]
        } else {
            try readFields()
            if positionBlock != block || positionGroup != group { try loadPositions() }
            let fieldCount = buffer.fieldCount(positionIndex..<index)
            positionIndex = index
            guard positionReader.skip(fields: fieldCount) else { throw damage("positions", stored) }
            set = buffer.fieldSet(at: index)
        }
        guard positionReader.read(fields: set, in: wanted & fields, into: places) else {
            throw damage("the positions of a term", stored)
        }
    }

    /// Loads the positions of the current block.
    private func loadPositions() throws {
        guard let stored, let content = buffer.group else { return }
        if positionGroup != group {
            positionGroup = -1
            positions = try stored.cache.positions(group, of: content, term: stored.term, in: stored.segment)
            positionGroup = group
        }
        positionBlock = block
        positionIndex = 0
        // The length of the positions was checked against the group's headers when they were read.
        let encoded = positions
        positionReader.take(
            encoded.span.extracting(content.blocks[block].positionOffset..<content.blocks[block].positionEnd))
    }
}
