import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The law of every component: the order of its bytes is the declared order of the values.
@Suite struct ComponentOrderTests {
    private static let texts: [String] = [
        "", "a", "A", "b", "ab", "Ab", "a\0", "a\0b", "\0", "é", "E\u{301}", "e", "ß", "ss", "Ｅ", "IMG_2", "img_2",
        "IMG_02", "IMG_10", "IMG_", "IMG_2a", "IMG_2_", "0", "00", "1", "01", "10", "9", "a9b", "a10b", "a/", "a:",
        String(repeating: "1", count: 253), String(repeating: "1", count: 254), String(repeating: "2", count: 253),
        String(repeating: "1", count: 600), "\u{ffff}", "\u{10ffff}",
    ]

    @Test(arguments: TextCollation.allCases, IndexDefinition.Component.Order.allCases)
    func `Strings are in the order of their collation`(collation: TextCollation, order: IndexDefinition.Component.Order)
    {
        let component = IndexDefinition.Component("a", order: order, collation: collation)
        for a in Self.texts {
            for b in Self.texts {
                var expected = ReferenceOrder.compare(a, b, collation)
                if order == .descending { expected = -expected }
                let bytes = (component.encoded(.string(a)), component.encoded(.string(b)))
                // Whatever follows: the smallest and the largest permitted byte.
                for (first, second) in [(0x02, 0xfd), (0xfd, 0x02)] as [(UInt8, UInt8)] where expected != 0 {
                    #expect(Self.order(bytes.0 + [first], bytes.1 + [second]) == expected, "\(a), \(b)")
                }
                #expect((bytes.0 == bytes.1) == (expected == 0), "\(a), \(b)")
                #expect(skip(bytes.0 + [0x15, 7], in: component) == bytes.0.count)
            }
        }
    }

    @Test(arguments: IndexDefinition.Component.Order.allCases)
    func `Levels are compared one by one, so that everything below a keyword is one range`(
        order: IndexDefinition.Component.Order
    )
        throws
    {
        let component = IndexDefinition.Component("k", order: order, split: "|")
        let texts = [
            "", "|", "a", "a|", "a||", "a|b", "a|b|c", "a|bc", "a|b\0", "a\0", "a\0|b", "ab", "ab|c", "b", "é|x",
            "a b|c",
        ]
        for a in texts {
            let range = try #require(component.subtree(of: a, behind: [7]))
            for b in texts {
                let levels = (Self.levels(a), Self.levels(b))
                var expected = Self.compareLevels(levels.0, levels.1)
                if order == .descending { expected = -expected }
                let key = component.encoded(.string(b))
                #expect(Self.order(component.encoded(.string(a)) + [0x15], key + [0x15]) == expected, "\(a), \(b)")
                #expect(Self.contains(range, [7] + key + [0x15]) == levels.1.starts(with: levels.0), "\(a), \(b)")
                #expect(skip(key + [0x15, 7], in: component) == key.count)
            }
        }
    }

    @Test func `Components for strings leave values of other kinds unchanged`() {
        for values in AscendingValues.all {
            guard let value = values[0] else { continue }
            if case .string = value { continue }
            for component in [
                IndexDefinition.Component("a", collation: .natural), IndexDefinition.Component("a", dates: [.exif]),
                IndexDefinition.Component("a", split: "|"),
            ] {
                #expect(component.encoded(value) == OrderedValue.encoded(value))
            }
        }
        #expect(IndexDefinition.Component("a", part: .month).encoded(nil) == OrderedValue.encoded(nil))
        #expect(IndexDefinition.Component("a", part: .month).encoded(.null) == OrderedValue.encoded(.null))
        // A value that is not a date must not be treated as a month.
        #expect(IndexDefinition.Component("a", part: .month).encoded(7) == [0x16] + OrderedValue.encoded(7))
        #expect(IndexDefinition.Component("a", dates: [.exif], part: .month).encoded("x") == [0x16, 0x0c, 0x78, 0x00])
    }

    @Test func `Random components keep the order of any values and mark their own end`() {
        var queries = RandomQueries(TestRun.random(stream: 40))
        for _ in 0..<TestRun.rounds(3000, long: 200_000) {
            let component = queries.component()
            var other = component
            other.order = component.order == .ascending ? .descending : .ascending
            let values = (queries.documents.value(), queries.documents.value())
            let bytes = (component.encoded(values.0), component.encoded(values.1))
            let reversed = (other.encoded(values.0), other.encoded(values.1))
            let comment: Comment = "\(component), \(values), \(TestRun.repetition)"
            func order(_ keys: ([UInt8], [UInt8])) -> Int { Self.order(keys.0 + [0x15], keys.1 + [0x15]) }
            #expect(order(bytes) == -order(reversed), comment)
            #expect(skip(bytes.0 + bytes.1, in: component) == bytes.0.count, comment)
            #expect(skip(reversed.0 + reversed.1, in: other) == reversed.0.count, comment)
            if component.hasOrderOfValues {
                let expected = ReferenceOrder.compare(values.0, values.1)
                #expect(
                    order(bytes) == (component.order == .ascending ? expected : -expected), comment)
            }
        }
    }

    @Test func `Component bytes match the documented format`() {
        func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { String(256 + Int($0), radix: 16).dropFirst() }.joined(separator: " ")
        }
        let examples: [(IndexDefinition.Component, DocumentValue?, String)] = [
            (.field("a", collation: .natural), "IMG_2", "0b 69 6d 67 5f 30 02 32 00 49 4d 47 5f 32 00"),
            (.field("a", split: "|"), "Places|Paris", "0d 02 50 6c 61 63 65 73 00 02 50 61 72 69 73 00 00"),
            (.field("a", dates: [.iso8601]), "1970-01-01T01:00+01:00", "0e 80 00 00 00 00 00 00 00 80 3c"),
            (.field("a", order: .descending), "sea", "f3 8c 9a 9e ff"),
            (.field("a", collation: .caseAndAccentInsensitive), "\u{c9}A", "0c 65 61 00"),
            (.field("a", dates: [.exif], part: .monthDay), "2012:06:08 18:02:11", "0a c0 83 00"),
            (.field("a", part: .month), 6, "16 0a c0 18 00"),
        ]
        for (component, value, bytes) in examples { #expect(hexadecimal(component.encoded(value)) == bytes) }
    }

    @Test func `Reading a component from random bytes never traps`() {
        var random = TestRun.random(stream: 41)
        for _ in 0..<20_000 {
            let bytes = (0..<random.number(below: 12)).map { _ in
                random.once(in: 2) ? UInt8(random.number(below: 256)) : random.pick([0, 2, 0x0b, 0x0d, 0x16, 0xff])
            }
            for isDescending in [false, true] {
                if let end = OrderedValue.skip(in: bytes.span, from: 0, isDescending: isDescending) {
                    #expect(end <= bytes.count)
                }
            }
        }
    }

    // MARK: - Naive order

    private func skip(_ key: [UInt8], in component: IndexDefinition.Component) -> Int? {
        component.skip(in: key.span, from: 0)
    }

    private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    private static func contains(_ range: KeyRange, _ key: [UInt8]) -> Bool {
        guard case .included(let lower) = range.lower, case .excluded(let upper) = range.upper else { return false }
        return !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }

    private static func levels(_ text: String) -> [[UInt8]] {
        Array(text.utf8).split(separator: 124, omittingEmptySubsequences: false).map(Array.init)
    }

    private static func compareLevels(_ a: [[UInt8]], _ b: [[UInt8]]) -> Int {
        for (a, b) in zip(a, b) where a != b { return order(a, b) }
        return (a.count - b.count).signum()
    }
}
