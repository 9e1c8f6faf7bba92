import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Key views` {
    @Test(arguments: [
        ("'photo/' utf8 '/' u64be", "photo/ann/#42", "0x70686f746f2f616e6e2f000000000000002a"),
        ("'p' u16be", "p#513", "0x700201"), ("'p' u16le", "p#513", "0x700102"), ("'n' i32be", "n#-2", "0x6efffffffe"),
        ("utf8 u8", "ann#7", "0x616e6e07"), ("utf8 u8 u16be", "ann#7#1", "0x616e6e070001"),
        ("'x' hex", "x00ff", "0x7800ff"),
        ("uuid", "000102030405060708090a0b0c0d0e0f", "0x000102030405060708090a0b0c0d0e0f"),
        ("0x00 u8", "\"\\0\\x05\"", "0x0005"), ("'n' i8", "n#-128", "0x6e80"),
        ("'n' u64be", "n#18446744073709551615", "0x6effffffffffffffff"),
        ("'n' i64le", "n#-9223372036854775808", "0x6e0000000000000080"),
        // At the start of a word in the shell, # would start a comment.
        ("u16be", "\"\\0\\x05\"", "0x0005"),
    ])
    func `A key view shows a key by its parts, and parses it back`(form: String, text: String, bytes: String) throws {
        let view = KeyView(try KeyFormat(form))
        let key = try ByteNotation.parse(bytes)
        #expect(view.text(of: key) == text)
        #expect(try view.key(of: text) == key)
        #expect(try view.key(of: bytes) == key)
    }

    @Test(arguments: ["'photo/' utf8 '/' u64be", "utf8 '#' u8", "u8", "hex", "utf8", "'a' utf8 u16le", "'#' u8 '-' u8"])
    func `Any bytes that a key view prints can be typed`(form: String) throws {
        let view = KeyView(try KeyFormat(form))
        var random = SplitMix64(seed: 9)
        var shownByParts = 0
        for _ in 0..<5_000 {
            var key = randomBytes(using: &random)
            // Half of them close to the format.
            if Bool.random(using: &random),
                let near = view.format?.key(of: "photo/ann/#42") ?? view.format?.key(of: "#7")
            {
                key = near
                if Bool.random(using: &random), !key.isEmpty {
                    key[Int.random(in: 0..<key.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let text = view.text(of: key)
            let read = try view.key(of: text)
            #expect(read == key, "\(text)")
            if text != ByteNotation.print(key) { shownByParts += 1 }
        }
        // A key that looks like another key in the format is quoted.
        let literal = Array("photo/ann/#42".utf8)
        #expect(try view.key(of: view.text(of: literal)) == literal)
        if form.contains("photo") { #expect(shownByParts > 100) }
    }

    @Test(arguments: ["", "utf8 utf8", "hex u8", "u12be", "'a", "''", "u8 '1'", "u8 utf8x", "utf8 hex"])
    func `A key format that cannot be parsed back is rejected`(form: String) {
        let failure = #expect(throws: (any Error).self) { try KeyFormat(form) }
        #expect(failure != nil)
    }

    @Test func `The byte notation of keys and values can be selected`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "k1", "ab").code == 0)
            for (form, key, value) in [
                ("auto", "k1", "ab"), ("text", "\"k1\"", "\"ab\""), ("hex", "0x6b31", "0x6162"),
                ("base64", "b64:azE=", "b64:YWI="),
            ] {
                let keys = try place.run("keys", "app.db", "--mode", "keys", "--bytes", form)
                #expect(keys.output == key + "\n", "\(form): \(keys)")
                let line = try place.run("scan", "app.db", "--mode", "line", "--bytes", form)
                #expect(line.output.hasSuffix("key = \(key)\nvalue = \(value)\n"), "\(form): \(line)")
                #expect(try place.run("get", "app.db", key, "--bytes", form).output == value + "\n")
                // Output for programs does not change.
                #expect(try place.run("scan", "app.db", "--bytes", form).output == #"{"k":"k1","v":"ab"}"# + "\n")
            }
            let wrong = try place.run("keys", "app.db", "--bytes", "octal")
            #expect(wrong.code == 64 && wrong.says("base64"), "\(wrong)")
        }
    }

    @Test func `The sublevels of Node's Level are recognized`() {
        for (key, meaning) in [
            ("!people!42", "sublevel people: 42"), ("!people!!old!42", "sublevel people, old: 42"),
            ("!people!", "sublevel people: \"\""), ("!people", nil), ("!!x", nil), ("people!42", nil),
        ] as [(String, String?)] {
            #expect(KeyMeaning().text(of: Array(key.utf8)) == meaning, "\(key)")
        }
    }
}
