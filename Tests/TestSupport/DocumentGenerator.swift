package import DocIndex
internal import Foundation

/// Generates the same random values for the same seed.
///
/// A test that uses it includes `seed` in its failure messages; `LEVELKIT_TEST_SEED` sets the seed.
package struct DocumentGenerator: RandomNumberGenerator {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Creates a generator with the seed from the environment, or a new one.
    package init() {
        let given = ProcessInfo.processInfo.environment["LEVELKIT_TEST_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? UInt64.random(in: 0...UInt64.max))
    }

    /// Whether the long form of the tests is selected.
    package static var isLong: Bool { ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1" }

    // SplitMix64, G. L. Steele et al., "Fast splittable pseudorandom number generators", OOPSLA 2014.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    package mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

extension DocumentGenerator {
    /// Returns a value with at most `depth` levels of arrays and objects.
    package mutating func value(depth: Int = 4) -> DocumentValue {
        switch number(below: depth > 0 ? 12 : 8) {
        case 0: .null
        case 1: .bool(next() & 1 == 0)
        case 2, 3: .int(integer())
        case 4, 5: .double(double())
        case 6 where next() & 3 == 0: .attachment(attachment())
        case 6: .string(text())
        case 7 where next() & 1 == 0: .date(date())
        case 7: .bytes((0..<number(below: 9)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case 8, 9: .array((0..<number(below: 5)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth))
        }
    }

    package mutating func object(depth: Int = 4) -> DocumentObject {
        var object = DocumentObject()
        // Occasionally more members than a linear search handles.
        let count = number(below: 20) == 0 ? 16 + number(below: 30) : number(below: 6)
        for _ in 0..<count { object[name()] = value(depth: depth - 1) }
        return object
    }

    package mutating func name() -> String {
        switch number(below: 12) {
        case 0: ["$lit", "$bytes", "$num", "$gte", "$", "", "$attachment"][number(below: 7)]
        case 1: text()
        default:
            ["id", "gps", "lat", "keywords", "people", "name", "ExifIFD:ISO", "é", "e\u{301}", "type"][
                number(below: 10)]
        }
    }

    package mutating func text() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<number(below: number(below: 10) == 0 ? 60 : 8) {
            let limit: UInt32 = [0x20, 0x80, 0x80, 0x80, 0x800, 0x11_0000][number(below: 6)]
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    package mutating func attachment() -> Attachment {
        let bytes = (0..<Attachment.Digest.byteCount).map { _ in UInt8(truncatingIfNeeded: next()) }
        let name = number(below: 3) == 0 ? "" : text()
        return Attachment.Digest(bytes.span).flatMap {
            Attachment(
                digest: $0, byteCount: Int64(truncatingIfNeeded: next() >> UInt64(1 + number(below: 63))),
                type: "image/" + text(), name: name.isEmpty ? nil : name)
        } ?? Attachments.image
    }

    package mutating func integer() -> Int64 {
        switch number(below: 4) {
        case 0: [0, 1, -1, .max, .min, 63, 64, -64, -65, 8191, 8192][number(below: 11)]
        case 1: Int64(number(below: 1000))
        default: Int64(bitPattern: next()) >> Int64(number(below: 64))
        }
    }

    package mutating func date() -> DocumentDate {
        let milliseconds = number(below: 2) == 0 ? Int64(number(below: 2_000_000_000)) * 1000 : integer()
        switch number(below: 3) {
        case 0: return DocumentDate(milliseconds: milliseconds)
        case 1: return DocumentDate(utcMilliseconds: milliseconds)
        default:
            let limit = DocumentDate.maximumOffsetMinutes
            let zoned = DocumentDate(milliseconds: milliseconds, offsetMinutes: number(below: 2 * limit + 1) - limit)
            return zoned ?? DocumentDate(milliseconds: 0)
        }
    }

    package mutating func double() -> Double {
        switch number(below: 4) {
        case 0:
            [0, -0.0, 1, .infinity, -.infinity, .nan, 0x1p-1074, .greatestFiniteMagnitude, 1e15, 1e16, 0x1p63][
                number(below: 11)]
        case 1: Double(number(below: 1_000_000)) / 1000
        default: Double(bitPattern: next())
        }
    }
}
