import LevelKit
import Testing

@Suite struct TupleOrderTests {
    /// Examples of every rule, in ascending order.
    static let ascending: [Tuple] = [
        [], [nil], [nil, nil], [.bytes([])], [.bytes([0])], [.bytes([0, 0])], [.bytes([0, 1])], [.bytes([0xff])],
        [""], ["", nil], ["\0"], ["a"], ["a", 1], ["a\0"], ["ab"], ["e\u{301}"], ["\u{E9}"], ["\u{FFFF}"],
        ["\u{10000}"], [[]], [[], nil], [[nil]], [[nil], 0], [[nil, nil]], [[""]], [["", nil]], [["\0"]], [[[]]],
        [.bigInteger(-0x1_0000_0000_0000_0001)], [.bigInteger(-0x1_0000_0000_0000_0000)], [.int(.min)], [-256], [-255],
        [-1], [0], [1], [255], [256], [.int(.max)], [.integer(UInt64.max)], [.bigInteger(0x1_0000_0000_0000_0000)],
        [.float(-.nan)], [.float(-.infinity)], [.float(-0.0)], [.float(0)], [.float(.nan)],
        [.double(-.nan)], [-1.5], [-0.0], [0.0], [.double(.leastNonzeroMagnitude)], [1.5], [.double(.infinity)],
        [.double(.nan)], [false], [true], [.versionstamp(Tuple.Versionstamp(commitVersion: 1, batchNumber: 0))],
        [.versionstamp(.incomplete())], [.descending(.descending(nil))], [.descending(.descending(1))],
        [.descending(true)], [.descending(1.5)], [.descending(2)], [.descending(1)], [.descending(1), 7],
        [.descending([nil])], [.descending([nil]), nil], [.descending([])], [.descending([]), nil],
        [.descending("b")], [.descending("a\0")], [.descending("a")], [.descending("a"), nil], [.descending("")],
        [.descending(nil)],
    ]

    @Test func `All pairs of a sorted list compare and encode in that order`() {
        for (i, lhs) in Self.ascending.enumerated() {
            for (j, rhs) in Self.ascending.enumerated() {
                #expect((lhs < rhs) == (i < j), "\(lhs) and \(rhs)")
                #expect((lhs == rhs) == (i == j), "\(lhs) and \(rhs)")
                #expect(lhs.packed().lexicographicallyPrecedes(rhs.packed()) == (i < j), "\(lhs) and \(rhs)")
                #expect((TupleReferenceOrder.compare(lhs, rhs) < 0) == (i < j), "\(lhs) and \(rhs)")
            }
        }
    }

    @Test func `Random pairs compare as their bytes do and as the specification says`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        var equalCount = 0
        for _ in 0..<TupleTestPlan.rounds(200_000, long: 5_000_000) {
            let lhs = generator.tuple()
            let rhs = generator.below(2) == 0 ? generator.tuple() : generator.variation(of: lhs)
            let (a, b) = (lhs.packed(), rhs.packed())
            let order = sign(a, b)
            let expected = TupleReferenceOrder.compare(lhs, rhs).signum()
            let compared = lhs < rhs ? -1 : (lhs == rhs ? 0 : 1)
            guard order == expected, compared == expected, expected != 0 || lhs.hashValue == rhs.hashValue else {
                Issue.record("\(lhs) = \(hex(a)) and \(rhs) = \(hex(b)); \(TupleTestPlan.repetition)")
                return
            }
            equalCount += expected == 0 ? 1 : 0
        }
        #expect(equalCount > 1000, "pairs of equal tuples must be among the pairs")
    }

    /// Returns the sign of memcmp; a prefix comes first.
    private func sign(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
        lhs == rhs ? 0 : (lhs.lexicographicallyPrecedes(rhs) ? -1 : 1)
    }

    @Test func `Elements are equal if and only if their bytes are, whatever their Swift values`() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(Tuple.Element.string("\u{E9}") != .string("e\u{301}"))
        #expect(Tuple.Element.double(0) != .double(-0.0))
        #expect(Tuple.Element.double(.nan) == .double(.nan))
        #expect(Tuple.Element.float(1) != .double(1))
        #expect(Tuple.Element.int(1) != .double(1))
        let keys: Set<Tuple.Element> = ["\u{E9}", "e\u{301}", "\u{E9}", .double(0), .double(-0.0)]
        #expect(keys.count == 4)
    }

    @Test func `An integer is the same element in every case that can represent it`() {
        #expect(Tuple.Element.bigInteger(5) == .int(5))
        #expect(Tuple.Element.bigInteger(5).hashValue == Tuple.Element.int(5).hashValue)
        #expect(Tuple([.bigInteger(5)]).packed() == Tuple([5]).packed())
        #expect(Tuple.Element.integer(Tuple.BigInteger(5)).description == "5")
        guard case .int(.min) = Tuple.Element.integer(Tuple.BigInteger(Int64.min)) else {
            Issue.record("Int64.min belongs into the case int")
            return
        }
    }
}
