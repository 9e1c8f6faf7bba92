/// Iterates over the documents of one segment that match a part of a query, in slot order.
///
/// A scorer has a position (``slot``), the score of the document there (``score()``), and upper bounds for the scores
/// in ranges of slots (``bound(_:_:)``), which are computed without decoding postings.
class Scorer {
    /// The value of ``slot`` after the last document.
    static let end = UInt32.max

    /// The slot of the current document; ``end`` after the last. Only valid after ``advance(to:)``.
    fileprivate(set) final var slot: UInt32 = 0
    fileprivate(set) final var isPlaced = false

    /// Moves to the first document whose slot is at least `target`, which must not be below the current slot.
    final func advance(to target: UInt32) throws -> UInt32 {
        if isPlaced, slot >= target { return slot }
        isPlaced = true
        slot = try find(target)
        return slot
    }

    /// Sets the current document, for subclasses that move without ``advance(to:)``.
    final func place(_ slot: UInt32) {
        self.slot = slot
        isPlaced = true
    }

    /// Finds the first document at or after `target`.
    func find(_ target: UInt32) throws -> UInt32 { Self.end }
    /// Returns the score of the document at ``slot``.
    func score() throws -> Int64 { 0 }
    /// Returns an upper bound of the scores in the range; negative if no document in it matches. The lower ends of
    /// successive ranges must not decrease.
    func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 { 0 }
    /// Returns the end of the range from `lower` that a single stored bound covers.
    func blockEnd(_ lower: UInt32) throws -> UInt32 { Self.end }
    /// Returns the score of the document at ``slot``, or an upper bound of it if the score itself is more expensive.
    func scoreBound() throws -> Int64 { try score() }
    /// Whether ``scoreBound()`` always equals ``score()``.
    var scoresAreExact: Bool { true }

    /// Returns `factor` times the ``scoreBound()`` of the document at a slot; `nil` if it does not match or the result
    /// is not above `threshold`.
    ///
    /// - Parameter next: raised to the next slot that can match, where that is known.
    func candidateScore(
        of slot: UInt32, factor: Int64, above threshold: Int64, next: inout UInt32
    ) throws -> Int64? {
        let bound = try bound(slot, slot + 1)
        if bound < 0 || bound * factor <= threshold {
            if isPlaced, self.slot > slot { next = max(next, self.slot) }
            return nil
        }
        let found = try advance(to: slot)
        if found > slot {
            next = max(next, found)
            return nil
        }
        let score = try scoreBound() * factor
        return score > threshold ? score : nil
    }

    /// Adds the required and excluded parts of this scorer to a conjunction.
    func add(to conjunction: inout Conjunction.Contents) { conjunction.parts.append(Conjunction.Part(self, factor: 1)) }
    /// An estimate of the number of matching documents.
    var cost: Int { 0 }
    /// An upper bound of the score of every document.
    var largestScore: Int64 { 0 }

    /// Adds the score of every document in a range to the sums of a window that begins at `lower`.
    func accumulate(_ lower: UInt32, _ upper: UInt32, into window: ScoreWindow) throws {
        var slot = try advance(to: lower)
        while slot < upper {
            window.add(try score(), at: Int(slot - lower))
            slot = try advance(to: slot + 1)
        }
    }
}

/// Score sums for up to 4,096 consecutive slots.
@safe final class ScoreWindow {
    private let sums: UnsafeMutablePointer<Int64>
    private let bits: UnsafeMutablePointer<UInt64>
    private static let count = Int(TextStructure.chunkSlotCount)
    /// Added to each score.
    var constant: Int64 = 0

    init() {
        unsafe sums = .allocate(capacity: Self.count)
        unsafe sums.initialize(repeating: 0, count: Self.count)
        unsafe bits = .allocate(capacity: Self.count / 64)
        unsafe bits.initialize(repeating: 0, count: Self.count / 64)
    }

    deinit {
        unsafe sums.deallocate()
        unsafe bits.deallocate()
    }

    @inline(__always)
    func add(_ score: Int64, at offset: Int) {
        precondition(offset < Self.count)
        unsafe sums[offset] += score + constant
        unsafe bits[offset >> 6] |= 1 << UInt64(offset & 63)
    }

    /// Calls `body` with each slot that has a sum, in order, and resets the window.
    func drain(upTo count: Int, _ body: (_ offset: Int, _ sum: Int64) throws -> Void) rethrows {
        for word in 0..<(count + 63) / 64 {
            var rest = unsafe bits[word]
            unsafe bits[word] = 0
            while rest != 0 {
                let offset = word << 6 + rest.trailingZeroBitCount
                rest &= rest - 1
                let sum = unsafe sums[offset]
                unsafe sums[offset] = 0
                try body(offset, sum)
            }
        }
    }
}

// MARK: - Combinations

/// Documents that match all parts.
final class AndScorer: Scorer {
    private let parts: [Scorer]

    init(_ parts: [Scorer]) { self.parts = parts.sorted { $0.cost < $1.cost } }

    override func find(_ target: UInt32) throws -> UInt32 {
        var slot = try parts[0].advance(to: target)
        var agreeing = 1
        var next = 1
        while slot < Self.end, agreeing < parts.count {
            let found = try parts[next].advance(to: slot)
            if found == slot {
                agreeing += 1
                next += 1
            } else {
                // The rarest part leads.
                slot = found == Self.end ? found : try parts[0].advance(to: found)
                agreeing = 1
                next = 1
            }
        }
        return slot
    }

    override func score() throws -> Int64 { try parts.reduce(0) { $0 + (try $1.score()) } }
    override func add(to conjunction: inout Conjunction.Contents) {
        for part in parts { part.add(to: &conjunction) }
    }
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        var sum: Int64 = 0
        for part in parts {
            let bound = try part.bound(lower, upper)
            // Negative: no document in the range matches.
            if bound < 0 { return bound }
            sum += bound
        }
        return sum
    }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try parts.reduce(Self.end) { min($0, try $1.blockEnd(lower)) }
    }
    override var cost: Int { parts[0].cost }
    override var largestScore: Int64 { parts.reduce(0) { $0 + $1.largestScore } }
}

/// Documents that match at least one part. The scores are added.
final class OrScorer: Scorer {
    let parts: [Scorer]

    init(_ parts: [Scorer]) { self.parts = parts }

    override func find(_ target: UInt32) throws -> UInt32 {
        try parts.reduce(Self.end) { min($0, try $1.advance(to: target)) }
    }

    override func score() throws -> Int64 {
        var sum: Int64 = 0
        for part in parts where part.slot == slot { sum += try part.score() }
        return sum
    }

    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        var sum: Int64 = -1
        for part in parts {
            let bound = try part.bound(lower, upper)
            if bound >= 0 { sum = max(0, sum) + bound }
        }
        return sum
    }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        try parts.reduce(Self.end) { min($0, try $1.blockEnd(lower)) }
    }
    override var cost: Int { parts.reduce(0) { $0 + $1.cost } }
    override var largestScore: Int64 { parts.reduce(0) { $0 + $1.largestScore } }
}

/// Documents that match one part and do not match another.
final class ExceptScorer: Scorer {
    private let wanted: Scorer
    private let unwanted: Scorer

    init(_ wanted: Scorer, _ unwanted: Scorer) {
        self.wanted = wanted
        self.unwanted = unwanted
    }

    override func find(_ target: UInt32) throws -> UInt32 {
        var slot = try wanted.advance(to: target)
        while slot < Self.end, try unwanted.advance(to: slot) == slot { slot = try wanted.advance(to: slot + 1) }
        return slot
    }

    override func score() throws -> Int64 { try wanted.score() }
    override func add(to conjunction: inout Conjunction.Contents) {
        wanted.add(to: &conjunction)
        conjunction.unwanted.append(unwanted)
    }
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 { try wanted.bound(lower, upper) }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 { try wanted.blockEnd(lower) }
    override var cost: Int { wanted.cost }
    override var largestScore: Int64 { wanted.largestScore }
}

/// Documents that match one part; where another part matches too, its score is added.
final class OptionalScorer: Scorer {
    private let wanted: Scorer
    private let optional: Scorer

    init(_ wanted: Scorer, optional: Scorer) {
        self.wanted = wanted
        self.optional = optional
    }

    override func find(_ target: UInt32) throws -> UInt32 { try wanted.advance(to: target) }
    override func score() throws -> Int64 {
        try wanted.score() + (try optional.advance(to: slot) == slot ? optional.score() : 0)
    }
    override func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 {
        let bound = try wanted.bound(lower, upper)
        return bound < 0 ? bound : bound + max(0, try optional.bound(lower, upper))
    }
    override func blockEnd(_ lower: UInt32) throws -> UInt32 {
        min(try wanted.blockEnd(lower), try optional.blockEnd(lower))
    }
    override var cost: Int { wanted.cost }
    override var largestScore: Int64 { wanted.largestScore + optional.largestScore }
}
