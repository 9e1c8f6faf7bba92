/// The blocks of a term's postings in one segment, or in the pending documents, with a cursor that moves from block to
/// block.
///
/// Each block has an upper bound of its scores, the block maximum, which is known without decoding the block. A search
/// (Block-Max MaxScore) skips each block whose maximum does not exceed its threshold, the score of the last of the best
/// documents so far.
///
/// For example, a term is in 300 documents with the slots 0 to 299, once in each, but five times in slot 200. Its weight
/// is 100, and all lengths are average. By ``BM25``, slot 200 has the score 100 · 5 / (5 + 1.2) = 80, the others have
/// 100 · 1 / (1 + 1.2) = 45. There are three blocks: slots 0 to 127 with the block maximum 45, slots 128 to 255 with 80,
/// and slots 256 to 299 with 45. At a threshold of 60, a search decodes the second block only, and slot 200 is the only
/// candidate in it (``TermScorer/firstCandidate(above:from:to:)``).
@safe final class TermBlocks {
    /// The source of stored postings; `nil` if the postings are in memory.
    let stored: StoredPostings?
    let plain: PlainPostings
    /// The postings of the current block, decoded on demand after ``decode()``.
    let buffer = BlockBuffer()
    let documentCount: Int
    /// An upper bound of the score of every document.
    let largestScore: Int64
    /// The current group of blocks, and the current block in it. All blocks of plain postings form one group.
    private(set) var group = 0
    private(set) var block = 0
    private(set) var isAtEnd = false
    /// Whether the slots of the current block are decoded.
    private(set) var isDecoded = false

    private let slots: SlotTable
    private let bm25: BM25
    private let weight: Double
    /// The fields in which the term must occur; `nil` for all.
    private let scope: FieldScope?
    private let isScoped: Bool
    // Last slots and maxima of the groups of the term, and of the blocks of the current group. These are raw buffers
    // because an array in a class adds overhead at each access.
    private let groupCount: Int
    private let groupLasts: UnsafeMutablePointer<UInt32>
    private let groupMaxima: UnsafeMutablePointer<Int64>
    private let lasts: UnsafeMutablePointer<UInt32>
    private let maxima: UnsafeMutablePointer<Int64>
    private var bestImpacts: [TermImpact] = []
    private var blockCount = 0

    init(_ source: TermScorer.Source, slots: SlotTable, bm25: BM25, weight: Double, scope: FieldScope?) throws {
        self.slots = slots
        self.bm25 = bm25
        self.weight = weight
        self.scope = scope
        isScoped = scope != nil
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
        unsafe groupMaxima = .allocate(capacity: groupCount + blockCapacity)
        unsafe groupMaxima.initialize(repeating: 0, count: groupCount + blockCapacity)
        unsafe maxima = groupMaxima + groupCount
        var best: Int64 = 0
        if stored == nil {
            for number in 0..<(groupCount == 0 ? 0 : blockCapacity) {
                let start = number * TermEncoder.blockCount
                let end = min(plain.slots.count, start + TermEncoder.blockCount)
                let maximum = bm25.maximum(of: plain, start..<end, slots, weight)
                unsafe lasts[number] = plain.slots[end - 1]
                unsafe maxima[number] = maximum
                best = max(best, maximum)
            }
            if groupCount > 0 {
                blockCount = blockCapacity
                unsafe groupLasts[0] = plain.slots[plain.slots.count - 1]
                unsafe groupMaxima[0] = best
            }
        } else {
            for (number, group) in groups.enumerated() {
                let maximum = bm25.maximum(of: group.impacts, weight)
                unsafe groupLasts[number] = group.last
                unsafe groupMaxima[number] = maximum
                best = max(best, maximum)
            }
        }
        largestScore = best
        isAtEnd = groupCount == 0
        if !isAtEnd { try load(group: 0) }
    }

    deinit {
        unsafe groupLasts.deallocate()
        unsafe groupMaxima.deallocate()
    }

    // MARK: - Moving

    /// The last slot of the current block.
    @inline(__always)
    var last: UInt32 { unsafe lasts[block] }

    /// Moves to the block that contains the first posting at or after `target`, without decoding it.
    ///
    /// - Returns: `false` if there is no such posting.
    @inline(__always)
    func move(to target: UInt32) throws -> Bool {
        if isAtEnd { return false }
        if last >= target { return true }
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
        if !isScoped { bestImpacts = content.bestImpacts(bm25) }
        for number in 0..<blockCount {
            unsafe lasts[number] = content.blocks[number].last
            unsafe maxima[number] = Self.unknown
        }
    }

    // MARK: - Block maxima

    /// A placeholder for a block maximum that has not been computed yet.
    private static let unknown: Int64 = -2

    /// Returns an upper bound of the scores in the current block; negative if the term is in none of the searched
    /// fields there.
    @inline(__always)
    var blockMaximum: Int64 { maximum(ofBlock: block) }

    @inline(__always)
    private func maximum(ofBlock number: Int) -> Int64 {
        let maximum = unsafe maxima[number]
        return maximum == Self.unknown ? findMaximum(ofBlock: number) : maximum
    }

    private func findMaximum(ofBlock number: Int) -> Int64 {
        if !isScoped {
            let best = bestImpacts[number]
            if best.frequency > 0 {
                let maximum = bm25.contribution(weight, frequency: best.frequency, norm: best.norm)
                unsafe maxima[number] = maximum
                return maximum
            }
        }
        guard let content = buffer.group else { return 0 }
        let block = content.blocks[number]
        var maximum: Int64 = -1
        // Every document that has the term in a searched field has it at least this often in other fields; these
        // occurrences do not count. A block that is not full stores no field sets.
        var others: UInt32 = 0
        if let scope, !block.sets.isEmpty {
            others = content.sets[block.sets].reduce(FieldScope.Counts.isOutside) {
                min($0, scope.counts(in: $1).others)
            }
        }
        if others != FieldScope.Counts.isOutside {
            maximum = bm25.maximum(of: content.impacts[block.impacts], weight, others: others)
        }
        unsafe maxima[number] = maximum
        return maximum
    }

    /// Returns an upper bound of the scores in a range of slots; negative if the term has no postings from `lower` on.
    /// Moves to the block of `lower`. Blocks of later groups count with the maximum of their group.
    func maximum(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        guard try move(to: lower) else { return -1 }
        var maximum = blockMaximum
        var next = block
        while unsafe lasts[next] < upper - 1 {
            next += 1
            if next == blockCount {
                var following = group + 1
                while following < groupCount {
                    maximum = max(maximum, unsafe groupMaxima[following])
                    if unsafe groupLasts[following] >= upper - 1 { break }
                    following += 1
                }
                break
            }
            maximum = max(maximum, self.maximum(ofBlock: next))
        }
        return maximum
    }

    // MARK: - Decoding

    /// Decodes the slots of the current block into ``buffer``.
    func decode() throws {
        isDecoded = true
        if stored == nil {
            let start = block * TermEncoder.blockCount
            return buffer.take(plain, start..<min(plain.slots.count, start + TermEncoder.blockCount))
        }
        guard buffer.readSlots(block: block) else { throw damage("a block of postings") }
    }

    /// Decodes the fields of the current block.
    func readFields() throws {
        guard buffer.readFields() else { throw damage("a block of postings") }
    }

    func damage(_ what: String) -> DocIndexError {
        stored?.segment.damage("\(what) cannot be read") ?? DocIndexError.damagedTextIndex("", "\(what) cannot be read")
    }
}

extension BM25 {
    /// Returns the highest score of a range of plain postings.
    fileprivate func maximum(of plain: PlainPostings, _ range: Range<Int>, _ slots: SlotTable, _ weight: Double)
        -> Int64
    {
        var best = BestImpact()
        for index in range {
            best.offer(frequency: plain.frequencies[index], norm: slots.norm(plain.slots[index]), self)
        }
        if !best.isUnsure {
            return contribution(weight, frequency: best.impact.frequency, norm: best.impact.norm)
        }
        return range.reduce(0) {
            max($0, contribution(weight, frequency: plain.frequencies[$1], norm: slots.norm(plain.slots[$1])))
        }
    }

    /// Returns the highest score of some impacts, of whose frequencies `others` do not count.
    fileprivate func maximum(of impacts: some Sequence<TermImpact>, _ weight: Double, others: UInt32 = 0) -> Int64 {
        var maximum: Int64 = 0
        for impact in impacts where impact.frequency > others {
            maximum = max(maximum, contribution(weight, frequency: impact.frequency - others, norm: impact.norm))
        }
        return maximum
    }
}
