import Foundation
import LevelKit
import Testing

@Suite struct TupleEncoderTests {
    @Test func `Each append function writes the same bytes as its element`() {
        let uuid = UUID()
        let stamp = Tuple.Versionstamp(commitVersion: 7, batchNumber: 8, userVersion: 9)
        var key: [UInt8] = []
        TupleEncoder.appendNull(to: &key)
        TupleEncoder.append(true, to: &key)
        TupleEncoder.append(-3, to: &key)
        TupleEncoder.append(Int64.min, to: &key)
        TupleEncoder.append(UInt64.max, to: &key)
        TupleEncoder.append(Tuple.BigInteger(12), to: &key)
        TupleEncoder.append(Float(1.5), to: &key)
        TupleEncoder.append(-1.5, to: &key)
        TupleEncoder.append("text\0", to: &key)
        TupleEncoder.append("lent".utf8Span, to: &key)
        TupleEncoder.append([0, 1] as [UInt8], to: &key)
        TupleEncoder.append(([2, 0] as [UInt8]).span, to: &key)
        TupleEncoder.append(uuid, to: &key)
        TupleEncoder.append(stamp, to: &key)
        TupleEncoder.append(nested: ["in", nil], to: &key)
        TupleEncoder.append(.descending(4), to: &key)
        let tuple: Tuple = [
            nil, true, -3, .int(.min), .integer(UInt64.max), 12, .float(1.5), -1.5, "text\0", "lent", .bytes([0, 1]),
            .bytes([2, 0]), .uuid(uuid), .versionstamp(stamp), ["in", nil], .descending(4),
        ]
        #expect(hex(key) == hex(tuple.packed()))
    }

    @Test func `Elements are appended to the existing bytes of a key`() {
        var key: [UInt8] = [0xff, 0x01]
        TupleEncoder.append(contentsOf: ["a", 1], to: &key)
        #expect(hex(key) == "ff01" + "026100" + "1501")
    }

    @Test func `A nested tuple can be written by a closure`() {
        var key: [UInt8] = []
        TupleEncoder.appendNested(to: &key) { key in
            TupleEncoder.appendNull(nested: true, to: &key)
            TupleEncoder.appendNested(to: &key) { _ in }
            TupleEncoder.append("a", to: &key)
        }
        #expect(key == Tuple([[nil, [], "a"]]).packed())
    }

    @Test func `A descending element can be written by a closure`() {
        let elements: [Tuple.Element] = ["a\0", .bytes([]), [nil, "x"], 5, nil, .descending("b")]
        for element in elements {
            var key: [UInt8] = [0x07]
            TupleEncoder.appendDescending(to: &key) { key in TupleEncoder.append(element, to: &key) }
            #expect(key == [0x07] + Tuple([.descending(element)]).packed())
        }
    }

    @Test func `A descending element without content is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            var key: [UInt8] = []
            TupleEncoder.appendDescending(to: &key) { _ in }
        }
    }

    @Test func `No element starts with the escape byte, and no encoding is a prefix of another`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed ^ 0x5e1f)
        for _ in 0..<50_000 {
            let lhs = generator.element(depth: 0)
            let rhs = generator.below(2) == 0 ? generator.element(depth: 0) : generator.variation(of: lhs)
            let (a, b) = (Tuple([lhs]).packed(), Tuple([rhs]).packed())
            let isPrefix = a.count < b.count && b.starts(with: a)
            let isSettledByNextByte = isPrefix && b[a.count] == 0xff && a.last == 0x00
            // Descending elements are distinguishable without examining the next byte.
            let isSound = a[0] != 0xff && (!isPrefix || isSettledByNextByte && a[0] != 0x40)
            guard isSound else {
                Issue.record("\(lhs) = \(hex(a)) and \(rhs) = \(hex(b)); \(TupleTestPlan.repetition)")
                return
            }
        }
    }
}
