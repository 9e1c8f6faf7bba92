import DocIndex
import Testing

@testable import lkrepl

@Suite struct `Table renderer` {
    private typealias Cell = TableRenderer.Cell

    @Test func `Tables align text left and numbers right`() {
        let table = TableRenderer().render(
            titles: ["camera", "iso"],
            rows: [
                [Cell("X100V"), Cell("400", isNumber: true)],
                [Cell("日本 Ⅲ"), Cell("12800", isNumber: true)],
                [Cell("e\u{301}👨\u{200d}👩\u{200d}👧"), Cell("")],
                [Cell("short row")],
            ])
        #expect(
            table == """
                ┌───────────┬───────┐
                │ camera    │   iso │
                ├───────────┼───────┤
                │ X100V     │   400 │
                │ 日本 Ⅲ    │ 12800 │
                │ e\u{301}👨\u{200d}👩\u{200d}👧       │       │
                │ short row │       │
                └───────────┴───────┘

                """)
    }

    @Test func `Tables are drawn in ASCII on request`() {
        let table = TableRenderer(width: 18, border: .ascii).render(
            titles: ["k", "v"], rows: [[Cell("a"), Cell("one\ntwo three")]])
        #expect(
            table == """
                +---+------------+
                | k | v          |
                +---+------------+
                | a | one\\ntw... |
                +---+------------+

                """)
    }

    @Test func `A table without rows shows only its titles`() {
        #expect(TableRenderer().render(titles: ["a"], rows: []) == "┌───┐\n│ a │\n├───┤\n└───┘\n")
        #expect(TableRenderer().render(titles: [], rows: []).isEmpty)
    }

    @Test func `Tables shrink the widest columns to fit the terminal`() {
        let table = TableRenderer(width: 30).render(
            titles: ["id", "title", "text"],
            rows: [[Cell("a1"), Cell("the quick brown fox"), Cell("jumps over the lazy dog")]])
        #expect(
            table == """
                ┌────┬───────────┬───────────┐
                │ id │ title     │ text      │
                ├────┼───────────┼───────────┤
                │ a1 │ the quic… │ jumps ov… │
                └────┴───────────┴───────────┘

                """)
    }

    @Test func `Columns that do not fit are omitted, which is indicated`() {
        let row = ["alpha", "beta", "gamma", "delta"].map { Cell($0) }
        let table = TableRenderer(width: 22).render(titles: ["a", "b", "c", "d"], rows: [row])
        #expect(
            table == """
                ┌───────┬──────┬───┐
                │ a     │ b    │ … │
                ├───────┼──────┼───┤
                │ alpha │ beta │ … │
                └───────┴──────┴───┘
                + 2 columns did not fit; --mode line shows all

                """)
    }

    @Test(arguments: 1...120)
    func `A table is never wider than the terminal unless one column is`(width: Int) {
        let titles = ["id", "title", "日本語", "x", "description"]
        let rows = [[Cell("1", isNumber: true), Cell("写真の題名です"), Cell("👍👍"), Cell("y"), Cell("a long text, indeed")]]
        let table = TableRenderer(width: width).render(titles: titles, rows: rows)
        let lines = table.split(separator: "\n").filter { !$0.hasPrefix("+") }
        let widths = Set(lines.map { DisplayWidth.columns(of: $0) })
        #expect(widths.count == 1, "every line is as wide as the others")
        #expect((widths.max() ?? 0) <= max(width, 9))
    }

    @Test func `Tables cap the number of rows and report how many are omitted`() {
        let rows = (1...1500).map { [Cell("\($0)", isNumber: true)] }
        let table = TableRenderer(maximumRowCount: 2).render(titles: ["n"], rows: rows, omittedRowCount: 10)
        #expect(
            table == """
                ┌───┐
                │ n │
                ├───┤
                │ 1 │
                │ 2 │
                └───┘
                + 1,508 more; .last or --all shows them

                """)
    }

    @Test func `Data in a table cannot control the terminal`() {
        let table = TableRenderer().render(
            titles: ["\u{1b}]0;title\u{7}"],
            rows: [[Cell("\u{1b}[2J\u{9b}31m\r\u{202e}x\nnext")]])
        let isInert = table.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar.properties.generalCategory != .control && scalar.value != 0x202e
        }
        #expect(isInert)
        #expect(table.split(separator: "\n").count == 5)
        #expect(table.contains(#"\e[2J\u{9b}31m\r\u{202e}x⏎next"#))
    }

    @Test func `Table titles are bold only on request`() {
        let renderer = TableRenderer(isHeaderBold: true)
        #expect(renderer.render(titles: ["a"], rows: []).contains("│ \u{1b}[1ma\u{1b}[0m │"))
        #expect(!TableRenderer().render(titles: ["a"], rows: []).contains("\u{1b}"))
    }

    @Test(
        arguments: [
            ([3, 10, 20], 100, [3, 10, 20]), ([3, 10, 20], 25, [3, 10, 12]), ([3, 10, 20], 16, [3, 7, 6]),
            ([5, 5], 1, [1, 1]), ([], 0, []),
        ])
    func `Column widths shrink to one common maximum`(widths: [Int], total: Int, shrunk: [Int]) {
        #expect(TableRenderer.shrink(widths, to: total) == shrunk)
    }
}

@Suite struct `Number formatting` {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"), (.min, "-9,223,372,036,854,775,808"),
    ])
    func `Numbers are grouped by thousands`(number: Int, text: String) {
        #expect(HumanNumber.grouped(number) == text)
    }

    @Test(arguments: [
        (0, "0 keys", "0 entries"), (1, "1 key", "1 entry"), (2, "2 keys", "2 entries"),
        (1234, "1,234 keys", "1,234 entries"),
    ])
    func `A noun after a number is in the singular for one`(count: Int, keys: String, entries: String) {
        #expect(HumanNumber.counted(count, "key") == keys)
        #expect(HumanNumber.counted(count, "entry", "entries") == entries)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1550, "1.6 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (27_100_000, "27.1 MB"), (-2_000, "-2.0 kB"), (.max, "9.2 EB"), (.min, "-9.2 EB"),
        ])
    func `Byte counts have units`(count: Int, text: String) {
        #expect(HumanNumber.byteCount(count) == text)
    }

    @Test(arguments: [(0, "0:00"), (65, "1:05"), (3599, "59:59"), (3600, "1:00:00"), (360_061, "100:01:01")])
    func `Durations are formatted as clock times`(seconds: Int, text: String) {
        #expect(HumanNumber.clock(.seconds(seconds)) == text)
    }
}

@Suite struct `Output modes` {
    @Test func `Each output mode has a name`() throws {
        for mode in OutputMode.allCases { #expect(try OutputMode(named: mode.rawValue) == mode) }
        #expect(try OutputMode(named: "json-pretty") == .jsonPretty)
    }

    @Test func `An unknown output mode is rejected with a list of the names`() throws {
        let failure = try #require(throws: CommandError.self) { try OutputMode(named: "jsn") }
        #expect(failure.exitCode == .usage)
        #expect(failure.message == "unknown output mode jsn")
        #expect(
            failure.hint
                == "use one of table, line, jsonl, json, json-pretty, csv, tsv, keys, raw0, hexdump, count")
    }

    @Test func `The default output mode is table for people and JSON Lines for programs`() {
        #expect(OutputMode.standard(isTerminal: true) == .table)
        #expect(OutputMode.standard(isTerminal: false) == .jsonl)
    }

    @Test func `A table drawn before all rows are known shares spare width and truncates wide cells`() {
        let renderer = TableRenderer(width: 34)
        let layout = renderer.layout(
            titles: ["n", "text"], rows: [[TableRenderer.Cell("5", isNumber: true), TableRenderer.Cell("a")]],
            spreads: true)
        #expect(
            renderer.head(layout) == """
                ┌──────────────┬─────────────────┐
                │            n │ text            │
                ├──────────────┼─────────────────┤

                """)
        #expect(
            renderer.line(
                of: [TableRenderer.Cell("12345", isNumber: true), TableRenderer.Cell("wider than the column")], layout)
                == "│        12345 │ wider than the… │\n")
        #expect(
            renderer.foot(layout, omittedRowCount: 0, laterColumnCount: 1)
                == "└──────────────┴─────────────────┘\n+ 1 column came in later rows; --mode line shows all\n")
    }
}
