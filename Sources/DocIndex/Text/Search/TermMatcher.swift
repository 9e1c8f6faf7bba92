/// The documents of a segment, or of the pending ones, that have a term.
final class TermMatcher: WordMatcher {
    /// Where postings come from.
    enum Source {
        /// Decoded, in memory.
        case plain(PlainPostings)
        /// Stored in blocks.
        case stored(TermRecord, SegmentReader, TermCache, term: [UInt8])
    }

    private let source: Source
    private let slots: SlotTable
    private let scorer: BM25
    private let weight: Double
    /// The fields in which the term must be.
    private let fields: UInt32
    private let isScoped: Bool
    private let fieldWeights: [UInt32]
    private let buffer = BlockBuffer()

    // Where the bounds are taken from: a block of a group. Of plain postings, all blocks are one group.
    private var group = 0
    private var block = 0
    private var loaded: PostingGroup?
    private var lasts: [UInt32] = []
    private var bounds: [Int64] = []
    private var groupCount: Int
    private var groupBounds: [Int64] = []
    private var isAtEnd = false

    private var isDecoded = false
    private var index = 0

    // Positions are read only where somebody asks.
    private var positions: [UInt8] = []
    private var positionGroup = -1
    private var positionBlock = -1
    private var positionIndex = 0
    private var positionOffset = 0

    init(
        _ source: Source, slots: SlotTable, scorer: BM25, weight: Double, fields: UInt32?, fieldWeights: [UInt32]
    ) throws {
        self.source = source
        self.slots = slots
        self.scorer = scorer
        self.weight = weight
        self.fields = fields ?? .max
        isScoped = fields != nil
        self.fieldWeights = fieldWeights
        switch source {
        case .plain(let plain):
            groupCount = 1
            for start in stride(from: 0, to: plain.slots.count, by: TermEncoder.blockCount) {
                let end = min(plain.slots.count, start + TermEncoder.blockCount)
                var bound: Int64 = 0
                for index in start..<end {
                    bound = max(
                        bound,
                        scorer.contribution(
                            weight, frequency: plain.frequencies[index], norm: slots.norm(plain.slots[index])))
                }
                lasts.append(plain.slots[end - 1])
                bounds.append(bound)
            }
            groupBounds = [bounds.max() ?? 0]
            isAtEnd = plain.slots.isEmpty
            positions = plain.positions
        case .stored(let record, _, _, _):
            if case .long(let groups, _) = record.postings {
                groupCount = groups.count
                groupBounds = groups.map { Self.bound($0.impacts, scorer, weight) }
            } else {
                groupCount = 0
                isAtEnd = true
            }
        }
        super.init()
        if !isAtEnd { try load(group: 0) }
    }

    private static func bound(_ impacts: [TermImpact], _ scorer: BM25, _ weight: Double) -> Int64 {
        var bound: Int64 = 0
        for impact in impacts {
            bound = max(bound, scorer.contribution(weight, frequency: impact.frequency, norm: impact.norm))
        }
        return bound
    }

    override var cost: Int {
        switch source {
        case .plain(let plain): plain.slots.count
        case .stored(let record, _, _, _): record.documentCount
        }
    }

    override var largestScore: Int64 { groupBounds.max() ?? 0 }

    // MARK: - Blocks

    private func load(group number: Int) throws {
        group = number
        block = 0
        isDecoded = false
        guard case .stored(let record, let segment, let cache, let term) = source else { return }
        let content = try cache.group(number, of: record, term: term, in: segment)
        loaded = content
        lasts.removeAll(keepingCapacity: true)
        bounds.removeAll(keepingCapacity: true)
        for block in content.blocks {
            lasts.append(block.last)
            bounds.append(Self.bound(block.impacts, scorer, weight))
        }
    }

    private func groupLast(_ number: Int) -> UInt32 {
        guard case .stored(let record, _, _, _) = source, case .long(let groups, _) = record.postings else {
            return lasts[lasts.count - 1]
        }
        return groups[number].last
    }

    /// Goes to the block that holds the first posting from `target` on, without decoding it.
    ///
    /// - Returns: whether there is one.
    private func moveBlock(to target: UInt32) throws -> Bool {
        if isAtEnd { return false }
        if lasts[block] >= target { return true }
        if groupLast(group) < target {
            var next = group + 1
            while next < groupCount, groupLast(next) < target { next += 1 }
            guard next < groupCount else {
                isAtEnd = true
                return false
            }
            try load(group: next)
        }
        while lasts[block] < target {
            block += 1
            isDecoded = false
        }
        return true
    }

    private func decode() throws {
        isDecoded = true
        index = 0
        switch source {
        case .plain(let plain):
            let start = block * TermEncoder.blockCount
            buffer.take(plain, start..<min(plain.slots.count, start + TermEncoder.blockCount))
        case .stored(_, let segment, _, _):
            guard let loaded, buffer.read(loaded, block: block) else {
                throw segment.damage("a block of postings cannot be read")
            }
        }
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var target = target
        while try moveBlock(to: target) {
            if !isDecoded { try decode() }
            index = buffer.index(ofSlot: target, from: index)
            if !isScoped { return unsafe buffer.slots[index] }
            while index < buffer.count {
                if unsafe buffer.fields[index] & fields != 0 { return unsafe buffer.slots[index] }
                index += 1
            }
            index = buffer.count - 1
            target = lasts[block] + 1
        }
        return Self.end
    }

    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try moveBlock(to: lower) ? lasts[block] + 1 : Self.end
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        if isPlaced, slot >= upper { return -1 }
        guard try moveBlock(to: lower) else { return -1 }
        var bound = bounds[block]
        var next = block
        while lasts[next] < upper - 1 {
            next += 1
            if next == lasts.count {
                var following = group + 1
                while following < groupCount {
                    bound = max(bound, groupBounds[following])
                    if groupLast(following) >= upper - 1 { break }
                    following += 1
                }
                break
            }
            bound = max(bound, bounds[next])
        }
        return bound
    }

    // MARK: - Scores

    override func score() throws -> Int64 {
        let frequency = try self.frequency()
        return scorer.contribution(weight, frequency: frequency, norm: slots.norm(slot))
    }

    /// How often the term occurs in the fields that count.
    override func frequency() throws -> UInt32 {
        let frequency = unsafe buffer.frequencies[index]
        let others = unsafe buffer.fields[index] & ~fields
        if !isScoped || others == 0 { return frequency }
        // In other fields as well: the positions tell.
        var places: [TextPlace] = []
        try self.places(into: &places)
        return places.reduce(0) { $0 &+ fieldWeights[$1.field] }
    }

    override func accumulate(_ lower: UInt32, _ upper: UInt32, into window: ScoreWindow) throws {
        if isScoped { return try super.accumulate(lower, upper, into: window) }
        _ = try advance(to: lower)
        var position = slot
        while position < upper {
            // The rest of the block, as far as it lies in the window.
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
            position = try find(lasts[block] + 1)
        }
        place(position)
    }

    // MARK: - Positions

    /// Adds the places of the current posting, in the fields that count.
    override func places(into places: inout [TextPlace]) throws {
        let wanted = index
        switch source {
        case .plain(let plain):
            let target = block * TermEncoder.blockCount + wanted
            while positionIndex < target {
                guard TextPlace.skip(positions.span, &positionOffset, fields: plain.fields[positionIndex]) else {
                    throw TextDamage.error("", "positions of a term cannot be read")
                }
                positionIndex += 1
            }
            // The same posting may be asked for again.
            var offset = positionOffset
            try read(plain.fields[target], &offset, into: &places)
        case .stored(_, let segment, _, let term):
            guard let loaded else { return }
            if positionGroup != group {
                positions = try segment.positions(group, of: loaded, term: term)
                positionGroup = group
                positionBlock = -1
            }
            if positionBlock != block {
                positionBlock = block
                positionIndex = 0
                positionOffset = loaded.blocks[block].positionOffset
            }
            while positionIndex < wanted {
                guard unsafe TextPlace.skip(positions.span, &positionOffset, fields: buffer.fields[positionIndex])
                else {
                    throw segment.damage("positions cannot be read")
                }
                positionIndex += 1
            }
            var offset = positionOffset
            try unsafe read(buffer.fields[wanted], &offset, into: &places)
        }
    }

    private func read(_ set: UInt32, _ offset: inout Int, into places: inout [TextPlace]) throws {
        let start = places.count
        guard TextPlace.read(positions.span, &offset, fields: set, into: &places) else {
            throw TextDamage.error("", "positions of a term cannot be read")
        }
        guard isScoped else { return }
        var kept = start
        for index in start..<places.count where fields >> UInt32(places[index].field) & 1 == 1 {
            places[kept] = places[index]
            kept += 1
        }
        places.removeLast(places.count - kept)
    }
}
