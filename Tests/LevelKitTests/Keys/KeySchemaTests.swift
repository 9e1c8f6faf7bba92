import Foundation
import LevelKit
import Testing

/// A custom type as a component of keys.
private enum Stars: Int, KeyComponentValue, CaseIterable {
    case poor = 1
    case good = 3
    case best = 5
}

@Suite struct KeySchemaTests {
    private static let byDate = KeySchema(
        "photosByDate", KeyComponent<Int64>("taken", .descending), KeyComponent<String>("id"))

    @Test func `A key is the packed tuple of its components`() throws {
        let byDate = Self.byDate
        #expect(byDate.pack(7, "a") == Tuple([.descending(7), "a"]).packed())
        #expect(byDate.pack((7, "a")) == byDate.pack(7, "a"))
        #expect(byDate.pack(7, "a") == [0x40, 0xea, 0xf8, 0x02, 0x61, 0x00])
        let (taken, id) = try byDate.unpack(byDate.pack(7, "a"))
        #expect(taken == 7)
        #expect(id == "a")
        var bytes: [UInt8] = [0xfe]
        byDate.append((7, "a"), to: &bytes)
        #expect(try byDate.unpack(bytes.span, from: 1) == (7, "a"))
    }

    @Test func `A schema with one component uses plain values as keys`() throws {
        let schema = KeySchema("ids", KeyComponent<UUID>("id"))
        let id = UUID()
        #expect(schema.pack(id) == Tuple([.uuid(id)]).packed())
        #expect(try schema.unpack(schema.pack(id)) == id)
    }

    @Test func `The definition and fingerprint of a schema are stable`() {
        #expect(Self.byDate.definition == "photosByDate v1 (taken: int64 descending, id: string)")
        #expect(Self.byDate.fingerprint.description == "dc97ebf76629ad39")
        #expect(Self.byDate.components.map(\.direction) == [.descending, .ascending])
        let all = KeySchema(
            "all", version: 20, KeyComponent<Int>("a"), KeyComponent<UInt8>("b"), KeyComponent<Int128>("c"),
            KeyComponent<[UInt8]>("d"), KeyComponent<Bool>("e"), KeyComponent<Double>("f"), KeyComponent<Float>("g"),
            KeyComponent<Date>("h"), KeyComponent<UUID?>("i", .descending), KeyComponent<Stars?>("j"),
            KeyComponent<UInt>("k"))
        #expect(
            all.definition
                == "all v20 (a: int64, b: uint8, c: int128, d: bytes, e: bool, f: float64, g: float32, h: date, "
                + "i: uuid? descending, j: int64?, k: uint64)")
    }

    @Test func `Schema fingerprints are FNV-1a hashes`() {
        // Test vectors of the authors, http://www.isthe.com/chongo/tech/comp/fnv/.
        #expect(Self.fnv("") == "cbf29ce484222325")
        #expect(Self.fnv("a") == "af63dc4c8601ec8c")
        #expect(Self.fnv("foobar") == "85944171f73967e8")
        #expect(Self.fnv(Self.byDate.definition) == Self.byDate.fingerprint.description)
        let renamed = KeySchema("photosByDate", KeyComponent<Int64>("date", .descending), KeyComponent<String>("id"))
        #expect(renamed.fingerprint != Self.byDate.fingerprint)
    }

    /// An independent implementation of the hash, following its specification.
    private static func fnv(_ text: String) -> String {
        let hash = text.utf8.reduce(14_695_981_039_346_656_037) { (hash: UInt64, byte) in
            (hash ^ UInt64(byte)).multipliedFullWidth(by: 1_099_511_628_211).low
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: - Round trips

    @Test func `Every component type round-trips in both directions`() throws {
        try roundTrip([Int.min, -1, 0, 1, .max])
        try roundTrip([Int64.min, -256, 0, 255, .max])
        try roundTrip([Int32.min, 0, .max])
        try roundTrip([Int16.min, 0, .max])
        try roundTrip([Int8.min, 0, .max])
        try roundTrip([UInt.min, .max])
        try roundTrip([UInt64.min, UInt64(Int64.max) + 1, .max])
        try roundTrip([UInt32.max, UInt32.min])
        try roundTrip([UInt16.max, UInt16.min])
        try roundTrip([UInt8.max, UInt8.min])
        try roundTrip([Int128.min, -(1 << 64), Int128(Int64.min) - 1, -1, 0, 1 << 64, .max])
        try roundTrip([UInt128.min, UInt128(UInt64.max), UInt128(UInt64.max) + 1, .max])
        try roundTrip(["", "\0", "a", "a\0", "e\u{301}", "\u{E9}", "\u{10FFFF}"])
        try roundTrip([[], [0], [0xff], [0, 0xff, 0]] as [[UInt8]])
        try roundTrip([false, true])
        try roundTrip([-.infinity, -1.5, 0, 1.5, .infinity] as [Double])
        try roundTrip([-.infinity, -1.5, 0, 1.5, .infinity] as [Float])
        try roundTrip([Date.distantPast, Date(timeIntervalSinceReferenceDate: 0.1), .distantFuture])
        try roundTrip([UUID(), UUID()])
        try roundTrip([nil, 0, -7] as [Int?])
        try roundTrip([nil, "", "\0"] as [String?])
        try roundTrip(Stars.allCases)
        try roundTrip([nil, .good] as [Stars?])
    }

    private func roundTrip<Value: KeyElementCodable & Equatable>(_ values: [Value]) throws {
        for direction in KeyDirection.allCases {
            let schema = KeySchema("s", KeyComponent<Value>("v", direction), KeyComponent<Bool>("after"))
            for value in values {
                let key = schema.pack(value, true)
                #expect(try schema.unpack(key) == (value, true))
                // Any other tuple reader can decode the key.
                #expect(try Tuple(packed: key).count == 2)
            }
        }
    }

    @Test func `Floats keep their bits, including NaNs and the sign of zero`() throws {
        let schema = KeySchema("s", KeyComponent<Double>("a", .descending), KeyComponent<Float>("b"))
        for (a, b) in [(-0.0, 0), (Double.nan, -Float.nan), (-.nan, -0.0)] as [(Double, Float)] {
            let key = try schema.unpack(schema.pack(a, b))
            #expect(key.0.bitPattern == a.bitPattern)
            #expect(key.1.bitPattern == b.bitPattern)
        }
    }

    // MARK: - Precondition failures

    @Test func `A name that would make the definition ambiguous is a precondition failure`() async {
        await #expect(processExitsWith: .failure) { _ = KeyComponent<Int>("a, b") }
        await #expect(processExitsWith: .failure) { _ = KeyComponent<Int>("") }
        await #expect(processExitsWith: .failure) { _ = KeySchema("a(", KeyComponent<Int>("a")) }
    }

    @Test func `Duplicate component names and schemas without components are precondition failures`() async {
        await #expect(processExitsWith: .failure) {
            _ = KeySchema("s", KeyComponent<Int>("a"), KeyComponent<String>("a"))
        }
        await #expect(processExitsWith: .failure) { _ = KeySchema("s") }
        await #expect(processExitsWith: .failure) { _ = KeySchema("s", version: -1, KeyComponent<Int>("a")) }
    }
}
