import DocIndex
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Tables of documents` {
    private static let rows: [DocumentObject] = (1...5).map { number in
        [
            "size": .int(Int64(number) * 1000), "id": .string("photo-with-a-long-name-\(number)"),
            "title": .string("Title \(number)"), "source": "camera",
            "text": .string(String(repeating: "long ", count: 30)), "tags": ["a", "b"],
        ]
    }
    private static let titles = ["size", "id", "title", "source", "text", "tags"]

    @Test(arguments: [30, 40, 60, 80, 120, 300])
    func `The ID column comes first, untruncated, and every field is shown or listed as omitted`(width: Int) {
        let style = TableStyle(content: .documents(idField: "id"), preferred: ["title"])
        let columns = ColumnSelection(of: Self.titles, rows: Self.rows, style: style, width: width)
        #expect(columns.titles.first == "id")
        #expect(Set(columns.titles + columns.omitted) == Set(Self.titles))
        #expect(columns.titles.count + columns.omitted.count == Self.titles.count)
        if width >= 60 { #expect(columns.titles.contains("title"), "\(columns)") }
        var renderer = TableRenderer()
        renderer.width = width
        renderer.wholeColumn = "id"
        let table = HeldTable(titles: Self.titles, rows: Self.rows, omittedRowCount: 0, style: style)
        let layout = renderer.layout(
            titles: columns.titles, kinds: table.kinds(of: columns.titles),
            rows: Self.rows.map { HeldTable.cells($0, columns.titles) })
        for line in renderer.head(layout).split(separator: "\n") {
            #expect(DisplayWidth.columns(of: String(line)) <= width, "\(line)")
        }
        let first = renderer.line(of: HeldTable.cells(Self.rows[0], columns.titles), layout)
        #expect(first.contains("photo-with-a-long-name-1"), "\(first)")
    }

    @Test func `A field that is the same everywhere gives way to one that differs`() {
        let style = TableStyle(content: .documents(idField: "id"))
        let columns = ColumnSelection(of: Self.titles, rows: Self.rows, style: style, width: 50)
        #expect(!columns.titles.contains("source") && columns.omitted.contains("source"), "\(columns)")
    }

    @Test func `The title of a picture is among the fields that a table has room for`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for arguments in [
                ["search", "photos.store", "photos", "bridge"], ["find", "photos.store", "photos", "keywords has sea"],
            ] {
                let shown = try place.run(
                    arguments + ["--mode", "table", "--limit", "8"], environment: ["COLUMNS": "80"])
                #expect(shown.lines.dropFirst().first?.contains("title") ?? false, "\(shown)")
                #expect(shown.lines.allSatisfy { DisplayWidth.columns(of: $0) <= 80 }, "\(shown)")
            }
        }
    }

    @Test func `A score is shown before the ID, and excerpts after the fields`() {
        let rows: [DocumentObject] = [["score": 1.5, "title": "x", "id": "a", "highlights": ["**x**"]]]
        let style = TableStyle(content: .documents(idField: "id"), pinned: ["score", "highlights"])
        let columns = ColumnSelection(
            of: ["score", "title", "id", "highlights"], rows: rows, style: style, width: 80)
        #expect(columns.titles == ["score", "id", "title", "highlights"])
    }

    @Test func `The kinds of values are named below the fields`() {
        let rows: [DocumentObject] = [["a": 1, "b": "x"], ["a": "1", "b": .null], ["a": true, "c": [1]]]
        #expect(
            ["a", "b", "c", "d"].map { ValueKinds(of: $0, in: rows).description } == ["mixed", "text", "array", ""])
        #expect(ValueKinds(of: "a", in: Array(rows.prefix(2))).description == "number/text")
    }

    @Test func `A terminal shows the ID and readable fields, and the last result again in other columns`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let prompt = "photos.store ro> "
            let terminal = try TerminalSession(["photos.store", "-q", "--no-pager"], in: place)
            try terminal.expect(prompt)
            try terminal.resize(rows: 40, columns: 80)
            let shown = try terminal.run("find photos --limit 3", prompt: prompt)
            let lines = shown.split(separator: "\r\n")
            #expect(lines.allSatisfy { DisplayWidth.columns(of: String($0)) <= 80 }, "\(shown)")
            #expect(lines.count > 2 && lines[1].contains("│ id ") && lines[2].contains("│ text "), "\(shown)")
            #expect(shown.contains("│ scan-0001 │") && shown.contains("more fields: "), "\(shown)")
            #expect(shown.contains("--wide shows all"), "\(shown)")
            let wide = try terminal.run(".last --wide", prompt: prompt)
            #expect(wide.contains("album1_p03_a.jpg") && !wide.contains("more fields"), "\(wide)")
            let chosen = try terminal.run(".last --fields id,place.city", prompt: prompt)
            #expect(chosen.contains("│ scan-0001 │ Halifax"), "\(chosen)")
            #expect(try terminal.run(".last --bogus", prompt: prompt).contains("unexpected argument --bogus"))
            let all = try terminal.run("find photos --limit 3 --wide", prompt: prompt)
            #expect(all.contains("album1_p03_a.jpg") && !all.contains("more fields"), "\(all)")
            let document = try terminal.run("doc get photos scan-0001", prompt: prompt)
            #expect(document.hasPrefix("{\r\n  \"id\": \"scan-0001\",\r\n"), "\(document)")
            try terminal.type("quit\n")
            #expect(try terminal.end() == 0)
            // Pipes get one line.
            #expect(try place.run("doc", "get", "photos.store", "photos", "scan-0001").lines.count == 1)
        }
    }

    @Test func `Every value of the chosen columns that is not long is shown whole`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let outcome = try place.shell("COLUMNS=80 lkrepl find photos.store photos --limit 20 --mode table")
            #expect(outcome.code == 0)
            let rows = outcome.lines.filter { $0.hasPrefix("│") }.map { line in
                line.split(separator: "│").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            // The names, the kinds, and twenty documents.
            try #require(rows.count >= 22 && rows[0].count >= 3, "\(outcome)")
            let plain = try place.run("find", "photos.store", "photos", "--limit", "20", "--mode", "tsv")
            for cell in rows.dropFirst(2).joined() where cell.hasSuffix("…") {
                let start = cell.dropLast()
                let whole = plain.lines.flatMap { $0.split(separator: "\t") }.filter { $0.hasPrefix(start) }
                #expect(
                    whole.contains { DisplayWidth.columns(of: String($0)) > 32 }, "\(cell) is cut from \(whole)")
            }
        }
    }

    @Test(arguments: [("", true), ("NO_COLOR=1", false), ("TERM=dumb", false)])
    func `doc get is colored at a terminal unless the environment forbids it`(variable: String, isColored: Bool) throws
    {
        try Workplace.with { place in
            try place.makePhotos()
            let pair = variable.split(separator: "=").map(String.init)
            var environment = ["TERM": "xterm"]
            if let name = pair.first { environment[name] = pair[1] }
            let terminal = try TerminalSession(
                ["doc", "get", "photos.store", "photos", "scan-0001"], in: place, environment: environment)
            let shown = try terminal.expect("\n}")
            #expect(try terminal.end() == 0)
            #expect(shown.contains("\u{1b}[36m\"id\"\u{1b}[0m") == isColored, "\(shown)")
            #expect(shown.contains("\u{1b}[") == isColored, "\(shown)")
            let piped = try place.run("doc", "get", "photos.store", "photos", "scan-0001")
            #expect(!piped.bytes.contains(0x1b))
        }
    }

    @Test func `Colored JSON differs from plain JSON only in escape sequences`() throws {
        let json = #"{"a\"b": "x:\"y\"", "n": [-1.5e3, true, null], "o": {"e": ""}}"#
        let painted = String(decoding: JSONPainter.painted(Array(json.utf8)), as: UTF8.self)
        let plain = painted.split(separator: "\u{1b}", omittingEmptySubsequences: false).enumerated().map { part in
            part.offset == 0 ? String(part.element) : String(part.element.drop { $0 != "m" }.dropFirst())
        }.joined()
        #expect(plain == json)
        #expect(painted.contains("\u{1b}[36m\"a\\\"b\"\u{1b}[0m:") && painted.contains("\u{1b}[35m-1.5e3\u{1b}[0m"))
    }
}
