import Foundation
import LevelKit
import TestSupport

/// The length and the seed of the random tuple tests.
enum TupleTestPlan {
    private static let environment = ProcessInfo.processInfo.environment

    /// Returns the number of rounds; `LEVELKIT_TEST_LONG=1` selects the long runs.
    static func rounds(_ usual: Int, long: Int) -> Int { environment["LEVELKIT_TEST_LONG"] == "1" ? long : usual }

    /// `LEVELKIT_TEST_SEED` if it is set, which repeats a failure; otherwise a new seed.
    static let seed = environment["LEVELKIT_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)

    /// The part of a failure message that says how to repeat the run.
    static var repetition: String { "repeat with LEVELKIT_TEST_SEED=\(seed)" }
}

/// Generates random tuples whose values lie close to each other and to the limits of the encoding.
struct TupleGenerator {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func tuple(depth: Int = 0) -> Tuple {
        var tuple: Tuple = []
        for _ in 0..<below(depth == 0 ? 5 : 4) { tuple.append(element(depth: depth)) }
        return tuple
    }

    /// Returns the tuple itself, or one that differs from it in one place.
    mutating func variation(of tuple: Tuple) -> Tuple {
        var copy = tuple
        switch below(4) {
        case 0: break
        case 1: copy.append(element(depth: 0))
        case 2: _ = copy.elements.popLast()
        default: if !copy.isEmpty { copy[copy.count - 1] = variation(of: copy[copy.count - 1]) }
        }
        return copy
    }

    mutating func variation(of element: Tuple.Element) -> Tuple.Element {
        switch element {
        case .string(let text): .string(below(2) == 0 ? text + string() : String(text.dropLast()))
        case .bytes(let bytes): .bytes(below(2) == 0 ? bytes + self.bytes() : bytes.dropLast())
        case .tuple(let tuple): .tuple(variation(of: tuple))
        case .descending(let element): .descending(variation(of: element))
        case .int(let value): .int(value &+ Int64(below(3)) &- 1)
        case .double(let value): .double(Double(bitPattern: value.bitPattern ^ (1 << UInt64(below(64)))))
        default: self.element(depth: 1)
        }
    }

    mutating func element(depth: Int) -> Tuple.Element {
        switch below(depth < 4 ? 14 : 11) {
        case 0: .null
        case 1: .bytes(bytes())
        case 2, 3: .string(string())
        case 4, 5: .int(int64())
        case 6: .integer(bigInteger())
        case 7: .float(pick([0, -0.0, 1, -1, .infinity, -.infinity, .nan, Float(bitPattern: UInt32(int32()))]))
        case 8: .double(pick([0, -0.0, 1, -1, .infinity, -.infinity, -.nan, Double(bitPattern: random.next())]))
        case 9: .bool(below(2) == 0)
        case 10: below(2) == 0 ? .uuid(uuid()) : .versionstamp(versionstamp())
        case 11, 12: .descending(element(depth: depth + 1))
        default: .tuple(tuple(depth: depth + 1))
        }
    }

    private mutating func int32() -> UInt64 { random.next() >> 32 }

    mutating func bytes() -> [UInt8] {
        (0..<below(4)).map { _ in pick([0x00, 0x01, 0x61, 0xfe, 0xff, UInt8(below(256))]) }
    }

    /// Returns a string of scalars that order differently as bytes, as UTF-16, and as Swift's `String`.
    mutating func string() -> String {
        (0..<below(4)).map { _ in
            pick(["\0", "\u{1}", "a", "e", "\u{301}", "\u{E9}", "\u{D7FF}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"])
        }.joined()
    }

    mutating func int64() -> Int64 {
        let edge = Int64(truncatingIfNeeded: UInt64(1) << UInt64(8 * below(8)))
        let near = edge &+ Int64(below(3)) - 1
        return pick([near, 0 &- near, .min, .max, Int64(below(5)) - 2, Int64(bitPattern: random.next())])
    }

    mutating func bigInteger() -> Tuple.BigInteger {
        let count = pick([8, 8, 9, 10, 16, 254, 255])
        let fill = pick([UInt8(0x00), 0xff, UInt8(below(256))])
        var magnitude = [UInt8](repeating: fill, count: count)
        magnitude[0] = pick([0x01, 0x7f, 0x80, 0xff])
        magnitude[below(count)] = UInt8(below(256))
        return Tuple.BigInteger(magnitude: magnitude, isNegative: below(2) == 0) ?? 0
    }

    private mutating func uuid() -> UUID {
        let b = UInt8(below(256))
        let first = pick([UInt8(0), 0x7f, 0x80, 0xff])
        return UUID(uuid: (first, 0, b, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, b))
    }

    private mutating func versionstamp() -> Tuple.Versionstamp {
        Tuple.Versionstamp(
            commitVersion: pick([0, 1, .max, random.next()]), batchNumber: UInt16(below(3)),
            userVersion: pick([0, 1, 255, 256, .max])
        )
    }
}
