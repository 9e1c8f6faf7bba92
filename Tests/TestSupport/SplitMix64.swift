/// A random number generator that returns the same numbers for the same seed.
///
/// G. L. Steele et al., "Fast splittable pseudorandom number generators", OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with a seed.
    public init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension SplitMix64 {
    /// Returns a number from 0 up to, but not including, `limit`.
    ///
    /// - Precondition: `limit` is positive.
    public mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// Returns `true` with a probability of one in `count`.
    public mutating func once(in count: Int) -> Bool { number(below: count) == 0 }

    /// Returns one of several values, all equally likely.
    ///
    /// - Precondition: `values` is not empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }
}
