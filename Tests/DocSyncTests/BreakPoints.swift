import TestSupport

/// Where a connection breaks off: each time that a random number of bytes has passed.
struct BreakPoints {
    private var random: SplitMix64
    private let range: Range<Int>
    private let limit: Int
    /// What passes until the next break, in bytes.
    private var room = Int.max
    private(set) var byteCount = 0
    private(set) var breakCount = 0

    /// - Parameters:
    ///   - range: the number of bytes between two breaks; it is empty if there are none.
    ///   - limit: how often the connection breaks at most.
    ///   - stream: the random source of this run.
    init(after range: Range<Int>, limit: Int = .max, stream: UInt64) {
        random = TestRun.random(stream: stream)
        self.range = range
        self.limit = limit
        choose()
    }

    private mutating func choose() {
        room = range.isEmpty || breakCount == limit ? .max : random.number(below: range.count) + range.lowerBound
    }

    /// Returns how many of some bytes pass: fewer than all if the connection breaks.
    mutating func pass(_ count: Int) -> Int {
        let passing = min(count, room)
        byteCount += passing
        room -= passing
        if passing < count {
            breakCount += 1
            choose()
        }
        return passing
    }
}
