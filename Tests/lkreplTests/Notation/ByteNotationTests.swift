import DocIndex
import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Byte notation` {
    // MARK: - Round trips

    @Test(arguments: ByteNotation.Form.allCases)
    func `Byte notation parses what it prints, for any bytes`(form: ByteNotation.Form) throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let bytes = randomBytes(using: &generator)
            let printed = ByteNotation.print(bytes, form: form)
            try #require(try ByteNotation.parse(printed) == bytes, "seed \(seed): \(printed)")
        }
    }

    @Test(arguments: ByteNotation.Form.allCases)
    func `Byte notation prints nothing that controls a terminal or is invisible`(form: ByteNotation.Form) throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let printed = ByteNotation.print(randomBytes(using: &generator), form: form)
            let isClean = printed.unicodeScalars.allSatisfy { scalar in
                switch scalar.value {
                case 0..<0x20, 0x7f..<0xa0, 0x200b...0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: false
                default: true
                }
            }
            try #require(isClean, "seed \(seed): \(printed.debugDescription)")
        }
    }

    @Test func `Byte notation prints a single shell argument, whatever the bytes`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let keys = (0..<3).map { _ in ByteNotation.print(randomBytes(using: &generator)) }
            let line = "mget \(keys.joined(separator: " "))"
            let commands = try ShellScanner.commands(in: line + " # the end; really")
            try #require(commands.count == 1, "seed \(seed): \(line)")
            try #require(commands[0].arguments == ["mget"] + keys, "seed \(seed): \(line)")
            try #require(commands[0].source == line, "seed \(seed): \(line)")
        }
    }

    @Test func `Byte notation parses every byte in every form`() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        for form in ByteNotation.Form.allCases {
            #expect(try ByteNotation.parse(ByteNotation.print(bytes, form: form)) == bytes)
        }
    }

    // MARK: - Printing

    @Test(
        arguments: [
            ("photo/1", "photo/1"),
            ("", #""""#),
            ("a b", #""a b""#),
            ("it's", #""it's""#),
            (#"say "hi""#, #""say \"hi\"""#),
            (#"lit\x41"#, #""lit\\x41""#),
            ("a;b", #""a;b""#), ("a|b", #""a|b""#), ("a#b", #""a#b""#),
            ("0x41", #""0x41""#), ("0X41", "0X41"), ("b64:", #""b64:""#), ("-n", #""-n""#), ("@file", #""@file""#),
            ("{a", #""{a""#), ("[a", #""[a""#), ("a{-@[0x", "a{-@[0x"),
            ("\0\n\r\t\u{1b}\u{1}\u{7f}", #""\0\n\r\t\e\x01\x7f""#),
            ("é日本👍", "é日本👍"),
            ("a\u{9b}b", #""a\u{9b}b""#), ("a\u{202e}b", #""a\u{202e}b""#), ("a\u{200d}b", #""a\u{200d}b""#),
            ("a\u{feff}", #""a\u{feff}""#), ("a\u{a0}b", #""a\u{a0}b""#), ("a\u{3164}b", #""a\u{3164}b""#),
            ("e\u{301}", "e\u{301}"), ("\u{301}e", #""\u{301}e""#), ("\n\u{301}", #""\n\u{301}""#),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
        ])
    func `Byte notation prints text without quotes if that can be typed`(text: String, printed: String) {
        // Compared as bytes: `==` of strings treats composed and decomposed characters as equal.
        #expect(Array(ByteNotation.print(Array(text.utf8)).utf8) == Array(printed.utf8))
    }

    @Test(
        arguments: [
            ([0xff], #""\xff""#), ([0x61, 0xc3], #""a\xc3""#), ([0xc3, 0xa9], "é"), ([0xc0, 0xaf], #""\xc0\xaf""#),
            ([0xed, 0xa0, 0x80], #""\xed\xa0\x80""#), ([0xf4, 0x90, 0x80, 0x80], #""\xf4\x90\x80\x80""#),
            ([0xe2, 0x82, 0x41], #""\xe2\x82A""#),
        ] as [([UInt8], String)])
    func `Byte notation prints bytes that are not UTF-8 as hexadecimal escapes`(bytes: [UInt8], printed: String) {
        #expect(ByteNotation.print(bytes) == printed)
    }

    @Test func `Byte notation prints the requested form`() {
        let bytes = Array("key".utf8)
        #expect(ByteNotation.print(bytes, form: .text) == #""key""#)
        #expect(ByteNotation.print(bytes, form: .hex) == "0x6b6579")
        #expect(ByteNotation.print(bytes, form: .base64) == "b64:a2V5")
        #expect(ByteNotation.print([], form: .hex) == "0x")
        #expect(ByteNotation.print([], form: .base64) == "b64:")
    }

    // MARK: - Parsing

    @Test(
        arguments: [
            ("", ""), ("photo/1", "photo/1"), ("a b; c | d # e", "a b; c | d # e"), ("it's", "it's"),
            ("'it''s'", "it's"), (#"'a\n"b'"#, #"a\n"b"#), ("''", ""), (#""""#, ""),
            (#""\\\"\n\r\t\0\e""#, "\\\"\n\r\t\0\u{1b}"), (#""\x41\u{e9}\u{1F44D}""#, "Aé👍"), ("\"a\nb\"", "a\nb"),
            ("0x", ""), ("0x4a4B", "JK"), ("b64:", ""), ("b64:a2V5", "key"), ("b64:a2U=", "ke"), ("b64:aw==", "k"),
            (#"{"a":"x\ny"}"#, #"{"a":"x\ny"}"#), ("[1, 2]", "[1, 2]"), ("-", "-"),
        ])
    func `Byte notation parses each form`(typed: String, text: String) throws {
        #expect(try ByteNotation.parse(typed) == Array(text.utf8))
    }

    @Test func `Byte notation parses single bytes that are not UTF-8`() throws {
        #expect(try ByteNotation.parse(#""\xff\x00""#) == [0xff, 0])
        #expect(try ByteNotation.parse("0xFF00") == [0xff, 0])
        #expect(try ByteNotation.parse("b64:/wA=") == [0xff, 0])
    }

    @Test(
        arguments: [
            (#"a\x00b"#, 2, "a backslash is allowed only inside quotes"),
            (#"é\"#, 2, "a backslash is allowed only inside quotes"),
            (#""abc"#, 1, "this \" is never closed"),
            (#""abc\""#, 1, "this \" is never closed"),
            ("'abc", 1, "this ' is never closed"),
            (#""a"b"#, 4, "nothing may follow the closing \""),
            ("'a'b", 4, "nothing may follow the closing '"),
            (#""a\qb""#, 3, "unknown escape"),
            (#""\x4""#, 2, "\\x takes two hexadecimal digits"),
            (#""é\xzz""#, 3, "\\x takes two hexadecimal digits"),
            (#""\u{}""#, 2, "\\u takes one to six hexadecimal digits"),
            (#""\u41""#, 2, "\\u takes one to six hexadecimal digits"),
            (#""\u{1234567}""#, 2, "\\u takes one to six hexadecimal digits"),
            (#""\u{d800}""#, 2, "U+D800 is not a Unicode character"),
            (#""\u{110000}""#, 2, "U+110000 is not a Unicode character"),
            ("0x4", 4, "a byte takes two hexadecimal digits"),
            ("0x4g", 4, "not a hexadecimal digit"),
            ("0xg", 3, "not a hexadecimal digit"),
            ("b64:a2V", 8, "base64 must be padded with ="),
            ("b64:a2V*", 8, "not a base64 digit"),
            ("b64:_w==", 5, "this is URL-safe base64"),
            ("b64:a=Vk", 6, "= is allowed only at the end"),
            ("b64:a===", 6, "= is allowed only at the end"),
            ("b64:ax==", 6, "the last base64 digit has excess bits"),
        ])
    func `Ill-formed byte notation is rejected with its column`(typed: String, column: Int, message: String) throws {
        let error = try #require(throws: NotationError.self) { try ByteNotation.parse(typed) }
        #expect(error.column == column)
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }

    @Test func `A token that is not UTF-8 is rejected`() throws {
        let error = try #require(throws: NotationError.self) { try ByteNotation.parse([0x61, 0xff]) }
        #expect(error.column == 2)
        #expect(error.description.hasPrefix("column 2: this is not UTF-8"))
    }

    @Test func `Byte notation decodes UTF-8 like the standard library`() {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let first = UInt8.random(in: 0x80...0xff, using: &generator)
            let bytes = [first] + (0..<3).map { _ in UInt8.random(in: 0x70...0xcf, using: &generator) }
            let expected = (1...4).lazy.compactMap { String(validating: bytes[..<$0], as: UTF8.self) }.first
            let decoded = bytes.span.utf8Scalar(at: 0)
            #expect(decoded.map { String(Character($0.scalar)) } == expected, "seed \(seed): \(bytes)")
            #expect(decoded?.byteCount == expected?.utf8.count, "seed \(seed): \(bytes)")
        }
    }

    @Test func `Visibility of common characters agrees with the Unicode property tables`() {
        for scalar in (UInt32(0x80)...0xffff).compactMap({ Unicode.Scalar($0) }) where scalar.isVisible {
            let properties = scalar.properties
            let isMark = [.nonspacingMark, .enclosingMark, .spacingMark].contains(properties.generalCategory)
            let isHidden = [.control, .format, .privateUse, .unassigned, .spaceSeparator]
                .contains(properties.generalCategory)
            let isIgnorable = properties.isDefaultIgnorableCodePoint && !scalar.isVariationSelector
            #expect(scalar.isMark == isMark && !isHidden && !isIgnorable, "U+\(String(scalar.value, radix: 16))")
        }
    }
}
