import DocIndex
import TestSupport
import Testing

import class Foundation.JSONDecoder
import class Foundation.JSONEncoder

/// Conditions in the notation of the shell: their meaning, and the position of errors.
@Suite struct ConditionNotationTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        let text: String
        let filter: Filter

        init(_ text: String, _ filter: Filter) {
            self.text = text
            self.filter = filter
        }

        var testDescription: String { text }
    }

    private static func equal(_ path: FieldPath, _ value: DocumentValue) -> Filter { .compare(path, .equal, value) }

    static let operators: [Accepted] = [
        .init("", .all), .init("   ", .all), .init("\n\t", .all),
        .init("a = 1", equal("a", 1)), .init("a=1", equal("a", 1)), .init("a == 1", equal("a", 1)),
        .init("a==1", equal("a", 1)), .init("a != 1", .not(equal("a", 1))), .init("a!=1", .not(equal("a", 1))),
        .init("a < 1", .compare("a", .less, 1)), .init("a<=1", .compare("a", .lessOrEqual, 1)),
        .init("a > 1", .compare("a", .greater, 1)), .init("a>=1", .compare("a", .greaterOrEqual, 1)),
        .init("a ^= x", .hasPrefix("a", "x")), .init("a^=12", .hasPrefix("a", "12")),
        .init("a ^= ''", .hasPrefix("a", "")),
        .init("a *= x", .contains("a", "x")), .init("a*=x", .contains("a", "x")),
        .init("a *= \"x y\"", .contains("a", "x y")),
        .init("a *= true", .contains("a", "true")),
        .init("a exists", .exists("a")), .init("a missing", .not(.exists("a"))),
        .init("a has x", equal("a[]", "x")), .init("a[] has x", equal("a[]", "x")),
        .init("a.b has 1", equal("a.b[]", 1)),
        .init("a[].b has 1", equal("a[].b[]", 1)), .init("\"a.b\" has 1", equal(#""a.b"[]"#, 1)),
        .init("a in (1)", .isIn("a", [1])), .init("a in (1, 2.0,x , \"y z\")", .isIn("a", [1, 2.0, "x", "y z"])),
        .init("a IN(null,true,false)", .isIn("a", [.null, true, false])), .init("a in (1,1)", .isIn("a", [1, 1])),
        .init("a between 1 and 2", .between("a", 1, 2)), .init("a BETWEEN x AND y", .between("a", "x", "y")),
        .init("a between 2 and 1", .between("a", 2, 1)),
        .init(
            "a between 1 and 2 and b = 1",
            .and([.between("a", 1, 2), equal("b", 1)])),
    ]

    static let values: [Accepted] = [
        .init("a = 0", equal("a", 0)), .init("a = -1", equal("a", -1)), .init("a=-1", equal("a", -1)),
        .init("a = 1.0", equal("a", 1.0)), .init("a = -2.5e3", equal("a", -2500.0)),
        .init("a = 1E2", equal("a", 100.0)),
        .init("a = 9223372036854775807", equal("a", .int(.max))),
        .init("a = -9223372036854775808", equal("a", .int(.min))),
        // A value that is not a JSON number is a string.
        .init("a = +1", equal("a", "+1")), .init("a = .5", equal("a", 0.5)), .init("a = 1.", equal("a", "1.")),
        .init("a = 007", equal("a", "007")), .init("a = 0x10", equal("a", "0x10")), .init("a = 1e", equal("a", "1e")),
        .init("a = nan", equal("a", "nan")), .init("a = inf", equal("a", "inf")), .init("a = --1", equal("a", "--1")),
        .init("a = -", equal("a", "-")), .init("a = 1-2", equal("a", "1-2")),
        .init("a = true", equal("a", true)), .init("a = false", equal("a", false)),
        .init("a = null", equal("a", .null)),
        .init("a = True", equal("a", "True")), .init("a = NULL", equal("a", "NULL")),
        .init("a = \"true\"", equal("a", "true")),
        .init("a = \"1\"", equal("a", "1")), .init("a = '1'", equal("a", "1")), .init("a = ''", equal("a", "")),
        .init("a = \"\"", equal("a", "")),
        // Dates, times, file names and other words with punctuation need no quotes.
        .init("date >= 2019-07-14", .isDated("date", Filter.DateSpan(from: 1_563_062_400_000))),
        .init("date > '2019-07-14'", .isDated("date", Filter.DateSpan(from: 1_563_148_800_000))),
        .init(
            "date = 2019-07-14T10:00", .isDated("date", Filter.DateSpan(from: 1_563_098_400_000, to: 1_563_098_460_000))
        ),
        .init(
            "date between 2019-07-14 and '2019-07-15'",
            .isDated("date", Filter.DateSpan(from: 1_563_062_400_000, to: 1_563_235_200_000))),
        .init(#"date >= json "\"2019-07-14\"""#, .compare("date", .greaterOrEqual, "2019-07-14")),
        .init("date >= 2019-07", .compare("date", .greaterOrEqual, "2019-07")),
        .init("date ^= 2019-07-14", .hasPrefix("date", "2019-07-14")),
        .init("t = 12:30:00Z", equal("t", "12:30:00Z")), .init("f = /a/b.jpg", equal("f", "/a/b.jpg")),
        .init("f = a_b-c.d;e&f|g~h@i#j$k%l+m{n}o[p]q\\r?", equal("f", "a_b-c.d;e&f|g~h@i#j$k%l+m{n}o[p]q\\r?")),
        .init("a = O'Brien", equal("a", "O'Brien")), .init("a = 日本", equal("a", "日本")), .init("a = é", equal("a", "é")),
        .init("a = x*y", equal("a", "x*y")), .init("a = x*", equal("a", "x*")),
        // Quotes and their possible content.
        .init(#"a = "x y""#, equal("a", "x y")), .init("a = 'x y'", equal("a", "x y")),
        .init(#"a = "x\"y""#, equal("a", "x\"y")),
        .init(#"a = "x\\y""#, equal("a", "x\\y")), .init(#"a = "x\ny\tz\r""#, equal("a", "x\ny\tz\r")),
        .init(#"a = "x\/y""#, equal("a", "x/y")), .init(#"a = 'x\ny'"#, equal("a", "x\\ny")),
        .init(#"a = '"'"#, equal("a", "\"")),
        .init(#"a = "'""#, equal("a", "'")), .init(#"a = "(,)=<>!^*""#, equal("a", "(,)=<>!^*")),
        .init("a = \"x\ny\"", equal("a", "x\ny")), .init(#"a = "and""#, equal("a", "and")),
        .init("a = \"e\u{301}\"", equal("a", "e\u{301}")),
    ]

    static let paths: [Accepted] = [
        .init("a.b.c = 1", equal("a.b.c", 1)), .init("keywords[] = x", equal("keywords[]", "x")),
        .init("people[].name ^= A", .hasPrefix("people[].name", "A")), .init("a[][] = 1", equal("a[][]", 1)),
        .init("IFD0:Model = X100V", equal("IFD0:Model", "X100V")),
        .init("exif.IFD0:Model = x", equal("exif.IFD0:Model", "x")),
        .init("a-b = 1", equal("a-b", 1)), .init("$a = 1", equal("$a", 1)), .init("日本.é = 1", equal("日本.é", 1)),
        .init("1 = 1", equal("1", 1)), .init("null = null", equal("null", .null)),
        .init("true exists", .exists("true")),
        .init("*a = 1 ".replacing("*", with: "x*"), equal("x*a", 1)),
        // A quoted name is one step, whatever it contains.
        .init(#""a b" = 1"#, equal(FieldPath(names: "a b"), 1)), .init("'a b' = 1", equal(FieldPath(names: "a b"), 1)),
        .init(#""a.b" = 1"#, equal(FieldPath(names: "a.b"), 1)),
        .init(#""a[]" exists"#, .exists(FieldPath(names: "a[]"))),
        .init(#""and" = 1"#, equal(FieldPath(names: "and"), 1)), .init(#""" = 1"#, equal(FieldPath(names: ""), 1)),
        .init(#""a".b = 1"#, equal(FieldPath(names: "a", "b"), 1)),
        .init(#"a."b c" = 1"#, equal(FieldPath(names: "a", "b c"), 1)),
        .init(#"a."b.c".d = 1"#, equal(FieldPath(names: "a", "b.c", "d"), 1)),
        .init(#""a"[].b = 1"#, equal("a[].b", 1)), .init(#""a b"[] = 1"#, equal(#""a b"[]"#, 1)),
        .init(#""a"."b"."c" = 1"#, equal("a.b.c", 1)), .init(#"a."b\"c" = 1"#, equal(FieldPath(names: "a", "b\"c"), 1)),
        .init(#""a\"b" = 1"#, equal(FieldPath(names: "a\"b"), 1)),
        .init(#"a."=<>(),"=1"#, equal(FieldPath(names: "a", "=<>(),"), 1)),
        // These names start or end with a keyword.
        .init("android = 1", equal("android", 1)), .init("order = 1", equal("order", 1)),
        .init("inn = 1", equal("inn", 1)),
        .init("not.a = 1", equal("not.a", 1)),
    ]

    private static let a = equal("a", 1)
    private static let b = equal("b", 2)
    private static let c = equal("c", 3)

    static let structure: [Accepted] = [
        .init("a = 1 and b = 2", .and([a, b])), .init("a = 1 b = 2", .and([a, b])),
        .init("a=1 b=2 c=3", .and([a, b, c])),
        .init("a = 1 AND b = 2 aNd c = 3", .and([a, b, c])), .init("a = 1 or b = 2", .or([a, b])),
        .init("a = 1 or b = 2 OR c = 3", .or([a, b, c])),
        // AND, written or implied, binds tighter than OR.
        .init("a = 1 or b = 2 and c = 3", .or([a, .and([b, c])])),
        .init("a = 1 and b = 2 or c = 3", .or([.and([a, b]), c])),
        .init("a = 1 b = 2 or c = 3", .or([.and([a, b]), c])), .init("a = 1 or b = 2 c = 3", .or([a, .and([b, c])])),
        .init("(a = 1 or b = 2) and c = 3", .and([.or([a, b]), c])),
        .init("a = 1 and (b = 2 or c = 3)", .and([a, .or([b, c])])),
        .init("a=1(b=2 or c=3)", .and([a, .or([b, c])])), .init("(a=1)(b=2)", .and([a, b])), .init("((a = 1))", a),
        // NOT binds tightest.
        .init("not a = 1", .not(a)), .init("NOT a = 1 and b = 2", .and([.not(a), b])),
        .init("not a = 1 or b = 2", .or([.not(a), b])),
        .init("not (a = 1 and b = 2)", .not(.and([a, b]))), .init("not not a = 1", a),
        .init("not not not a = 1", .not(a)),
        .init("a = 1 not b = 2", .and([a, .not(b)])), .init("a = 1 and not b = 2", .and([a, .not(b)])),
        .init("not(a = 1)", .not(a)), .init("not a exists", .not(.exists("a"))),
        .init("not a missing", .not(.not(.exists("a")))),
        .init("not a != 1", .not(.not(a))),
        .init(
            "year between 1920 and 1929 (source = oldnyc or not creator exists)",
            .and([.between("year", 1920, 1929), .or([equal("source", "oldnyc"), .not(.exists("creator"))])])),
        .init(#"exif.model in ("X100V", "NIKON D90")"#, .isIn("exif.model", ["X100V", "NIKON D90"])),
        .init(
            "rating >= 4 and keywords has sea",
            .and([.compare("rating", .greaterOrEqual, 4), equal("keywords[]", "sea")])),
        .init("a exists b missing", .and([.exists("a"), .not(.exists("b"))])),
        .init("a = 1\r\nb = 2", .and([a, b])),
    ]

    @Test(arguments: operators + values + paths + structure)
    func `A valid condition is parsed`(accepted: Accepted) throws {
        #expect(try Filter(parsing: accepted.text) == accepted.filter)
    }

    // MARK: - What is rejected

    struct Refused: Sendable, CustomTestStringConvertible {
        let text: String
        let position: Int
        let part: String

        init(_ text: String, _ position: Int, _ part: String) {
            self.text = text
            self.position = position
            self.part = part
        }

        var testDescription: String { text }
    }

    static let refused: [Refused] = [
        .init("a", 1, "an operator is expected after a"), .init("a ", 2, "operator"), .init("a b", 2, "operator"),
        .init("a = ", 4, "a value is expected"), .init("a =", 3, "value"), .init("a = =", 4, "value"),
        .init("a = )", 4, "value"),
        .init("a = ,", 4, "value"), .init("= 1", 0, "path"), .init("(= 1)", 1, "path"), .init(") a = 1", 0, "path"),
        .init(", a = 1", 0, "path"), .init("and a = 1", 0, "path"), .init("or", 0, "path"), .init("exists", 0, "path"),
        .init("in (1)", 0, "path"), .init("a = 1 and", 9, "a condition is expected"), .init("a = 1 or", 8, "condition"),
        .init("a = 1 or or b = 1", 9, "path"), .init("a = 1 and and b = 1", 10, "path"), .init("not", 3, "condition"),
        .init("a = 1 not", 9, "condition"), .init("a = 1 and not", 13, "condition"),
        .init(#"a = "x\qy""#, 6, "not an escape sequence"), .init("(a = 1", 6, "a ) is expected"),
        .init("((a = 1)", 8, ")"),
        .init("a = 1)", 5, "AND or OR"),
        .init("a = 1, b = 2", 5, "AND or OR"), .init("a = 1 = 2", 6, "AND or OR"), .init("(a = 1))", 7, "AND or OR"),
        .init("a = 1 exists", 6, "AND or OR"),
        .init("a ! 1", 2, "unknown operator !"), .init("a !", 2, "operator !"), .init("a ^ 1", 2, "operator ^"),
        .init("a * 1", 2, "operator *"), .init("a =< 1", 3, "value"), .init("a <> 1", 3, "value"),
        .init("a => 1", 3, "value"),
        .init("a = x=y", 5, "AND or OR"), .init("a = x<y", 5, "AND or OR"), .init("a = x!y", 5, "AND or OR"),
        .init("a in 1", 5, "IN needs a list"), .init("a in", 4, "list"),
        .init("a in (", 6, "value"),
        .init("a in (1", 7, ", or )"), .init("a in (1 2)", 8, ", or )"), .init("a in (1,)", 8, "value"),
        .init("a in (,1)", 6, "value"),
        .init("a in (1,,2)", 8, "value"), .init("a in ((1))", 6, "value"), .init("a not in (1)", 2, "operator"),
        .init("a between", 9, "value"), .init("a between 1", 11, "BETWEEN needs AND"),
        .init("a between 1 2", 12, "BETWEEN"),
        .init("a between 1, 2", 11, "BETWEEN"), .init("a between 1 and", 15, "value"),
        .init("a between 1 or 2", 12, "BETWEEN"),
        .init("a has", 5, "value"), .init("a ^=", 4, "a string is expected"), .init("a *= (", 5, "string"),
        .init("a ^= =", 5, "string"),
        .init("a..b = 1", 0, "valid path"), .init(".a = 1", 0, "valid path"), .init("a. = 1", 0, "valid path"),
        .init("a[0] = 1", 0, "valid path"),
        .init("a[ = 1", 0, "valid path"), .init("b = 1 [] = 1", 6, "valid path"), .init(#"a"b" = 1"#, 1, "operator"),
        .init(#""a".  = 1"#, 0, "valid path"), .init(#""a"b = 1"#, 3, "operator"),
        .init("\"a", 0, "quote is not closed"), .init("a = \"x", 4, "quote is not closed"),
        .init("a = 'x", 4, "quote is not closed"),
        .init(#"a = "x\""#, 4, "quote is not closed"), .init(#"a = "x\"#, 4, "quote is not closed"),
        .init("a = 'x\"", 4, "quote"),
        .init("a = 1 '", 6, "quote is not closed"),
        // Positions count characters, not bytes: one each for é, for two scalars and for a line end.
        .init("é = 1 or", 8, "condition"), .init("e\u{301} = 1 or", 8, "condition"), .init("👨‍👩‍👧 = 1 or", 8, "condition"),
        .init("a = 1\r\nor", 8, "condition"),
    ]

    @Test(arguments: refused) func `An invalid condition is rejected with its position`(refused: Refused) {
        let error = expectFailure(.invalidQuery) { try Filter(parsing: refused.text) }
        #expect(error?.position == refused.position)
        #expect(error?.message.contains(refused.part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("at character \(refused.position + 1)") == true, "\(error?.message ?? "")")
    }

    @Test func `A word that could be a keyword is not a value unless quoted`() throws {
        // Otherwise a forgotten value would change the meaning of the condition: rating = "and".
        expectFailure(.invalidQuery) { try Filter(parsing: "rating = and keywords has sea") }
        expectFailure(.invalidQuery) { try Filter(parsing: "a = or b = 2") }
        #expect(
            try Filter(parsing: "a = 'and' b = 2") == .and([.compare("a", .equal, "and"), .compare("b", .equal, 2)]))
    }

    @Test func `Conditions may be nested 64 levels and no deeper, negations without limit`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a = 1" + String(repeating: ")", count: depth)
        }
        #expect(try Filter(parsing: nested(63)) == .compare("a", .equal, 1))
        let error = expectFailure(.invalidQuery, containing: "64 deep") { try Filter(parsing: nested(64)) }
        #expect(error?.position == 64)
        expectFailure(.invalidQuery, containing: "64 deep") { try Filter(parsing: nested(100_000)) }
        // Depth is not length.
        let long = Array(repeating: "(a = 1)", count: 2000).joined(separator: " or ")
        #expect(try Filter(parsing: long).matches(["a": 1]))
        let negated = String(repeating: "not ", count: 10_001) + "a = 1"
        #expect(try Filter(parsing: negated) == .not(.compare("a", .equal, 1)))
    }

    @Test func `Parsing random fragments never traps`() {
        var random = TestRun.random(stream: 5)
        let pieces = [
            "a", "b.c", "a[]", "\"", "'", "\\", "=", "<", ">", "!", "^", "*", "(", ")", ",", " ", "  ", "1", "-", ".",
            "[", "]",
            "and ", "or ", " not ", " in ", " has ", " between ", " exists ", "é", "\u{301}", "\n", "\0", "\"a\".",
            "a.\"",
        ]
        var accepted = 0
        for _ in 0..<TestRun.rounds(4000, long: 500_000) {
            let text = (0..<random.number(below: 12)).map { _ in random.pick(pieces) }.joined()
            do {
                _ = try Filter(parsing: text).matches(["a": 1])
                accepted += 1
            } catch {
                let error = error as? DocIndexError
                #expect(error?.code == .invalidQuery)
                #expect(
                    (0...text.count).contains(error?.position ?? -1), "\(text.debugDescription), \(TestRun.repetition)")
            }
        }
        #expect(accepted > 0)
    }

    // MARK: - Sort keys

    @Test(
        arguments: [
            ("a", [.ascending("a")]), ("-a", [.descending("a")]),
            ("a,-b.c,d", [.ascending("a"), .descending("b.c"), .ascending("d")]),
            ("a,a", [.ascending("a"), .ascending("a")]), ("--a", [.descending("-a")]), ("\"x y\"", [.ascending("x y")]),
            ("a-b", [.ascending("a-b")]), ("natural(a)", [.ascending("a", collation: .natural)]),
            (
                "-ci-ai(a.b),ci(c)",
                [
                    .descending("a.b", collation: .caseAndAccentInsensitive),
                    .ascending("c", collation: .caseInsensitive),
                ]
            ),
            ("binary(a)", [.ascending("binary(a)")]), ("\"natural(a)\"", [.ascending("\"natural(a)\"")]),
            ("\"ci(a\".b)", [.ascending("\"ci(a\".b)")]),
        ] as [(String, [Query.SortKey])])
    func `Sort keys are fields separated by commas`(text: String, keys: [Query.SortKey]) throws {
        #expect(try Query.SortKey.parse(text) == keys)
        #expect(try Query.SortKey.parse(keys.map(\.description).joined(separator: ",")) == keys)
        let saved = try JSONEncoder().encode(Query(sort: keys))
        #expect(try JSONDecoder().decode(Query.self, from: saved).sort == keys)
    }

    @Test(arguments: ["", "-", "a,", ",a", "a,,b", "a..b", "a[0]", "a[", "\"a"])
    func `An invalid list of fields is rejected as sort keys`(text: String) {
        expectFailure(.invalidQuery, containing: "cannot sort by") { try Query.SortKey.parse(text) }
    }

    @Test(arguments: [
        Query(limit: -1), Query(offset: -1), Query(sort: [.ascending("a[]")]),
        Query(sort: [.ascending("a"), .ascending("b[].c")]), Query(sort: [Query.SortKey(.score, collation: .natural)]),
    ])
    func `An unanswerable query is rejected before anything is read`(query: Query) throws {
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) { store in
            let collection = try store.collection("c")
            expectFailure(.invalidQuery) { try collection.find(query) }
            expectFailure(.invalidQuery) { try collection.plan(query) }
            expectFailure(.invalidQuery) { try collection.find("a = 1", sort: "a[]") }
        }
    }
}
