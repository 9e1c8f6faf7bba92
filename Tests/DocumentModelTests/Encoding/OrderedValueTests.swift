import TestSupport
import Testing

@testable import DocumentModel

/// The order-preserving encoding of values, an on-disk format.
@Suite struct OrderedValueTests {
    @Test func `Bytes are ordered like their values, and equal values have equal bytes`() {
        for (position, values) in AscendingValues.all.enumerated() {
            let encoded = values.map(OrderedValue.encoded)
            for bytes in encoded { #expect(bytes == encoded[0], "\(values)") }
            for larger in AscendingValues.all[(position + 1)...] {
                #expect(
                    encoded[0].lexicographicallyPrecedes(OrderedValue.encoded(larger[0])),
                    "\(String(describing: values[0])) < \(String(describing: larger[0]))")
            }
        }
    }

    @Test(
        arguments: [
            (nil, [0x02]), (.null, [0x04]), (false, [0x06]), (true, [0x08]), (.double(.nan), [0x0a, 0]),
            (0, [0x0a, 0x80, 0]), (-0.0, [0x0a, 0x80, 0]), (1, [0x0a, 0xbf, 0xf0, 0]), (1.0, [0x0a, 0xbf, 0xf0, 0]),
            (1930, [0x0a, 0xc0, 0x9e, 0x28, 0]), (-1, [0x0a, 0x40, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]),
            (.double(-.infinity), [0x0a, 0, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]),
            (.double(.infinity), [0x0a, 0xff, 0xf0, 0]),
            (
                .int(1 << 53 + 1),
                [0x0a, 0xc3, 0x40, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0x01, 0]
            ),
            (.int(1 << 62 + 256), [0x0a, 0xc3, 0xd0, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0x01, 0]),
            ("sea", [0x0c, 0x73, 0x65, 0x61, 0]), ("", [0x0c, 0]), ("a\0b", [0x0c, 0x61, 0, 0xff, 0x62, 0]),
            (AscendingValues.date(0), [0x0e, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            (AscendingValues.date(-2, 120), [0x0e, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x80, 0x78]),
            (.bytes([0, 0xff]), [0x10, 0, 0xff, 0xff, 0]), (.array([]), [0x13, 0]), (.object([:]), [0x15, 0]),
            (
                .attachment(Attachments.ascending[9]),
                [0x11] + Array(repeating: 0, count: 32) + [0x0a, 0xbf, 0xf0, 0, 0x0c, 0x61, 0, 0x02]
            ),
            (
                .attachment(Attachments.image),
                [0x11] + Attachments.digest.bytes + [0x0a, 0xc0, 0x08, 0, 0x0c] + Array("image/jpeg".utf8) + [0, 0x0c]
                    + Array("IMG_1.jpg".utf8) + [0]
            ),
            (.array([1.0, "a"]), [0x13, 0x0a, 0xbf, 0xf0, 0, 0x0c, 0x61, 0, 0]),
            (.object(["b": true, "a": .array([])]), [0x15, 0x0c, 0x61, 0, 0x13, 0, 0x0c, 0x62, 0, 0x08, 0]),
        ] as [(DocumentValue?, [UInt8])])
    func `Value bytes match the documented format`(value: DocumentValue?, bytes: [UInt8]) {
        #expect(OrderedValue.encoded(value) == bytes)
    }

    // MARK: - Random values

    /// A value at one of the limits, or any other.
    private static func value(_ documents: inout RandomDocuments) -> DocumentValue? {
        switch documents.random.number(below: 8) {
        case 0: nil
        case 1: .int(Int64(bitPattern: documents.random.next()))
        case 2: .double(Double(bitPattern: documents.random.next()))
        case 3:
            // Close to a power of two, where doubles become sparse.
            .int(
                (1 << Int64(50 + documents.random.number(below: 13))) &+ Int64(documents.random.number(below: 2049))
                    - 1024)
        case 4: .double(Double(Int64(bitPattern: documents.random.next())))
        case 5:
            .string(
                String(
                    String.UnicodeScalarView(
                        (0..<documents.random.number(below: 4)).map { _ in
                            documents.random.pick(["\0", "\u{1}", "a", "\u{ff}", "\u{7f}", "\u{10ffff}"])
                        })))
        default: documents.value()
        }
    }

    @Test func `Random values are ordered by their bytes as by the reference`() {
        var documents = RandomDocuments(TestRun.random(stream: 3))
        documents.hasAttachments = true
        for _ in 0..<TestRun.rounds(15_000, long: 2_000_000) {
            let a = Self.value(&documents)
            let b = Self.value(&documents)
            let expected = ReferenceOrder.compare(a, b)
            #expect(
                order(OrderedValue.encoded(a), OrderedValue.encoded(b)) == expected,
                "\(String(describing: a)), \(String(describing: b)), \(TestRun.repetition)")
        }
    }

    @Test func `Concatenated values are ordered one by one and can be separated again`() {
        var documents = RandomDocuments(TestRun.random(stream: 4))
        documents.hasAttachments = true
        for _ in 0..<TestRun.rounds(4000, long: 500_000) {
            let count = 1 + documents.random.number(below: 3)
            let a = (0..<count).map { _ in Self.value(&documents) }
            let b = a.map { documents.random.once(in: 2) ? $0 : Self.value(&documents) }
            let expected = zip(a, b).lazy.map(ReferenceOrder.compare).first { $0 != 0 } ?? 0
            let bytes = (key(a), key(b))
            #expect(
                order(bytes.0, bytes.1) == expected,
                "\(String(describing: a)), \(String(describing: b)), \(TestRun.repetition)")
            #expect(ends(in: bytes.0) == ends(of: a))
        }
    }

    @Test func `An end mark after a value sorts above all its keys and below those of larger values`() {
        let encoded = AscendingValues.all.map { OrderedValue.encoded($0[0]) }
        let following: [[UInt8]] = [[0x14], [0x15, 1], [0x1c] + Array(repeating: 0xff, count: 8)] + encoded
        for (position, bytes) in encoded.enumerated() {
            let mark = bytes + OrderedValue.behind
            for next in following { #expect((bytes + next).lexicographicallyPrecedes(mark)) }
            for larger in encoded[(position + 1)...] { #expect(mark.lexicographicallyPrecedes(larger)) }
        }
    }

    @Test func `Bytes that are not a complete value are not skipped`() {
        for values in AscendingValues.all {
            let bytes = OrderedValue.encoded(values[0])
            // The bytes of the name of an attachment, which is last. Nothing before it can be taken for its end.
            let start = values[0]?.attachmentValue.map {
                bytes.count - OrderedValue.encoded($0.name.map { .string($0) }).count
            }
            for length in 0..<bytes.count {
                // An escaped zero byte without its escape is the end of a shorter value.
                let isCutInEscape =
                    length > (start ?? 0) && bytes[0] < OrderedValue.Kind.array.rawValue
                    && bytes[0] != OrderedValue.Kind.date.rawValue
                    && bytes[length - 1] == 0
                    && bytes[length] == 0xff
                #expect(skip(Array(bytes[..<length]), 0) == (isCutInEscape ? length : nil), "\(bytes)")
            }
            #expect(skip(bytes, 0) == bytes.count)
            #expect(skip(bytes, bytes.count) == nil)
        }
        let digest: [UInt8] = Array(repeating: 0, count: 32)
        for rest: [UInt8] in [
            [], [0x0a], [0x0c, 0, 0x0c, 0, 2], [0x0a, 0x80, 0, 2], [0x0a, 0x80, 0, 0x0c, 0, 0x0a, 0x80, 0],
        ] {
            #expect(skip([0x11] + digest + rest, 0) == nil)
        }
        for kind: UInt8 in [0, 1, 3, 5, 7, 9, 0x0e, 0x0f, 0x11, 0x16, 0x18, 0x80, 0xff] {
            #expect(skip([kind, 0, 0], 0) == nil)
        }
        for bytes: [UInt8] in [
            [0x13], [0x13, 0x13, 0], [0x15, 0x0c], [0x13, 1, 0], Array(repeating: 0x13, count: 1_000_000), [0x0b, 0],
            [0x0d, 2], [0x0d, 2, 0], [0x0d, 1, 0], [0x16, 0x16, 0x02], [0x16],
        ] {
            #expect(skip(bytes, 0) == nil)
        }
    }

    // MARK: - Parts

    private func key(_ values: [DocumentValue?]) -> [UInt8] { values.flatMap(OrderedValue.encoded) }

    private func ends(of values: [DocumentValue?]) -> [Int] {
        values.indices.map { key(Array(values[...$0])).count }
    }

    private func ends(in key: [UInt8]) -> [Int] {
        var ends: [Int] = []
        while let end = skip(key, ends.last ?? 0) { ends.append(end) }
        return ends
    }

    private func skip(_ key: [UInt8], _ offset: Int) -> Int? { OrderedValue.skip(in: key.span, from: offset) }

    private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
}
