import TestSupport
import Testing
import TextIndexing

/// What a search means, and the position of errors.
@Suite struct TextQueryTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        let text: String
        let query: TextQuery

        init(_ text: String, _ query: TextQuery) {
            self.text = text
            self.query = query
        }

        var testDescription: String { text }
    }

    private static let a = TextQuery.word("a")
    private static let b = TextQuery.word("b")
    private static let c = TextQuery.word("c")
    private static let d = TextQuery.word("d")

    static let accepted: [Accepted] = [
        .init("a", a), .init("  a  ", a), .init("A", .word("A")), .init("Été", .word("Été")),
        .init("a b", .and([a, b])),
        .init("a AND b", .and([a, b])),
        .init("a b c", .and([a, b, c])), .init("a OR b", .or([a, b])), .init("a OR b OR c", .or([a, b, c])),
        .init("a\nb", .and([a, b])),
        // OR binds less tightly than a space.
        .init("a b OR c", .or([.and([a, b]), c])), .init("a OR b c", .or([a, .and([b, c])])),
        .init("a AND b OR c AND d", .or([.and([a, b]), .and([c, d])])),
        .init("(a OR b) c", .and([.or([a, b]), c])), .init("a (b OR c)", .and([a, .or([b, c])])),
        .init("a(b OR c)d", .and([a, .or([b, c]), d])),
        .init("((a))", a), .init("(a b) c", .and([.and([a, b]), c])), .init("(a)(b)", .and([a, b])),
        .init("a OR (b OR c)", .or([a, .or([b, c])])),
        // Exclusions.
        .init("a NOT b", .except(a, b)), .init("a -b", .except(a, b)), .init("-b a", .except(a, b)),
        .init("NOT b a", .except(a, b)),
        .init("a AND NOT b", .except(a, b)), .init("a -b -c", .except(a, .or([b, c]))),
        .init("a -b c", .except(.and([a, c]), b)),
        .init("a NOT (b OR c)", .except(a, .or([b, c]))), .init("a -(b c)", .except(a, .and([b, c]))),
        .init("a -\"b c\"", .except(a, .phrase("b c"))),
        .init("a -b OR c", .or([.except(a, b), c])), .init("a (b -c)", .and([a, .except(b, c)])),
        .init("a NOT -b", .except(a, .word("-b"))),
        // Operators are uppercase; otherwise they are words.
        .init("a or b", .and([a, .word("or"), b])), .init("not a", .and([.word("not"), a])),
        .init("a and b", .and([a, .word("and"), b])),
        .init("ORB", .word("ORB")), .init("ANDA NOTA", .and([.word("ANDA"), .word("NOTA")])),
        .init("\"OR\"", .phrase("OR")),
        .init("a \"AND\" b", .and([a, .phrase("AND"), b])),
        // Phrases: quoted, or a word that contains punctuation.
        .init("\"a b\"", .phrase("a b")), .init("\"a  B,c\"", .phrase("a  B,c")), .init("\"a\"", .phrase("a")),
        .init("a\"b c\"d", .and([a, .phrase("b c"), d])),
        .init("well-known", .word("well-known")), .init("don't", .word("don't")), .init("a-b", .word("a-b")),
        .init("12:30", .word("12:30")),
        .init("東京", .word("東京")), .init("\"(a) OR -b\"", .phrase("(a) OR -b")), .init("a--b", .word("a--b")),
        // Punctuation alone is ignored.
        .init("a & b", .and([a, b])), .init("a - b", .and([a, b])), .init("a \"\" b", .and([a, b])),
        .init("a OR & b", .or([a, b])), .init("a -&", a),
        .init("a*", .prefix("a")), .init("a-b*", .prefix("a-b")), .init("ab~", .fuzzy("ab", distance: nil)),
        .init("ab~2", .fuzzy("ab", distance: 2)), .init("\"a b\"~3", .near("a b", slop: 3)),
        .init("\"a\"~3", .phrase("a")), .init("t:a^2", .field("t", .boost(a, 2))),
        .init("a (&)", a), .init("&", .nothing), .init("\"\"", .nothing), .init("-", .nothing),
        .init("(& !)", .nothing), .init("a OR &", .or([a, .nothing])),
    ]

    @Test(arguments: accepted) func `A valid search is parsed`(accepted: Accepted) throws {
        #expect(try TextQuery(parsing: accepted.text) == accepted.query)
    }

    static let refused: [(String, Int, String)] = [
        ("", 0, "search is empty"), ("   ", 3, "search is empty"), ("()", 0, "are empty"),
        ("( )", 0, "are empty"),
        ("a ()", 2, "are empty"), ("(a", 0, "not closed"), ("a (b", 2, "not closed"), ("((a)", 0, "not closed"),
        ("(a OR b", 0, "not closed"),
        (")", 0, "no matching ("), ("a)", 1, "no matching ("), ("(a))", 3, "no matching ("),
        ("a OR b) c", 6, "no matching ("),
        ("\"a", 0, "quote is not closed"), ("a \"b", 2, "quote is not closed"),
        ("a \"b\" \"", 6, "quote is not closed"), ("a\"", 1, "quote"),
        ("OR", 0, "OR needs"), ("OR a", 0, "OR needs"), ("a OR", 4, "OR needs"), ("a OR OR b", 4, "OR needs"),
        ("(a OR) b", 5, "OR needs"),
        ("(OR a)", 1, "OR needs"), ("a OR ()", 5, "are empty"),
        ("NOT", 3, "NOT must"), ("a NOT", 5, "NOT must"), ("a NOT OR b", 6, "NOT must"), ("a (NOT)", 6, "NOT must"),
        ("a NOT )", 6, "NOT must"),
        ("a -)", 3, "NOT must"), ("-a", 2, "only exclude"), ("NOT a", 5, "only exclude"), ("-a -b", 5, "only exclude"),
        ("a (-b)", 5, "only exclude"),
        ("a OR -b", 7, "only exclude"), ("-a OR b", 3, "only exclude"), ("é OR", 4, "OR needs"),
        ("👨‍👩‍👧 OR", 4, "OR needs"),
    ]

    @Test(arguments: refused) func `An invalid search is rejected with its position`(
        text: String, position: Int, part: String
    ) {
        let error = expectFailure(.invalidQuery) { try TextQuery(parsing: text) }
        #expect(error?.position == position)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("at character \(position + 1)") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        "AND", "AND a", "a AND", "a AND AND b", "a AND OR b", "a OR AND b", "(a AND) b", "a NOT NOT b", "a NOT AND b",
    ])
    func `An operator without operands is rejected`(text: String) {
        expectFailure(.invalidQuery) { try TextQuery(parsing: text) }
    }

    @Test func `Parentheses may be nested 64 levels and no deeper`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try TextQuery(parsing: nested(63)) == .word("a"))
        expectFailure(.invalidQuery, containing: "64 deep") { try TextQuery(parsing: nested(64)) }
        expectFailure(.invalidQuery, containing: "64 deep") { try TextQuery(parsing: nested(30_000)) }
        // The length is checked first.
        expectFailure(.queryTooLarge, containing: "200001 bytes") { try TextQuery(parsing: nested(100_000)) }
    }

    @Test func `Parsing random search fragments never traps`() {
        var random = TestRun.random(stream: 21)
        let pieces = [
            "a", "b", " ", " OR ", " AND ", " NOT ", "-", "\"", "(", ")", "&", "é", "\u{301}", "東", "\n", "\0", "OR",
            "NOT", "\\", "❤️",
        ]
        for _ in 0..<TestRun.rounds(4000, long: 500_000) {
            let text = (0..<random.number(below: 12)).map { _ in random.pick(pieces) }.joined()
            do {
                _ = try TextQuery(parsing: text)
            } catch {
                let error = error as? DocIndexError
                #expect(error?.code == .invalidQuery)
                #expect(
                    (0...text.count).contains(error?.position ?? -1), "\(text.debugDescription), \(TestRun.repetition)")
            }
        }
    }
}
