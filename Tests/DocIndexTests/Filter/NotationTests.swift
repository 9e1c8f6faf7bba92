import DocIndex
import TestSupport
import Testing

/// Conditions in text form.
@Suite struct NotationTests {
    @Test func `A condition parses back from its description with the same meaning`() throws {
        var queries = RandomQueries(TestRun.random(stream: 63))
        queries.documents.hasAttachments = true
        for _ in 0..<TestRun.rounds(400, long: 50_000) {
            let filter = queries.filter(depth: 3)
            let text = filter.description
            let read = try Filter(parsing: text)
            #expect(read == filter, "\(text), \(TestRun.repetition)")
            for _ in 0..<3 {
                let document = queries.documents.document(id: 1)
                let expected = NaiveQuery.holds(filter, for: document)
                #expect(filter.matches(document) == expected, "\(text), \(document), \(TestRun.repetition)")
                #expect(read.matches(document) == expected, "\(text), \(TestRun.repetition)")
            }
        }
    }

    @Test(
        arguments: [
            (".5", DocumentValue.double(0.5)), ("-.5", .double(-0.5)), ("0.5", .double(0.5)), ("5", .int(5)),
            ("-5", .int(-5)),
            ("1e3", .double(1000)), ("'.5'", .string(".5")), (".x", .string(".x")),
            (#""caf\u00e9""#, .string("caf\u{e9}")), (#""\u{1f600}\u{e9}""#, .string("\u{1f600}\u{e9}")),
            (#""\ud83d\ude00""#, .string("\u{1f600}")), (#""\"\\\/\n\r\t""#, .string("\"\\/\n\r\t")),
            (#"'C:\Users'"#, .string(#"C:\Users"#)), (#""C:\\Users""#, .string(#"C:\Users"#)),
            ("json '[1, {\"a\": null}]'", [1, ["a": .null]]),
            ("date", .string("date")), ("json", .string("json")), ("2012:06:08", .string("2012:06:08")),
        ] as [(String, DocumentValue)])
    func `Values in conditions are numbers, strings, Booleans or JSON`(text: String, value: DocumentValue) throws {
        #expect(try Filter(parsing: "x = \(text)") == .compare("x", .equal, value))
    }

    @Test func `Every operator has a notation`() throws {
        let center = try #require(GeoPoint(latitude: 40.7, longitude: -74))
        let box = try #require(GeoBox(south: -10, west: 170, north: 10, east: -170))
        let day: Int64 = 86_400_000
        let table: [(String, Filter)] = [
            ("x matches /a\\/b/i", .hasMatch("x", try Filter.TextPattern("a/b", ignoresCase: true))),
            ("x is attachment", .hasKind("x", .attachment)),
            ("x = json '\(Attachments.imageJSON)'", .compare("x", .equal, .attachment(Attachments.image))),
            ("x is number", .hasKind("x", .int)), ("x is (array, null)", .hasKind("x", [.array, .null])),
            ("x size 3", .hasCount("x", 3)), ("x mod 4, -1", .isCongruent("x", divisor: 4, remainder: -1)),
            ("k[] below 'a|b'", .isBelow("k[]", "a|b", separator: "|")),
            ("k below 'a/b' by '/'", .isBelow("k", "a/b", separator: "/")),
            (
                "p any (name = Ada and age > 3)",
                .anyElement("p", .and([.compare("name", .equal, "Ada"), .compare("age", .greater, 3)]))
            ),
            ("s any (@ > 3)", .anyElement("s", .compare(.element, .greater, 3))),
            ("gps near 40.7,-74,1.5", .isNear(.location("gps"), center, meters: 1500)),
            ("gps near 40.7, -74, 20m", .isNear(.location("gps"), center, meters: 20)),
            (
                "a.lat, a.lon near 40.7,-74,1km",
                .isNear(.coordinates(latitude: "a.lat", longitude: "a.lon"), center, meters: 1000)
            ),
            ("gps within -10,170,10,-170", .isWithin(.location("gps"), box)),
            ("t = date 1970-01-02", .isDated("t", Filter.DateSpan(from: day, to: 2 * day))),
            ("t < date 1970-01-02", .isDated("t", Filter.DateSpan(to: day))),
            ("t <= date 1970-01-02", .isDated("t", Filter.DateSpan(to: 2 * day))),
            ("t > date 1970-01", .isDated("t", Filter.DateSpan(from: 31 * day))),
            ("t >= date 1970-01-01T00:00:01Z", .isDated("t", Filter.DateSpan(from: 1000))),
            ("t = date 1970", .isDated("t", Filter.DateSpan(from: 0, to: 365 * day))),
            ("t between date 1970-01 and date 1970-02", .isDated("t", Filter.DateSpan(from: 0, to: 59 * day))),
            ("month(t) in (6, 7..8)", .hasDatePart("t", .month, [6...6, 7...8])),
            ("hour(t) >= 18", .hasDatePart("t", .hour, [18 ... .max])), ("()", .all), ("not ()", .none),
            ("size = 3 and near = 5", .and([.compare("size", .equal, 3), .compare("near", .equal, 5)])),
            ("x collates > null", .collates("x", .greater, .null)), ("x in ()", .isIn("x", [])),
        ]
        for (text, filter) in table { #expect(try Filter(parsing: text) == filter, "\(text)") }
    }

    @Test func `Named parameters stand for values, and user input is never parsed as notation`() throws {
        let evil = "x' or y = '1"
        let filter = try Filter(
            parsing: "title = :title and rating >= :least", parameters: ["title": .string(evil), "least": 4])
        #expect(filter == .and([.compare("title", .equal, .string(evil)), .compare("rating", .greaterOrEqual, 4)]))
        expectFailure(.invalidQuery) { _ = try Filter(parsing: "title = :title") }
    }

    @Test(
        arguments: [
            ("x = date 2019-13", 9), ("x near 91,0,1", 7), ("x matches /(/", 10), ("x is wrong", 5), ("x size a", 7),
            ("x mod 0, 1", nil), ("x any 5", 6), ("a, b = 5", 5), ("month(t) = x", 11),
            ("x between date 2019 and 5", 24),
            ("x within 1,2,3", 14), ("x = json '{'", 9), ("x matches /a/q", 10),
            (#"x = "C:\Users""#, 7), (#"x = "\u00g0""#, 5), (#"x = "\u12""#, 5), (#"x = "\u{110000}""#, 5),
            (#"x = "\ud83d""#, 5), (#"x = "\ude00""#, 5), (#"x = "\u{}""#, 5), (#"x = "\ud83d\u0041""#, 5),
        ] as [(String, Int?)])
    func `An invalid condition is rejected at its position`(text: String, position: Int?) throws {
        let error = #expect(throws: DocIndexError.self) { try Filter(parsing: text) }
        #expect(error?.code == .invalidQuery && error?.position == position, "\(String(describing: error))")
    }
}
