import DocIndex
import Foundation
import LevelKit
import StorePackages
import TestSupport
import Testing

@testable import lkrepl

/// Every parser, on the stack of a secondary thread: mutations of real inputs, and endless nesting.
///
/// `LEVELKIT_FUZZ_COUNT` requests more inputs than the usual few thousand.
@Suite struct ParserFuzzTests {
    /// A parser of input from users or files.
    private struct Parser: Sendable {
        let name: String
        let samples: [String]
        let pieces: [String]
        let read: @Sendable (String) throws -> Void

        init(
            _ name: String, _ samples: [String], nesting pieces: [String],
            _ read: @escaping @Sendable (String) throws -> Void
        ) {
            self.name = name
            self.samples = samples
            self.pieces = pieces
            self.read = read
        }
    }

    private static let document: DocumentObject = [
        "id": 1, "rating": 4, "title": "Fog over the old bridge", "keywords": ["sea", "fog"],
        "people": [["name": "Ada", "role": "author"]], "taken": "2019-06-08T18:02:11Z", "gps": ["lat": 1, "lon": 2],
    ]

    private static let parsers: [Parser] = [
        Parser(
            "text query",
            [
                "fog bridge", "fog OR \"golden gate\" -rain", "title:(fog OR bridg*)^2", "+harbor~2 \"gate golden\"~3",
                "NOT fog AND sea", "東京 don't é^0.5 & | a:b:c",
            ], nesting: ["(", "a:", "-(", "NOT (", "\"", "a OR (", "+(", "a:(", "^2", "~", "*", ")", "AND "]
        ) { text in
            let query = try TextQuery(parsing: text)
            _ = query.hashValue
            _ = TextMarking(before: "[", after: "]").marked("fog over the old bridge", for: query)
        },
        Parser(
            "forgiving text query", ["fog (bridge", "\"golden gate", "title:fog", "a - b + c", "red car in the snow?"],
            nesting: ["(", "title:", "-", "\"", "a OR (", ")", "~ ", "title:("]
        ) { text in
            _ = TextQuery(forgiving: text).hashValue
            _ = TextQuery(forgiving: text, fields: ["title"])
        },
        Parser(
            "search box",
            ["red car in the snow?", "“golden gate” -rain +fog", "title:(fog OR bridge)^2 sea* harbr~ 東京"],
            nesting: ["(", "title:", "-", "\"", "a OR (", ")", "~ ", "“", "a AND NOT ("]
        ) { text in
            let box = SearchBox(text)
            _ = SearchBox(text, fields: ["title"], isTyping: true).notes.count
            _ = box.hashValue
        },
        Parser(
            "update",
            [
                "rating = 5, keywords += \"river\", draft ?= false, REMOVE exif.lens",
                "caption -> title, keywords \"river\" -> \"stream\", people[].role -= author",
                "subject BELOW \"Places|Italy\" -> \"Places|Italia\" BY \"|\", taken = date 2019-06-08T18:02:11",
                "caption += TEXT \" (cropped)\", caption TEXT \"teh\" -> \"the\", x = json '{\"k\":[1]}'",
            ], nesting: ["a = (", "a = json '[", "a.", "a[]", "\"", "(", "a = 1, ", "TEXT ", "\u{1f600}"]
        ) { text in
            let update = try DocumentUpdate(parsing: text)
            _ = try? update.applied(to: document)
            guard try DocumentUpdate(parsing: update.description) == update else { throw Unlike() }
        },
        Parser(
            "condition",
            [
                "rating >= 4 and keywords has sea",
                "year between 1920 and 1929 (source = oldnyc or not creator exists)",
                "exif.model in (\"X100V\", 'NIKON D90') and taken >= date 2019-06 and hour(taken) >= 18",
                "people any (name = Ada and role = author) and gps near 40.70,-73.99,5", "title matches /fo+g( |$)/i",
                "a is (number, string) size 3 mod 3, 1 b below 'x|y' by '|'",
                "search \"fog -rain\" c = json '{\"$date\":1}'",
                "@ = 1 @[] > 2 a collates < null d during 2019..2020 month(x) in (6..8)",
            ],
            nesting: ["(", "not ", "not (", "people any (", "a = 1 and (", "a in (", "month(", "a.", "@[", "json '["]
        ) { text in
            let filter = try Filter(parsing: text)
            _ = filter.matches(document)
            _ = filter.hashValue
            guard try Filter(parsing: filter.description) == filter else { throw Unlike() }
        },
        Parser(
            "selector",
            [
                "{\"rating\":{\"$gte\":4},\"people\":{\"$elemMatch\":{\"name\":\"Ada\"}}}",
                "{\"$or\":[{\"a\":1},{\"b\":{\"$in\":[1,[2]]}}],\"$nor\":[{\"c\":null}]}",
                "{\"a.b\":{\"$not\":{\"$regex\":\"^x+$\"}},\"k\":{\"$all\":[1],\"$size\":2,\"$mod\":[2,0]}}",
                "{\"$text\":\"fog\",\"t\":{\"$type\":\"date\",\"$exists\":true,\"$allMatch\":{\"$gt\":1}}}",
            ],
            nesting: [
                "{\"$not\":", "{\"$and\":[", "{\"a\":{\"$elemMatch\":", "{\"a\":{\"$allMatch\":", "{\"a\":", "[",
                "{\"a\":{\"$not\":", "{\"$nor\":[",
            ]
        ) { text in
            let filter = try Filter(selector: text)
            _ = filter.matches(document)
            _ = filter.description.utf8.count
        },
        Parser(
            "pattern",
            ["fo+g(bar|baz)*\\b", "^[a-z\\d]{2,4}$", "(?:x|y)?\\u{e9}[^\\s]", "a*?b+?c{3}", "(\\w+@\\w+\\.)"],
            nesting: ["(", "(?:", "(a|", "a*", "a{9}", "[", "\\", "|", "(a{3}", "()", "^", "){2}", ")*"]
        ) { text in
            let pattern = try Filter.TextPattern(text)
            _ = pattern.hasMatch(in: "fogbarbaz 42 é")
            _ = pattern.description
        },
        Parser(
            "JSON",
            [
                "{\"a\":[1,2.5e-3,-0.0,null,true,\"x\\u00e9\\n\"],\"b\":{}}", "[[[]],[{}],\"\\ud83d\\ude00\"]",
                "{\"$date\":\"2019-06-08\"}", "{\"$bytes\":\"AAE=\"}", " 123456789012345678901234567890 ",
            ], nesting: ["[", "{\"a\":", "[[", "[1,", "{\"a\":[", "\"", "\\", "-"]
        ) { text in
            let value = try JSONParser(notation: text.utf8.count % 2 == 0 ? .dump : .plain).parse(text)
            _ = value.hashValue
            guard try JSONParser().parse(value.json) == value || text.utf8.count % 2 == 0 else { throw Unlike() }
        },
        Parser(
            "schema",
            [
                "{\"version\":2,\"collections\":{\"photos\":{\"id\":\"id\",\"indexes\":{\"r\":{\"fields\":[\"rating\"]}}}}}",
                "{\"collections\":{\"c\":{\"indexes\":{\"w\":{\"type\":\"text\",\"fields\":[{\"path\":\"title\",\"weight\":3,"
                    + "\"analyzer\":{\"tokenizer\":\"words\",\"language\":\"german\",\"synonyms\":[[\"a\",\"b\"]]}}]}}}}}",
                "{\"collections\":{\"c\":{\"indexes\":{\"p\":{\"fields\":[\"a[]\"],\"where\":\"x > 1\",\"sparse\":true}}}}}",
            ], nesting: ["{\"collections\":{\"c\":", "[", "{\"a\":", "{\"indexes\":"]
        ) { text in
            let schema = try Schema(json: Array(text.utf8))
            guard try Schema(json: Array(schema.jsonValue.json.utf8)).collections.count == schema.collections.count
            else { throw Unlike() }
        },
        Parser(
            "field path", ["exif.model", "keywords[]", "people[].name", "\"a.b\".c[][]"],
            nesting: ["a.", "a[]", "[]", "\"", "."]
        ) {
            text in
            let path = try FieldPath(parsing: text)
            guard try FieldPath(parsing: path.description) == path else { throw Unlike() }
            _ = path.value(in: document)
        },
        Parser(
            "key format", ["'photo/' utf8 '/' u64be", "u8 i32le uuid hex", "\"a\\n\" utf8 0x00 u16be"],
            nesting: ["utf8 ", "'", "\"", "0x", "u8 ", "'a' ", "\\"]
        ) { text in
            let format = try KeyFormat(text)
            _ = format.text(of: Array("photo/ann/\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}".utf8))
            _ = format.key(of: "photo/ann/#42")
        },
        Parser(
            "bytes", ["\"a\\x00\\u{e9}\"", "'it''s'", "0x00ff", "b64:AAEC", "plain"],
            nesting: ["\"", "'", "\\", "0x", "\\u{"]
        ) { text in _ = try ByteNotation.parse(text) },
        Parser(
            "shell line",
            ["get db 'a b' --mode=json; scan db # x", "put db k {\"a\":[1,\"}\"]}", "find s \"x \\\" y\""],
            nesting: ["{", "[", "'", "\"", "{\"a\":[", ";", "\\", "|"]
        ) { text in _ = try ShellScanner.commands(in: text) },
        Parser(
            "dump",
            [
                "{\"lkdump\":1,\"kind\":\"raw\",\"tool\":\"lkrepl\",\"digest\":\"\(ContentDigest.name)\"}\n"
                    + "{\"k\":\"a\",\"v\":\"b\"}\n{\"k64\":\"AA==\",\"doc\":{\"x\":[1]}}\n{\"k\":\"p\",\"v\":\"1\",\"part\":0,\"parts\":2}\n",
                "{\"lkdump\":1,\"kind\":\"docs\",\"digest\":\"\(ContentDigest.name)\"}\n{\"schema\":{\"collections\":{\"c\":{}}}}\n"
                    + "{\"c\":\"c\",\"id\":1,\"doc\":{\"id\":1}}\n{\"mark\":{\"records\":1,\"bytes\":1,\"digest\":\"0\"}}\n",
            ], nesting: ["[", "{\"k\":", "{\"doc\":", "\n", "{\"k\":\"a\",\"doc\":["]
        ) { text in
            let input = try InputFile(bytes: Array(text.utf8), name: "fuzz")
            var reader = DumpReader(lines: input.lines(), name: "fuzz")
            while try reader.next() != nil {}
        },
        Parser(
            "CSV", ["a.int,b.string,\"c\"\"d\".json\n1,x,\"[1,{\"\"a\"\":2}]\"\n", "a,b\r\n\"x\ny\",\r\n"],
            nesting: ["\"", ",", "\n", "\"\"", "\r", "\"[\"\"["]
        ) { text in try readDelimited(text, .csv(separator: 0x2c)) },
        Parser("TSV", ["a.int\tb\n1\t\\N\n\\t\\x41\tx\\\\y\n"], nesting: ["\\", "\t", "\n", "\\N"]) { text in
            try readDelimited(text, .tsv)
        },
        Parser(
            "key", ["Xabc", "V\u{15}\u{1}\u{c}a\u{0}\u{15}\u{1}", "!people!42"],
            nesting: ["\u{5}", "!", "\u{2}", "!a!", "Q", "\u{c}"]
        ) {
            text in
            let key = Array(text.utf8)
            _ = KeyMeaning().text(of: key)
            _ = StoreKeyParts(key)?.levelEnd(behind: 1)
            _ = try? Tuple(packed: key)
        },
        Parser("glob", ["photo/*[a-z]?\\*", "*a*b*c*", "[!x]"], nesting: ["*", "[", "\\", "?", "*a"]) { text in
            let pattern = try GlobPattern(text)
            _ = pattern.matches(Array("photo/abc*".utf8).span)
        },
    ]

    private struct Unlike: Error {}

    private static func readDelimited(_ text: String, _ dialect: DelimitedReader.Dialect) throws {
        let input = try InputFile(bytes: Array(text.utf8), name: "fuzz")
        var reader = DelimitedReader(input, dialect: dialect, maximumRecordByteCount: 1 << 20)
        let header = try reader.next() ?? []
        let columns = try header.map {
            try DelimitedColumn(header: String(decoding: $0.bytes, as: UTF8.self), hasKinds: $0.isQuoted)
        }
        while let cells = try reader.next() {
            for (column, cell) in zip(columns, cells) { _ = try column.value(of: cell) }
        }
    }

    // MARK: - Inputs

    private static let bytes: [UInt8] =
        Array("(){}[]\"'\\:,.*~^+-|&!?#$@/<>=; \n\t0129aznNOTAR\0".utf8) + [0xc3, 0xa9, 0xff, 0xf0]

    private static func input(of parser: Parser, _ random: inout SplitMix64) -> String {
        if random.once(in: 40) {
            // A nesting bomb, possibly with content, closed or not.
            let piece = random.pick(parser.pieces)
            let count = random.pick([3, 20, 62, 65, 130, 510, 513, 3000])
            let closers = String(piece.reversed().compactMap { ["(": ")", "[": "]", "{": "}"][$0] as Character? })
            return String(repeating: piece, count: count) + (random.once(in: 2) ? random.pick(parser.samples) : "x")
                + (random.once(in: 2) ? String(repeating: closers, count: count) : "")
        }
        var text = Array(random.pick(parser.samples).utf8)
        for _ in 0..<1 + random.number(below: 6) {
            let place = random.number(below: text.count + 1)
            switch random.number(below: 6) {
            case 0: text.insert(random.pick(bytes), at: place)
            case 1: if place < text.count { text.remove(at: place) }
            case 2: if place < text.count { text[place] = random.pick(bytes) }
            case 3: text.insert(contentsOf: random.pick(parser.pieces).utf8, at: place)
            case 4:
                let end = min(text.count, place + random.number(below: 12))
                text.insert(contentsOf: Array(text[place..<end]), at: random.number(below: text.count + 1))
            default:
                let other = Array(random.pick(parser.samples).utf8)
                text.replaceSubrange(place..., with: other[random.number(below: other.count)...])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The results of some inputs.
    private struct Outcome: Sendable {
        var readCount = 0
        var unlike: [String] = []
        var slowest = (duration: Duration.zero, name: "", text: "")
    }

    @Test func `No input overflows a small stack, traps or stalls any parser`() throws {
        let usual = 20_000
        let count = ProcessInfo.processInfo.environment["LEVELKIT_FUZZ_COUNT"].flatMap { Int($0) } ?? usual
        // The usual form reads the same inputs each time.
        let isUsual = count == usual
        let seed = isUsual ? 7 : TestRun.seed
        let finished = withSmallStack {
            var random = SplitMix64(seed: seed)
            var outcome = Outcome()
            for number in 0..<count {
                let parser = Self.parsers[number % Self.parsers.count]
                let text = Self.input(of: parser, &random)
                let duration = processorTime {
                    do {
                        try parser.read(text)
                        outcome.readCount += 1
                    } catch is Unlike {
                        outcome.unlike.append("\(parser.name): \(text)")
                    } catch {}
                }
                if duration > outcome.slowest.duration { outcome.slowest = (duration, parser.name, text) }
                if !isUsual, number % 100_000 == 99_999 { print("fuzz: \(number + 1) inputs") }
            }
            return outcome
        }
        let outcome = try #require(finished)
        print(
            "fuzz: \(count) inputs, \(outcome.readCount) of them were read; the slowest took \(outcome.slowest.duration) "
                + "(\(outcome.slowest.name))")
        #expect(outcome.readCount > count / 20)
        #expect(outcome.unlike.isEmpty, "\(Array(outcome.unlike.prefix(5))), \(TestRun.repetition)")
        #expect(
            outcome.slowest.duration < .seconds(5),
            "\(outcome.slowest.name): \(String(outcome.slowest.text.prefix(200)))")
    }
}
