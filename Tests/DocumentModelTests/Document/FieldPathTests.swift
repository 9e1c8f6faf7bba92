import DocumentModel
import TestSupport
import Testing

@Suite struct FieldPathTests {
    static let notations: [(String, [FieldPath.Step])] = [
        ("title", [.name("title")]),
        ("exif.model", [.name("exif"), .name("model")]),
        ("keywords[]", [.name("keywords"), .eachElement]),
        ("people[].name", [.name("people"), .eachElement, .name("name")]),
        ("a[][].b[].c", [.name("a"), .eachElement, .eachElement, .name("b"), .eachElement, .name("c")]),
        ("IFD0:Model", [.name("IFD0:Model")]),
        ("ExifIFD:ISO.x y", [.name("ExifIFD:ISO"), .name("x y")]),
        ("\"GPS:Latitude.x\".y", [.name("GPS:Latitude.x"), .name("y")]),
        ("\"a[]\"[]", [.name("a[]"), .eachElement]),
        (#""say \"hi\" \\".x"#, [.name(#"say "hi" \"#), .name("x")]),
        ("\"\".a", [.name(""), .name("a")]),
        (#"back\slash"#, [.name(#"back\slash"#)]),
        ("größe.名前", [.name("größe"), .name("名前")]),
        ("$lit.1", [.name("$lit"), .name("1")]),
    ]

    @Test(arguments: notations) func `A path notation parses to its steps and is printed unchanged`(
        text: String, steps: [FieldPath.Step]
    ) throws {
        let path = try FieldPath(parsing: text)
        #expect(path.steps == steps)
        #expect(path.description == text)
        #expect(path.hasArrayStep == steps.contains(.eachElement))
    }

    @Test(arguments: [
        ("", FieldPath.SyntaxError.Code.missingName, 0), (".", .missingName, 0), ("a.", .missingName, 2),
        ("a..b", .missingName, 2), (".a", .missingName, 0), ("[]", .misplacedBracket, 0),
        ("a.[]", .misplacedBracket, 2),
        ("a[", .misplacedBracket, 1), ("a[0]", .misplacedBracket, 1), ("a]", .misplacedBracket, 1),
        ("é[]x", .missingSeparator, 4), ("\"a\"b", .missingSeparator, 3), ("\"a\"\"b\"", .missingSeparator, 3),
        ("a\"b", .misplacedQuote, 1), ("x.\"a", .unterminatedQuote, 2), ("\"a\\", .unterminatedQuote, 0),
        ("é.\"a\\n\"", .invalidEscape, 5), ("\"", .unterminatedQuote, 0),
    ])
    func `A string that is not a path is rejected at the right byte`(
        text: String, code: FieldPath.SyntaxError.Code, offset: Int
    ) {
        let error = #expect(throws: FieldPath.SyntaxError.self) { try FieldPath(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test func `A path with too many steps is rejected`() throws {
        let longest = "a" + String(repeating: "[]", count: FieldPath.maximumStepCount - 1)
        #expect(try FieldPath(parsing: longest).steps.count == FieldPath.maximumStepCount)
        let error = #expect(throws: FieldPath.SyntaxError.self) { try FieldPath(parsing: longest + "[]") }
        #expect(error?.code == .tooManySteps)
        #expect(error?.offset == longest.utf8.count)
    }

    @Test(arguments: [
        (
            "a.",
            "Invalid field path at byte 2: expected a name; separate names by one dot, and write an empty name as \"\"."
        ),
        (
            "a[1]",
            "Invalid field path at byte 1: a bracket is allowed only as [] after a name; "
                + "put a name that contains brackets in double quotes."
        ),
        (
            "a\"",
            "Invalid field path at byte 1: a double quote is inside a name; put the whole name in double quotes and "
                + "write \\\" for the quote."
        ),
        (
            "a[]b",
            "Invalid field path at byte 3: expected a dot, [] or the end of the path after a quoted name or []."
        ),
        ("\"a", "Invalid field path at byte 0: the closing double quote is missing."),
        (
            "\"\\a\"",
            "Invalid field path at byte 1: a backslash in quotes must precede a double quote or a backslash; "
                + "write \\\\ for a backslash."
        ),
        (
            "a" + String(repeating: "[]", count: 128),
            "Invalid field path at byte 255: the path has more than 128 steps; shorten it."
        ),
    ])
    func `A path error states what was expected and a remedy`(text: String, description: String) {
        let error = #expect(throws: FieldPath.SyntaxError.self) { try FieldPath(parsing: text) }
        #expect(error?.description == description)
    }

    @Test func `A literal that is not a path is a precondition failure`() async {
        await #expect(processExitsWith: .failure) { _ = "a..b" as FieldPath }
    }

    @Test func `Random names survive printing and parsing`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<500 {
            let (first, second) = (generator.text(), generator.text())
            let path = FieldPath(names: first, second)
            let again = try FieldPath(parsing: path.description)
            #expect(again == path, "seed \(generator.seed)")
            #expect(again.hashValue == path.hashValue, "seed \(generator.seed)")
        }
    }

    @Test func `Paths are equal if their steps have the same bytes`() {
        #expect(("\"a\".b" as FieldPath) == "a.b")
        #expect(("\u{e9}" as FieldPath) != "e\u{301}")
        #expect(("a[]" as FieldPath) != "a")
        #expect(Set<FieldPath>(["\u{e9}", "e\u{301}", "a", "\"a\"", "a[]"]).count == 4)
    }
}

@Suite struct FieldPathEvaluationTests {
    static let document: DocumentObject = [
        "title": "Bridge", "nothing": nil,
        "gps": ["lat": 40.5, "lon": -73.5],
        "keywords": ["a", nil, ["b", "c"], "a"],
        "single": "only", "empty": [],
        "people": [["name": "Ann"], ["age": 3], ["name": nil], "Bob", ["name": ["Cy", "Di"]]],
        "person": ["name": "Eve"],
        "GPS:Latitude.x": ["y": 1], "": 0,
    ]

    @Test(
        arguments: [
            ("title", "Bridge"), ("nothing", .some(.null)), ("gps.lat", 40.5), ("gps", ["lat": 40.5, "lon": -73.5]),
            ("absent", .none), ("gps.alt", .none), ("title.x", .none), ("nothing.x", .none), ("people.name", .none),
            ("keywords.a", .none), ("\"GPS:Latitude.x\".y", 1), ("\"\"", 0), ("keywords[]", "a"), ("empty[]", .none),
            ("people[].name", "Ann"), ("person[].name", "Eve"),
        ] as [(FieldPath, DocumentValue?)])
    func `A path leads to one value or to nil`(path: FieldPath, expected: DocumentValue?) {
        #expect(path.value(in: Self.document) == expected)
        #expect(path.value(in: .object(Self.document)) == expected)
    }

    static let visits: [(FieldPath, [DocumentValue])] = [
        ("title", ["Bridge"]), ("nothing", [nil]), ("absent", []),
        ("keywords", [["a", nil, ["b", "c"], "a"]]),
        ("keywords[]", ["a", nil, ["b", "c"], "a"]),
        ("keywords[][]", ["a", "b", "c", "a"]),
        ("single[]", ["only"]), ("single[][]", ["only"]), ("empty[]", []), ("nothing[]", []), ("absent[]", []),
        ("people[].name", ["Ann", nil, ["Cy", "Di"]]),
        ("people[].name[]", ["Ann", "Cy", "Di"]),
        ("person[].name", ["Eve"]), ("person[]", [["name": "Eve"]]), ("person[][].name[]", ["Eve"]),
        ("gps[].lat[]", [40.5]), ("title[].x", []), ("people.name[]", []),
    ]

    @Test(arguments: visits) func `A path visits its elements in order`(path: FieldPath, expected: [DocumentValue]) {
        var visited: [DocumentValue] = []
        path.forEachElement(in: Self.document) { visited.append($0) }
        #expect(visited == expected)
        visited = []
        path.forEachElement(in: .object(Self.document)) { visited.append($0) }
        #expect(visited == expected)
    }

    @Test func `A value that is not an object has nothing at any path`() {
        let path: FieldPath = "a[]"
        for value in [nil, 1, "a", ["a"]] as [DocumentValue] {
            #expect(path.value(in: value) == .none)
            path.forEachElement(in: value) { _ in Issue.record("visited") }
        }
    }

    @Test func `A visit ends at the first element that satisfies, and when the body throws`() {
        struct Stop: Error, Equatable {}
        var count = 0
        let path: FieldPath = "keywords[]"
        #expect(
            path.anyElement(in: Self.document) {
                count += 1
                return $0.isNull
            })
        #expect(count == 2)
        #expect(!path.anyElement(in: Self.document) { $0 == "z" })
        #expect(throws: Stop()) { try path.forEachElement(in: Self.document) { _ throws(Stop) in throw Stop() } }
    }

    @Test func `The longest path is followed on a small stack`() {
        let steps = FieldPath.maximumStepCount - 1
        let isSound = withSmallStack {
            guard let path = try? FieldPath(parsing: "a" + String(repeating: "[]", count: steps)) else { return false }
            var nested: DocumentValue = [1]
            for _ in 1..<steps { nested = [nil, nested] }
            let document: DocumentObject = ["a": nested]
            var names = FieldNames()
            guard let body = try? BodyEncoder.encode(.object(document), names: &names),
                let reader = try? BodyReader(body.span, names: names)
            else { return false }
            return path.value(in: document) == 1 && (try? reader.value(at: path)) == 1
        }
        #expect(isSound == true)
    }
}
