import LevelKit
import Testing

/// Keys that cover every difficulty: a key that ends inside another, a null, a sign, and both directions of each.
private struct OrderedKeys {
    typealias Key = (String, Int64?, [UInt8], Double)

    let directions: [KeyDirection]
    let schema: KeySchema<Key>

    init(_ directions: [KeyDirection]) {
        self.directions = directions
        schema = KeySchema(
            "s", KeyComponent<String>("text", directions[0]), KeyComponent<Int64?>("number", directions[1]),
            KeyComponent<[UInt8]>("bytes", directions[2]), KeyComponent<Double>("float", directions[3]))
    }

    static func random(_ generator: inout TupleGenerator) -> Key {
        let floats = [-Double.infinity, -1, -0.0, 0, 1, .infinity, .nan]
        return (
            generator.string(), generator.below(4) == 0 ? nil : generator.int64(), generator.bytes(),
            generator.pick(floats)
        )
    }

    /// Returns the key, or one that shares its first components.
    static func variation(of key: Key, _ generator: inout TupleGenerator) -> Key {
        let other = random(&generator)
        return switch generator.below(5) {
        case 0: key
        case 1: (key.0, key.1, key.2, other.3)
        case 2: (key.0, key.1, other.2, other.3)
        case 3: (key.0, other.1, other.2, other.3)
        default: (key.0 + generator.string(), other.1, other.2, other.3)
        }
    }

    /// Returns the order of two keys, derived only from the meaning of their components: negative, zero or positive.
    func compare(_ a: Key, _ b: Key) -> Int {
        let orders = [
            Self.compareText(a.0, b.0), Self.compareNumber(a.1, b.1), Self.compareBytes(a.2, b.2),
            Self.compareFloat(a.3, b.3),
        ]
        for (order, direction) in zip(orders, directions) where order != 0 {
            return direction == .ascending ? order : -order
        }
        return 0
    }

    static func compareText(_ a: String, _ b: String) -> Int {
        let (a, b) = (a.unicodeScalars.map(\.value), b.unicodeScalars.map(\.value))
        return a == b ? 0 : (a.lexicographicallyPrecedes(b) ? -1 : 1)
    }

    static func compareNumber(_ a: Int64?, _ b: Int64?) -> Int {
        guard let a, let b else { return (a == nil ? 0 : 1) - (b == nil ? 0 : 1) }
        return a == b ? 0 : (a < b ? -1 : 1)
    }

    static func compareBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : (a.lexicographicallyPrecedes(b) ? -1 : 1)
    }

    static func compareFloat(_ a: Double, _ b: Double) -> Int {
        a.bitPattern == b.bitPattern ? 0 : (a.isTotallyOrdered(belowOrEqualTo: b) ? -1 : 1)
    }
}

@Suite struct KeySchemaOrderTests {
    private static let keys: [OrderedKeys] = (0..<16).map { bits in
        OrderedKeys((0..<4).map { bits >> $0 & 1 == 0 ? .ascending : .descending })
    }

    @Test func `Packed keys are ordered like their components, in all directions`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        for round in 0..<TupleTestPlan.rounds(60_000, long: 3_000_000) {
            let keys = Self.keys[round % Self.keys.count]
            let a = OrderedKeys.random(&generator)
            let b = OrderedKeys.variation(of: a, &generator)
            let (x, y) = (keys.schema.pack(a), keys.schema.pack(b))
            let order = OrderedKeys.compareBytes(x, y)
            guard order == keys.compare(a, b) else {
                Issue.record("\(a) and \(b) in \(keys.directions); \(TupleTestPlan.repetition)")
                return
            }
        }
    }

    @Test func `A range contains exactly the keys that match its description`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        var insideCount = 0
        for round in 0..<TupleTestPlan.rounds(4000, long: 1_000_000) {
            let keys = Self.keys[round % Self.keys.count]
            let key = OrderedKeys.random(&generator)
            let a = OrderedKeys.variation(of: key, &generator)
            let b = OrderedKeys.variation(of: key, &generator)
            let prefix = generator.bytes()
            var bytes = prefix
            keys.schema.append(key, to: &bytes)
            for (range, isInside) in Self.ranges(keys, key, a, b) {
                let isFound = keys.schema.range(range, prefix: prefix).contains(bytes)
                guard isFound == isInside else {
                    Issue.record("\(key) in \(range) of \(keys.directions); \(TupleTestPlan.repetition)")
                    return
                }
                insideCount += isInside ? 1 : 0
            }
        }
        #expect(insideCount > 10_000)
    }

    /// Returns ranges built from two keys, and whether `key` lies in each according to its definition.
    private static func ranges(
        _ keys: OrderedKeys, _ key: OrderedKeys.Key, _ a: OrderedKeys.Key, _ b: OrderedKeys.Key
    ) -> [(TypedKeyRange<OrderedKeys.Key>, Bool)] {
        let (fromA, fromB) = (keys.compare(key, a), keys.compare(key, b))
        let sameText = OrderedKeys.compareText(key.0, a.0) == 0
        let sameNumber = sameText && key.1 == a.1
        let sameBytes = sameNumber && key.2 == a.2
        let (textA, textB) = (OrderedKeys.compareText(key.0, a.0), OrderedKeys.compareText(key.0, b.0))
        let (floatA, floatB) = (OrderedKeys.compareFloat(key.3, a.3), OrderedKeys.compareFloat(key.3, b.3))
        let beginning = String(String.UnicodeScalarView(a.0.unicodeScalars.prefix(a.0.unicodeScalars.count / 2)))
        let startsAlike = key.0.utf8.starts(with: beginning.utf8)
        var ranges: [(TypedKeyRange<OrderedKeys.Key>, Bool)] = [
            (.all, true),
            (.range(from: a), fromA >= 0),
            (.range(to: b), fromB < 0),
            (.range(from: a, to: b), fromA >= 0 && fromB < 0),
            (.range(after: a), fromA > 0),
            (.range(after: a, to: b), fromA > 0 && fromB < 0),
            (.only(a), fromA == 0),
            (.prefix(a.0), sameText),
            (.prefix(a.0, a.1), sameNumber),
            (.prefix(a.0, a.1, a.2), sameBytes),
            (.range(a.0...), textA >= 0),
            (.range(..<a.0), textA < 0),
            (.range(...a.0), textA <= 0),
            (.range(.startingWith(beginning)), startsAlike),
            (.prefix(a.0).after(b), sameText && fromB > 0),
            (.range(a.0...).before(b), textA >= 0 && fromB < 0),
            (.all.after(a).after(b).before(a), false),
            (.all.after(a).before(b), fromA > 0 && fromB < 0),
            (.range(.startingWith(beginning)).after(b), startsAlike && fromB > 0),
        ]
        // Swift's range operators trap if the bounds are out of order.
        if a.0 <= b.0 {
            ranges.append((.range(a.0..<b.0), textA >= 0 && textB < 0))
            ranges.append((.range(a.0...b.0), textA >= 0 && textB <= 0))
        }
        if a.3 <= b.3 {
            ranges.append((.range(a.0, a.1, a.2, a.3..<b.3), sameBytes && floatA >= 0 && floatB < 0))
            ranges.append((.range(a.0, a.1, a.2, a.3...b.3), sameBytes && floatA >= 0 && floatB <= 0))
        }
        return ranges
    }

    @Test func `Literals in a range take the types of the components`() {
        let two = KeySchema("two", KeyComponent<Int64>("a"), KeyComponent<UInt8>("b", .descending))
        #expect(two.range(.prefix(5)).contains(two.pack(5, 0)))
        #expect(!two.range(.prefix(5)).contains(two.pack(6, 0)))
        #expect(two.range(.range(5..<7)).contains(two.pack(6, 255)))
        #expect(two.range(.range(5, 1...9)).contains(two.pack(5, 9)))
        #expect(!two.range(.range(5, 1..<9)).contains(two.pack(5, 9)))
        #expect(two.range(.range(5, 1..<9)).contains(two.pack(5, 1)))
        #expect(two.range(.range(from: (5, 9), to: (5, 1))).contains(two.pack(5, 2)))
        #expect(!two.range(.range(from: (5, 9), to: (5, 1))).contains(two.pack(5, 1)))
        let one = KeySchema("one", KeyComponent<Double>("a"))
        #expect(one.range(.range(1...)).contains(one.pack(1.5)))
        #expect(one.range(.range(from: 2)).contains(one.pack(2)))
        #expect(one.range(.only(2)).contains(one.pack(2)))
        let three = KeySchema("three", KeyComponent<Int8>("a"), KeyComponent<Int8>("b"), KeyComponent<Int8>("c"))
        #expect(three.range(.range(1, 2...)).contains(three.pack(1, 3, -1)))
        #expect(three.range(.range(1, 2, ..<0)).contains(three.pack(1, 2, -1)))
        #expect(three.range(.range(...1)).contains(three.pack(1, 2, -1)))
    }

    @Test func `Strings are found by their prefix at every component, also optional and raw values`() throws {
        struct PhotoID: RawRepresentable, KeyComponentValue { let rawValue: String }
        let two = KeySchema("two", KeyComponent<String?>("a"), KeyComponent<PhotoID>("b", .descending))
        let first = two.range(.range(.startingWith("")))
        #expect(first.contains(two.pack("", PhotoID(rawValue: ""))))
        #expect(first.contains(two.pack("\u{10ffff}", PhotoID(rawValue: "x"))))
        #expect(!first.contains(two.pack(nil, PhotoID(rawValue: "x"))))
        let ids = two.range(.range("x", .startingWith("IMG_")))
        #expect(ids.contains(two.pack("x", PhotoID(rawValue: "IMG_"))))
        #expect(ids.contains(two.pack("x", PhotoID(rawValue: "IMG_\u{0}\u{10ffff}"))))
        #expect(!ids.contains(two.pack("x", PhotoID(rawValue: "IMG"))))
        #expect(!ids.contains(two.pack("x", PhotoID(rawValue: "IMG`"))))
        #expect(!ids.contains(two.pack(nil, PhotoID(rawValue: "IMG_"))))
        let one = KeySchema("one", KeyComponent<String>("a"))
        for text in ["a", "é", "\u{d7ff}", "\u{10ffff}", "a\u{10ffff}", "\u{0}", ""] {
            let range = one.range(.range(.startingWith(text)))
            for key in [
                "", "a", "e", "é", "e\u{301}", "b", "\u{d7ff}x", "\u{e000}", "\u{10ffff}\u{0}", "a\u{10ffff}b", "\u{0}",
            ] {
                #expect(
                    range.contains(one.pack(key)) == key.utf8.starts(with: text.utf8),
                    "\(text.debugDescription) \(key.debugDescription)")
            }
        }
    }

    @Test func `A range whose bounds are reversed is empty`() {
        let schema = KeySchema("s", KeyComponent<Int>("a"))
        let range = schema.range(.range(from: 9, to: 1))
        for value in 0..<10 { #expect(!range.contains(schema.pack(value))) }
    }
}
