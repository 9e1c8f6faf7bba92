/// Walks through the documents of one segment that match a part of a query, in the order of slots.
///
/// Three things are kept apart: where it stands (``slot``), what the document there scores (``score()``), and what
/// documents in a range can score at most (``bound(_:_:)``), which is found without decoding them.
class Matcher {
    /// What ``slot`` is behind the last document.
    static let end = UInt32.max

    /// The document that it stands at; ``end`` behind the last. Only meaningful after ``advance(to:)``.
    fileprivate(set) final var slot: UInt32 = 0
    fileprivate(set) final var isPlaced = false

    /// Goes to the first document whose slot is not below `target`, which must not be below the current slot.
    final func advance(to target: UInt32) throws -> UInt32 {
        if isPlaced, slot >= target { return slot }
        isPlaced = true
        slot = try find(target)
        return slot
    }

    /// Says that it stands at a document, for those that go on by themselves.
    final func place(_ slot: UInt32) {
        self.slot = slot
        isPlaced = true
    }

    /// The first document from `target` on.
    func find(_ target: UInt32) throws -> UInt32 { Self.end }
    /// The score of the document at ``slot``.
    func score() throws -> Int64 { 0 }
    /// No document in the range scores more than this. Lower ends of the ranges that are asked for must not fall.
    func bound(_ lower: UInt32, _ upper: UInt32) throws -> Int64 { 0 }
    /// The end of the range, from `lower` on, in which ``bound(_:_:)`` is one bound of the stored ones.
    func blockEnd(_ lower: UInt32) throws -> UInt32 { Self.end }
    /// What the document at ``slot`` scores, or more, if what it scores costs more to find out.
    func scoreBound() throws -> Int64 { try score() }
    /// Whether ``scoreBound()`` is what ``score()`` is.
    var scoresAreExact: Bool { true }

    /// `factor` times what the document at a slot scores, or more, as ``scoreBound()`` has it; `nil` if it does not match or
    /// that is not above `threshold`.
    ///
    /// - Parameter next: is raised to the first document that can match, where that is known.
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

    /// Adds what a document must have and must not have to match.
    func add(to conjunction: inout Conjunction.Contents) { conjunction.parts.append(Conjunction.Part(self, factor: 1)) }
    /// About how many documents match.
    var cost: Int { 0 }
    /// No document scores more than this.
    var largestScore: Int64 { 0 }

    /// Adds the score of every document in a range to the sums of a window that begins there.
    func accumulate(_ lower: UInt32, _ upper: UInt32, into window: ScoreWindow) throws {
        var slot = try advance(to: lower)
        while slot < upper {
            window.add(try score(), at: Int(slot - lower))
            slot = try advance(to: slot + 1)
        }
    }
}

/// Sums of scores of up to 4,096 neighbouring slots.
@safe final class ScoreWindow {
    private let sums: UnsafeMutablePointer<Int64>
    private let bits: UnsafeMutablePointer<UInt64>
    private static let count = Int(TextStructure.chunkSlotCount)

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
        unsafe sums[offset] += score
        unsafe bits[offset >> 6] |= 1 << UInt64(offset & 63)
    }

    /// Calls `body` with each slot that something was added to, in order, and begins anew.
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

/// Documents that all parts match.
final class AndMatcher: Matcher {
    private let parts: [Matcher]

    init(_ parts: [Matcher]) { self.parts = parts.sorted { $0.cost < $1.cost } }

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
                // The rarest leads.
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
            // Below zero: no document at all.
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

/// Documents that at least one part matches; the scores are added.
final class OrMatcher: Matcher {
    let parts: [Matcher]

    init(_ parts: [Matcher]) { self.parts = parts }

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

/// Documents that one part matches and another does not.
final class ExceptMatcher: Matcher {
    private let wanted: Matcher
    private let unwanted: Matcher

    init(_ wanted: Matcher, _ unwanted: Matcher) {
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

/// Documents that one part matches; another adds to the score where it matches as well.
final class OptionalMatcher: Matcher {
    private let wanted: Matcher
    private let optional: Matcher

    init(_ wanted: Matcher, optional: Matcher) {
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
