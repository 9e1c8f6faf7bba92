import DocIndex
import Foundation
import TestSupport
import Testing

/// Values bound in a condition are values, whatever characters they contain.
@Suite struct FilterTextTests {
    /// Strings that mean something in the notation, and pieces of such strings.
    private static let pieces: [String] = [
        "\"", "'", "\\", "(", ")", ",", "=", "!=", "<", "<=", ">", ">=", "^=", "*=", "==", "/", "/i", "[]", ".", "@",
        ":",
        ":a", "or 1=1", " or a exists", "and", "AND", "not", "in", "between", "has", "exists", "missing", "matches",
        "is",
        "size", "mod", "below", "by", "during", "any", "near", "within", "collates", "search", "json", "date", "2019",
        "2019-06-08", "2019-06-08T18:02:11Z", "1", "1.5", "true", "null", "..", "\n", "\t", "\0", "\u{fffc}", "\u{301}",
        "é", " ", "", "a", "fog",
    ]

    private static func hostile(_ random: inout SplitMix64) -> String {
        (0..<random.number(below: 5)).map { _ in random.pick(pieces) }.joined(separator: random.pick(["", " "]))
    }

    /// A condition with bound values, and the same condition built in Swift.
    private static func pair(_ random: inout SplitMix64) -> (FilterText, Filter) {
        let (x, y) = (hostile(&random), hostile(&random))
        let (number, flag, fraction) = (random.number(below: 5) - 2, random.once(in: 2), 0.5)
        let path: FieldPath = random.pick(["a", "tags[]", "n.x"])
        return switch random.number(below: 18) {
        case 0: ("a = \(x)", .compare("a", .equal, .string(x)))
        case 1: ("a != \(x)", .not(.compare("a", .equal, .string(x))))
        case 2:
            ("a >= \(x) and a < \(y)", .compare("a", .greaterOrEqual, .string(x)) && .compare("a", .less, .string(y)))
        case 3: ("a between \(x) and \(y)", .between("a", .string(x), .string(y)))
        case 4: ("a in (\(x), \(y), \(number))", .isIn("a", [.string(x), .string(y), .int(Int64(number))]))
        case 5: ("a in \([x, y])", .isIn("a", [.string(x), .string(y)]))
        case 6:
            (
                "tags has \(x) or not (a = \(flag))",
                .compare("tags[]", .equal, .string(x)) || !.compare("a", .equal, .bool(flag))
            )
        case 7: ("a^=\(x)", .hasPrefix("a", x))
        case 8: ("a *= \(x)", .contains("a", x))
        case 9: ("a below \(x) by \("|")", .isBelow("a", x, separator: "|"))
        case 10: ("a collates >= \(x)", .collates("a", .greaterOrEqual, .string(x)))
        case 11: ("a = \([x, y])", .compare("a", .equal, .array([.string(x), .string(y)])))
        case 12: ("(a=\(x))", .compare("a", .equal, .string(x)))
        case 13:
            (
                "\(field: path) = \(number) \(field: "n.y") <= \(fraction)",
                .compare(path, .equal, .int(Int64(number))) && .compare("n.y", .lessOrEqual, .double(fraction))
            )
        case 14: ("people any (name = \(x))", .anyElement("people", .compare("name", .equal, .string(x))))
        case 15: ("a size \(3) or a mod \(2), \(1)", .hasCount("a", 3) || .isCongruent("a", divisor: 2, remainder: 1))
        case 16:
            (
                "a = \(DocumentValue.null) and hour(b) >= \(7)",
                .compare("a", .equal, .null) && .hasDatePart("b", .hour, [7 ... .max])
            )
        default:
            (
                "a = \(Substring(x)) and b = \(Float(0.5))",
                .compare("a", .equal, .string(x)) && .compare("b", .equal, .double(0.5))
            )
        }
    }

    @Test func `Bound strings find exactly what the condition built in Swift finds`() throws {
        var random = TestRun.random(stream: 400)
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("a", on: "a"), .value("tags", on: "tags[]")])
        ])
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for id in 0..<150 {
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "a": .string(Self.hostile(&random)),
                            "b": random.pick(["fog", 0.5, .bool(true)]),
                            "tags": [.string(Self.hostile(&random)), .string(Self.hostile(&random))],
                            "people": [["name": .string(Self.hostile(&random))]],
                        ], in: "c")
                }
            }
            let collection = try store.collection("c")
            for _ in 0..<TestRun.rounds(1500, long: 50_000) {
                let (text, filter) = Self.pair(&random)
                #expect(try Filter(text) == filter, "\(text), \(TestRun.repetition)")
                let found = try collection.find(text).map(\.id)
                #expect(try found == collection.find(Query(filter)).map(\.id), "\(text), \(TestRun.repetition)")
            }
            // Each stored string is found by itself.
            try collection.forEach { document in
                let text = document["a"]?.stringValue ?? ""
                let found = try collection.find("a = \(text)")
                #expect(found.contains(document), "\(text), \(TestRun.repetition)")
            }
        }
    }

    @Test func `Text without bound values means the same as in the notation`() throws {
        var queries = RandomQueries(TestRun.random(stream: 401))
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            let filter = queries.filter(depth: 3)
            let text = FilterText(filter.description)
            #expect(text.description == filter.description)
            #expect(try Filter(text) == filter, "\(text), \(TestRun.repetition)")
        }
        #expect(try Filter("") == .all)
        #expect(
            try Filter("a = '\u{fffc}' and b = \(1)") == (.compare("a", .equal, "\u{fffc}") && .compare("b", .equal, 1))
        )
    }

    private enum Color: String { case red, darkBlue = "dark \" blue" }
    private enum Stars: Int { case none, one }

    @Test func `Values of other types are bound as they are stored`() throws {
        struct Everything: Codable {
            var uuid = UUID()
            var url: URL
            var data = Data([0, 255])
            var small = UInt8.max
            var number = Int32.min
            var id = DocumentID.int(7)
            var flags = [true, false]
        }
        let url = try #require(URL(string: "https://example.org/a?b='or'"))
        let all = Everything(url: url)
        let stored = try DocumentEncoder().encodeObject(all)
        let conditions: [FilterText] = [
            "uuid = \(all.uuid)", "url = \(all.url)", "data = \(all.data)", "small = \(all.small)",
            "number = \(all.number)", "id = \(all.id)", "flags = \(all.flags)", "uuid in \([all.uuid])",
        ]
        for condition in conditions { #expect(try Filter(condition).matches(stored), "\(condition)") }
        #expect(try Filter("c = \(Color.darkBlue)") == .compare("c", .equal, "dark \" blue"))
        #expect(try Filter("c in \([Color.red, .darkBlue])") == .isIn("c", ["red", "dark \" blue"]))
        #expect(try Filter("s >= \(Stars.one)") == .compare("s", .greaterOrEqual, 1))
    }

    @Test func `A bound date is an instant, and a bound string is never a date`() throws {
        let date = Date(timeIntervalSince1970: 1_339_171_331)
        let here = try #require(DocumentDate(milliseconds: 1_339_171_331_000, offsetMinutes: 120))
        let same: [DocumentValue] = [
            .date(DocumentDate(utcMilliseconds: 1_339_171_331_000)), .date(here), "2012-06-08T16:02:11Z",
        ]
        for value in same {
            #expect(try Filter("taken = \(date)").matches(["taken": value]), "\(value)")
            #expect(try Filter("taken = \(here)").matches(["taken": value]), "\(value)")
            #expect(try Filter("taken in \([date])").matches(["taken": value]), "\(value)")
            #expect(try !Filter("taken > \(date)").matches(["taken": value]), "\(value)")
            #expect(try Filter("taken between \(date) and \(here)").matches(["taken": value]), "\(value)")
        }
        #expect(try !Filter("taken = \("2012-06-08")").matches(["taken": same[0]]))
        #expect(try Filter("taken = \("2012-06-08")").matches(["taken": "2012-06-08"]))
        #expect(try Filter("taken < \(Date.distantFuture)").matches(["taken": same[0]]))
        #expect(try Filter("taken < \(Date(timeIntervalSince1970: .infinity))").matches(["taken": same[0]]))
    }

    @Test func `A search, a pattern and a location can be bound`() throws {
        let words = "fog -\"old bridge\""
        #expect(try Filter("search \(words) and a = 1") == (.search(words) && .compare("a", .equal, 1)))
        #expect(try Filter("a matches \("^IMG/[0-9]+$")") == .hasMatch("a", Filter.TextPattern("^IMG/[0-9]+$")))
        let center = try #require(GeoPoint(latitude: 40.5, longitude: -74))
        #expect(try Filter("gps near \(40.5), \(-74), \(5)") == .isNear(.location("gps"), center, meters: 5000))
        #expect(
            try Filter("\(field: "a.lat"), \(field: "a.lon") near \(40.5),\(-74.0),\(1)")
                == .isNear(.coordinates(latitude: "a.lat", longitude: "a.lon"), center, meters: 1000))
        #expect(try Filter("month(\(field: "taken")) = \(6)") == .hasDatePart("taken", .month, [6...6]))
    }

    @Test(
        arguments: [
            ("\(5) = 1", 0, "path of a field"), ("a = 1 \(5)", 6, "AND or OR"), ("a \(5)", 2, "operator"),
            ("a = \(field: "b")", 4, "a value is expected here, not a path"), ("a = '\("x")'", 5, "remove the quotes"),
            ("a = \"\\\("x")\"", 6, "remove the quotes"),
            ("a = x\("y")", 5, "stand alone"), ("a = \("y")x", 4, "stand alone"), ("a = \(1)\(2)", 4, "stand alone"),
            ("exif.\("y") = 1", 5, "stand alone"), ("a matches /x\("y")/", 12, "pattern"),
            ("a = date \("2019")", 9, "date"),
            ("a in \("x")", 5, "array"), ("a ^= \(5)", 5, "string"), ("gps near \("1km"), 2, 3", 9, "number"),
            ("a size \("x")", 7, "whole number"), ("a matches \("(")", 10, "a matches"), ("search \(5)", 7, "string"),
            ("\(field: "a..b") = 1", 0, "not a valid path"), ("a = \(String(repeating: "x", count: 99)) or", nil, "…"),
        ] as [(FilterText, Int?, String)])
    func `A placeholder where no value may stand is an error with its position`(
        text: FilterText, position: Int?, part: String
    ) throws {
        let error = expectFailure(.invalidQuery, containing: part) { _ = try Filter(text) }
        if let position { #expect(error?.position == position, "\(String(describing: error))") }
        // The bound values can be read in the message.
        if part != "not a valid path" {
            #expect(error?.message.contains(text.description) == true, "\(String(describing: error))")
        }
    }

    @Test func `An invalid literal fails when the query runs`() throws {
        let schema = Schema(collections: [CollectionDefinition("c")])
        try withTemporaryStore(schema: schema) { store in
            let text: FilterText = "a >= \(1) and"
            expectFailure(.invalidQuery, containing: "a >= 1 and") { _ = try store.collection("c").find(text) }
        }
    }
}
