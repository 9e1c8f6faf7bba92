import LevelKit
import Testing

@Suite struct TupleRangeTests {
    /// Returns whether a half-open range contains a key.
    private func contains(_ range: KeyRange, _ key: [UInt8]) -> Bool {
        guard case .included(let lower) = range.lower, case .excluded(let upper) = range.upper else { return false }
        return !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }

    @Test func `The range of a tuple contains exactly the longer tuples that start with it`() {
        let tuple: Tuple = ["users", 42]
        #expect(contains(tuple.range, Tuple(["users", 42, nil]).packed()))
        #expect(contains(tuple.range, Tuple(["users", 42, .versionstamp(.incomplete())]).packed()))
        #expect(contains(tuple.range, Tuple(["users", 42, .descending(nil), 1]).packed()))
        #expect(!contains(tuple.range, tuple.packed()))
        #expect(!contains(tuple.range, Tuple(["users", 43]).packed()))
        #expect(!contains(tuple.range, Tuple(["users"]).packed()))
    }

    @Test func `The range of a string excludes keys that merely start with its bytes`() {
        let longer = Tuple(["a\0"]).packed()
        #expect(longer.starts(with: Tuple(["a"]).packed()))
        #expect(!contains(Tuple(["a"]).range, longer))
    }

    @Test func `The range of the empty tuple contains all other tuples`() {
        #expect(contains(Tuple().range, Tuple([nil]).packed()))
        #expect(contains(Tuple().range, Tuple([.descending(nil)]).packed()))
        #expect(!contains(Tuple().range, []))
    }

    @Test func `A random tuple lies in the range of another if and only if it extends it`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed ^ 0x4a47e)
        var insideCount = 0
        for _ in 0..<TupleTestPlan.rounds(20_000, long: 1_000_000) {
            let tuple = generator.tuple()
            let other =
                switch generator.below(3) {
                case 0: generator.tuple()
                case 1: generator.variation(of: tuple)
                default: Tuple(tuple.elements + generator.tuple().elements)
                }
            let isExtension = other.count > tuple.count && Tuple(other.elements.prefix(tuple.count)) == tuple
            let isInside = contains(tuple.range, other.packed())
            guard isInside == isExtension, !isExtension || other.packed().starts(with: tuple.packed()) else {
                Issue.record("\(other) in the range of \(tuple); \(TupleTestPlan.repetition)")
                return
            }
            insideCount += isInside ? 1 : 0
        }
        #expect(insideCount > 1000)
    }

    @Test func `The key of a tuple is the concatenation of the keys of its parts`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed ^ 0xc0c)
        for _ in 0..<2000 {
            let (head, tail) = (generator.tuple(), generator.tuple())
            #expect(Tuple(head.elements + tail.elements).packed() == head.packed() + tail.packed())
        }
    }
}
