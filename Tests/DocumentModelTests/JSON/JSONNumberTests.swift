import DocumentModel
import TestSupport
import Testing

@Suite struct JSONNumberTests {
    static let numbers: [(String, DocumentValue)] = [
        ("0", .int(0)), ("-0", .double(-0.0)), ("1", .int(1)), ("-1", .int(-1)), ("10", .int(10)),
        ("9007199254740993", .int(9_007_199_254_740_993)),
        ("999999999999999999", .int(999_999_999_999_999_999)),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        // Beyond 64 bits, but exact as a double.
        ("9223372036854775808", .double(0x1p63)), ("-9223372036854775809e0", .double(-0x1p63)),
        ("-9223372036854777856", .double(-0x1.0000000000001p63)), ("18446744073709551616", .double(0x1p64)),
        ("100000000000000000000", .double(1e20)), ("-100000000000000000000", .double(-1e20)),
        ("10000000000000000000000", .double(1e22)), ("340282366920938463463374607431768211456", .double(0x1p128)),
        // Fractions and exponents are doubles, whatever their value.
        ("0.0", .double(0)), ("-0.0", .double(-0.0)), ("1.0", .double(1)), ("1e0", .double(1)), ("1E0", .double(1)),
        ("1e+2", .double(100)), ("1E-2", .double(0.01)), ("-1.5e3", .double(-1500)), ("0e9", .double(0)),
        ("0e99999999999999999999", .double(0)), ("-0e-5", .double(-0.0)), ("0.5", .double(0.5)),
        ("0.1", .double(0.1)), ("0.30000000000000004", .double(0.30000000000000004)), ("1.10", .double(1.1)),
        ("40.842129", .double(40.842129)), ("-73.880023", .double(-73.880023)), ("123.456e-7", .double(123.456e-7)),
        ("1e22", .double(1e22)), ("1e23", .double(1e23)), ("1e-22", .double(1e-22)), ("1e-23", .double(1e-23)),
        ("9007199254740992e22", .double(9007199254740992e22)), ("9007199254740993e-22", .double(9007199254740993e-22)),
        ("9007199254740993.0", .double(9_007_199_254_740_992)), ("9223372036854775807.0", .double(0x1p63)),
        ("2.2250738585072011e-308", .double(.leastNormalMagnitude.nextDown)),
        ("2.2250738585072014e-308", .double(0x1p-1022)),
        ("4.9e-324", .double(0x1p-1074)), ("2.4703282292062328e-324", .double(0x1p-1074)),
        ("2.4703282292062327e-324", .double(0)), ("1e-400", .double(0)), ("-1e-400", .double(-0.0)),
        ("1e-99999999999999999999", .double(0)), ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        ("1.7976931348623158e308", .double(.greatestFiniteMagnitude)),
        ("0." + String(repeating: "0", count: 400) + "1e401", .double(1)),
        (String(repeating: "1", count: 400) + "e-399", .double(1.1111111111111112)),
        ("1" + String(repeating: "0", count: 400) + "e-400", .double(1)),
        ("0.10000000000000000000000000000000000000", .double(0.1)), ("1.00000000000000000000000", .double(1)),
        ("8.5070591730234615865843651857942052863e37", .double(0x1p126)),
        // Halfway between two doubles: to even. Just above: up.
        ("9007199254740993e0", .double(9_007_199_254_740_992)), ("9007199254740995e0", .double(9_007_199_254_740_996)),
        ("9007199254740993.0000000000000000000000000001", .double(9_007_199_254_740_994)),
        ("0.500000000000000166533453693773481063544750213623046875", .double(0x1.0000000000002p-1)),
    ]

    @Test(arguments: numbers) func `A number gives an integer or the nearest double`(
        text: String, expected: DocumentValue
    ) throws {
        #expect(try DocumentValue(json: text) == expected)
        #expect(try DocumentValue(json: "[" + text + " ]") == [expected])
    }

    @Test(arguments: [
        "9223372036854775809", "-9223372036854775809", "18446744073709551615", "12345678901234567890",
        "100000000000000000000000", "1e309", "-1e309", "1e400", "1E+400", "1.7976931348623159e308",
        "1" + String(repeating: "0", count: 308), "1" + String(repeating: "0", count: 400), "123e99999999999999999999",
        String(repeating: "9", count: 309), String(repeating: "1", count: 100_000),
    ])
    func `An unrepresentable number is rejected at its start`(text: String) {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: "[1, " + text + "]") }
        #expect(error?.code == .numberOutOfRange)
        #expect(error?.position == JSONError.Position(offset: 4, line: 1, column: 5))
    }

    @Test func `The largest double is exact when written as an integer, and one more is not`() throws {
        let largest =
            "1797693134862315708145274237317043567980705675258449965989174768031572607800285387605895586327668781"
            + "7154045895351438246423432132688946418276846754670353751698604991057655128207624549009038932894407586"
            + "8508455133942304583236903222948165808559332123348274797826204144723168738177180919299881250404026184"
            + "124858368"
        #expect(largest.utf8.count == 309)
        #expect(try DocumentValue(json: largest) == .double(.greatestFiniteMagnitude))
        #expect(throws: JSONError.self) { try DocumentValue(json: String(largest.dropLast()) + "9") }
    }

    @Test func `Every integer that a double represents is read from its digits`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<300 {
            // A 53-bit number times a power of two, written out by doubling a decimal by hand.
            var digits = [UInt8]("\(generator.next() >> 11 | 1 << 52)".utf8.map { $0 - 48 })
            var expected = Double(String(decoding: digits.map { $0 + 48 }, as: UTF8.self))!
            for _ in 0..<generator.number(below: 60) {
                expected *= 2
                var carry: UInt8 = 0
                for index in digits.indices.reversed() {
                    let doubled = digits[index] * 2 + carry
                    digits[index] = doubled % 10
                    carry = doubled / 10
                }
                if carry > 0 { digits.insert(carry, at: 0) }
            }
            let text = String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
            let value = try DocumentValue(json: text)
            if expected < 0x1p63 {
                #expect(value.intValue.map { "\($0)" } == text, "seed \(generator.seed)")
            } else {
                #expect(value == .double(expected), "seed \(generator.seed)")
                #expect(throws: JSONError.self, "seed \(generator.seed)") {
                    try DocumentValue(json: String(text.dropLast()) + (text.hasSuffix("1") ? "2" : "1"))
                }
            }
        }
    }

    @Test func `Random decimals give the same doubles as the standard library`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<20_000 {
            var text = generator.next() & 1 == 0 ? "-" : ""
            text += "\(generator.next() >> UInt64(generator.number(below: 64)))"
            text += ".\(generator.next() >> UInt64(generator.number(below: 64)))"
            if generator.next() & 1 == 0 { text += "e\(generator.number(below: 80) - 40)" }
            #expect(
                try DocumentValue(json: text).doubleValue?.bitPattern == Double(text)?.bitPattern,
                "\(text), seed \(generator.seed)")
        }
    }

    @Test func `Every double and integer round-trips through JSON`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<20_000 {
            let double = Double(bitPattern: generator.next())
            if double.isFinite {
                #expect(try DocumentValue(json: DocumentValue.double(double).json) == .double(double), "\(double)")
            }
            let integer = generator.integer()
            #expect(DocumentValue.int(integer).json == "\(integer)")
            #expect(try DocumentValue(json: "\(integer)") == .int(integer))
        }
    }
}
