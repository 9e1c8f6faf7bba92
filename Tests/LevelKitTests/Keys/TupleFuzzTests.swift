import LevelKit
import Testing

@Suite struct TupleFuzzTests {
    @Test func `Random bytes either throw or equal the encoding of the tuple they decode to`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed ^ 0xf022)
        var (decodedCount, failedCount) = (0, 0)
        for round in 0..<TupleTestPlan.rounds(200_000, long: 10_000_000) {
            let key = generator.hostileKey()
            let problem: String?
            do throws(TupleError) {
                let tuple = try Tuple(packed: key)
                decodedCount += 1
                problem = Self.problem(of: tuple, from: key)
            } catch {
                failedCount += 1
                let isPlausible = (0...key.count).contains(error.offset) && !error.message.isEmpty
                problem = isPlausible ? nil : "error \(error)"
            }
            // Reading as every type costs as much as ten rounds, so only one in eight rounds does it.
            let typed = round % 8 == 0 ? Self.typedReadingProblem(key) : nil
            if let problem = problem ?? Self.skippingProblem(key) ?? typed {
                Issue.record("\(problem) of \(hex(key)); \(TupleTestPlan.repetition)")
                return
            }
        }
        #expect(decodedCount > 1000)
        #expect(failedCount > 1000)
    }

    /// Returns a problem of the tuple decoded from a key, or `nil` if there is none.
    private static func problem(of tuple: Tuple, from key: [UInt8]) -> String? {
        let packed = tuple.packed()
        if packed == key { return nil }
        // The only form that decodes without being canonical, and its complement in a descending element.
        let forms = ["1d08ffffffffffffffff", "0bf70000000000000000", "e2f70000000000000000", "f408ffffffffffffffff"]
        guard forms.contains(where: hex(key).contains) else { return "re-encoding" }
        return (try? Tuple(packed: packed)) == tuple ? nil : "canonical form"
    }

    /// Returns a problem of skipping through a key, or `nil`. Skipping must agree with decoding wherever that succeeds.
    private static func skippingProblem(_ key: [UInt8]) -> String? {
        var decoder = TupleDecoder(key.span)
        while !decoder.isAtEnd {
            var reader = decoder
            let isElement = (try? reader.decodeElement()) != nil
            let start = decoder.offset
            guard (try? decoder.skipElement()) != nil else { return isElement ? "failure to skip" : nil }
            if isElement, decoder.offset != reader.offset { return "end found by skipping" }
            if decoder.offset <= start || decoder.offset > key.count { return "offset after skipping" }
        }
        return nil
    }

    /// Returns a problem of reading the first element as each type: at most one may succeed, and the others must not
    /// move the decoder.
    private static func typedReadingProblem(_ key: [UInt8]) -> String? {
        let kind = TupleDecoder(key.span).nextKind
        var element = TupleDecoder(key.span)
        let value = try? element.decodeElement()
        for expected in Tuple.Element.Kind.allCases {
            var decoder = TupleDecoder(key.span)
            let hasRead = (try? decoder.read(expected)) != nil
            if hasRead != (value != nil && kind == expected) { return "reading as \(expected)" }
            if decoder.offset != (hasRead ? element.offset : 0) { return "offset after reading as \(expected)" }
        }
        return nil
    }

    @Test(arguments: [[0x05], [0x40, 0xbf], [0x05, 0x40, 0xfa, 0xbf], [0x40, 0xfa, 0xbf, 0x05]] as [[UInt8]])
    func `A million levels of nesting throw instead of exhausting the stack`(level: [UInt8]) throws {
        let key = Array(repeatElement(level, count: 1_000_000).joined())
        let error = try #require(throws: TupleError.self) { try Tuple(packed: key) }
        #expect(error.code == .tooDeep)
        #expect(error.offset == Tuple.maximumDepth)
        var decoder = TupleDecoder(key.span)
        let skipError: TupleError?
        do throws(TupleError) {
            try decoder.skipElement()
            skipError = nil
        } catch {
            skipError = error
        }
        #expect(skipError?.code == .tooDeep)
    }

    @Test func `A tuple of the maximum depth packs and unpacks`() throws {
        var element: Tuple.Element = "core"
        for level in 0..<Tuple.maximumDepth {
            element = level % 3 == 0 ? .descending(element) : .tuple([element, nil])
        }
        let tuple = Tuple([element])
        #expect(try Tuple(packed: tuple.packed()) == tuple)
    }

    @Test func `Packing a tuple that is nested too deeply to be unpacked is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            var element: Tuple.Element = 1
            for _ in 0...Tuple.maximumDepth { element = .tuple([element]) }
            _ = Tuple([element]).packed()
        }
    }
}

extension TupleDecoder {
    /// Reads the next element with the reader of one type, and discards it.
    fileprivate mutating func read(_ kind: Tuple.Element.Kind) throws(TupleError) {
        switch kind {
        case .null: try decodeNull()
        case .bytes: _ = try decodeBytes()
        case .string: _ = try decodeString()
        case .tuple: _ = try decodeTuple()
        case .integer: _ = try decodeBigInteger()
        case .float: _ = try decodeFloat()
        case .double: _ = try decodeDouble()
        case .bool: _ = try decodeBool()
        case .uuid: _ = try decodeUUID()
        case .versionstamp: _ = try decodeVersionstamp()
        case .descending:
            try decodeDescending { (decoder: inout TupleDecoder) throws(TupleError) in
                _ = try decoder.decodeElement()
            }
        }
    }
}

extension TupleGenerator {
    /// Returns bytes that resemble a tuple: a packed tuple with a few changes, or codes in random order.
    fileprivate mutating func hostileKey() -> [UInt8] {
        let telling: [UInt8] = [
            0x00, 0x01, 0x02, 0x05, 0x0b, 0x0c, 0x13, 0x14, 0x15, 0x1c, 0x1d, 0x20, 0x21, 0x26, 0x30, 0x33, 0x40, 0xbf,
            0xfa, 0xfd, 0xfe, 0xff, 0x08, 0xf7, 0x09, 0xf6, 0x80, 0xc3, 0xed,
        ]
        if below(4) == 0 { return (0..<below(12)).map { _ in pick(telling) } }
        if below(20) == 0 {
            let form = pick(["1d08ffffffffffffffff", "0bf70000000000000000", "40e2f70000000000000000"])
            return tuple().packed() + LevelKitTests.bytes(form) + tuple().packed()
        }
        var key = tuple().packed()
        for _ in 0..<below(4) {
            let position = below(key.count + 1)
            switch below(5) {
            case 0: key.insert(pick(telling), at: position)
            case 1 where position < key.count: key.remove(at: position)
            case 2 where position < key.count: key[position] = pick(telling)
            case 3 where position < key.count: key[position] ^= 1 << UInt8(below(8))
            default: if below(3) == 0 { key.removeSubrange(position...) }
            }
        }
        return key
    }
}
