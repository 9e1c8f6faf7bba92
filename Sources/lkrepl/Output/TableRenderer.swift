import DocIndex

/// Draws rows as a box table for a terminal.
///
/// Cells contain untrusted data: they are passed through ``VisibleText``, so that they stay on one line and cannot send
/// escape sequences.
///
/// ```
/// ┌────────────┬─────┐
/// │ camera     │ iso │
/// ├────────────┼─────┤
/// │ X100V      │ 400 │
/// └────────────┴─────┘
/// ```
struct TableRenderer: Sendable {
    /// One field of a row.
    struct Cell: Hashable, Sendable {
        var text: String
        /// Whether the text is right-aligned, like numbers.
        var isNumber: Bool

        init(_ text: String, isNumber: Bool = false) {
            self.text = text
            self.isNumber = isNumber
        }
    }

    /// The maximum width of the table in columns; `nil` for no limit.
    var width: Int?
    var border = Border.unicode
    /// The maximum number of rows; `nil` for all.
    var maximumRowCount: Int?
    /// The hint on how to see omitted rows.
    var moreHint = ".last or --all shows them"
    /// Whether titles are bold, which needs escape sequences and thus a terminal.
    var isHeaderBold = false
    /// The title of the column that is shown in full if possible; `nil` for none.
    var wholeColumn: String?

    /// The table of `rows` under `titles`, each line with its newline; empty without titles.
    ///
    /// Rows may have fewer cells than there are titles; excess cells are ignored. A table that is too wide is fitted by
    /// shrinking its widest columns first, and then by omitting columns at the right.
    ///
    /// - Parameter omittedRowCount: The number of rows that the caller did not keep; they count as omitted.
    /// - Complexity: O(size of the drawn cells).
    func render(titles: [String], rows: [[Cell]], omittedRowCount: Int = 0) -> String {
        guard !titles.isEmpty else { return "" }
        let drawn = rows.prefix(maximumRowCount ?? rows.count)
        let layout = layout(titles: titles, rows: drawn)
        var output = head(layout)
        for cells in drawn { output += line(of: cells, layout) }
        return output + foot(layout, omittedRowCount: rows.count - drawn.count + omittedRowCount)
    }
}

// MARK: - Borders

extension TableRenderer {
    /// The characters that form a table.
    struct Border: Hashable, Sendable {
        /// The ends, crossings and strokes of a horizontal line.
        struct Line: Hashable, Sendable {
            var left: String
            var crossing: String
            var right: String
            var stroke: String
        }

        var top: Line
        var middle: Line
        var bottom: Line
        var vertical: String
        /// Replaces the end of a truncated cell.
        var ellipsis: String
        /// Replaces a line feed in a cell.
        var newline: String

        static let unicode = Border(
            top: Line(left: "┌", crossing: "┬", right: "┐", stroke: "─"),
            middle: Line(left: "├", crossing: "┼", right: "┤", stroke: "─"),
            bottom: Line(left: "└", crossing: "┴", right: "┘", stroke: "─"),
            vertical: "│", ellipsis: "…", newline: "⏎")

        /// For terminals and logs without Unicode.
        static let ascii = {
            let line = Line(left: "+", crossing: "+", right: "+", stroke: "-")
            return Border(top: line, middle: line, bottom: line, vertical: "|", ellipsis: "...", newline: "\\n")
        }()
    }
}

// MARK: - Parts

extension TableRenderer {
    /// The columns of a table and their widths, for drawing its head, rows and foot.
    struct Layout: Hashable, Sendable {
        fileprivate var columns: [Column]
        /// The number of columns at the right that did not fit.
        fileprivate var omittedColumnCount = 0
    }

    /// Computes a layout for the given rows.
    ///
    /// - Parameter spreads: Whether spare width is distributed among the columns, for later rows that are not known
    ///   yet.
    /// - Parameter kinds: The text below each title; empty for none.
    func layout(
        titles: [String], kinds: [String] = [], rows: some Sequence<[Cell]>, spreads: Bool = false
    ) -> Layout {
        var columns = titles.map { title in
            Column(title: visible(title), isWhole: wholeColumn.map { $0.hasSameBytes(as: title) } ?? false)
        }
        for (index, kind) in zip(columns.indices, kinds) { columns[index].add(kind: kind) }
        for row in rows {
            for (index, cell) in zip(columns.indices, row) { columns[index].admit(visible(cell)) }
        }
        var layout = Layout(columns: columns)
        fit(&layout)
        if spreads { spread(&layout) }
        return layout
    }

    /// The titles and kinds, and the lines above and below them.
    func head(_ layout: Layout) -> String {
        let titles = layout.columns.map { Cell($0.title, isNumber: $0.isNumeric) }
        let kinds = layout.columns.map { Cell($0.kind, isNumber: $0.isNumeric) }
        return line(border.top, layout) + row(titles, layout, style: "1")
            + (kinds.allSatisfy { $0.text.isEmpty } ? "" : row(kinds, layout, style: "2"))
            + line(border.middle, layout)
    }

    /// One row; cells wider than their columns are truncated.
    func line(of cells: [Cell], _ layout: Layout) -> String {
        var cells = cells.prefix(layout.columns.count).map(visible)
        while cells.count < layout.columns.count { cells.append(Cell("")) }
        if layout.omittedColumnCount > 0 { cells[cells.count - 1] = Cell(border.ellipsis) }
        return row(cells, layout)
    }

    /// The line below the last row, and notes on omitted rows and columns.
    func foot(_ layout: Layout, omittedRowCount: Int, laterColumnCount: Int = 0) -> String {
        line(border.bottom, layout)
            + footnotes(
                omittedRowCount: omittedRowCount, layout.omittedColumnCount, laterColumnCount: laterColumnCount)
    }
}

// MARK: - Layout

extension TableRenderer {
    fileprivate struct Column: Hashable, Sendable {
        var title: String
        /// The text below the title.
        private(set) var kind = ""
        var width: Int
        /// Whether the column is shown in full if possible.
        var isWhole = false
        private var hasNumbers = false
        private var hasTexts = false

        init(title: String, isWhole: Bool = false) {
            self.title = title
            self.isWhole = isWhole
            width = max(1, DisplayWidth.columns(of: title))
        }

        mutating func add(kind: String) {
            self.kind = kind
            width = max(width, DisplayWidth.columns(of: kind))
        }

        /// Extends the column to fit a cell.
        mutating func admit(_ cell: Cell) {
            width = max(width, DisplayWidth.columns(of: cell.text))
            if cell.isNumber { hasNumbers = true } else if !cell.text.isEmpty { hasTexts = true }
        }

        /// Whether the title is right-aligned, above numbers.
        var isNumeric: Bool { hasNumbers && !hasTexts }
    }

    /// Narrower columns would be unreadable.
    private static let minimumColumnWidth = 4
    /// The width that suffices for most numbers and dates.
    private static let ampleColumnWidth = 12

    /// The width available for cells: each column has a space at both sides and a border at its left, the last one also
    /// at its right.
    private func available(for count: Int, in width: Int) -> Int { width - 3 * count - 1 }

    /// Sets the widths of the columns so that the table fits, and omits columns if necessary.
    private func fit(_ layout: inout Layout) {
        guard let width else { return }
        func leastWidth(_ columns: [Column]) -> Int {
            columns.reduce(0) { $0 + min($1.width, Self.minimumColumnWidth) }
        }

        var columns = layout.columns
        if leastWidth(columns) > available(for: columns.count, in: width), columns.count > 1 {
            let stub = Column(title: border.ellipsis)
            repeat {
                columns.removeLast()
                layout.omittedColumnCount += 1
            } while columns.count > 1
                && leastWidth(columns) + stub.width > available(for: columns.count + 1, in: width)
            columns.append(stub)
        }

        // Whole columns keep their width if the others keep a readable one.
        let room = available(for: columns.count, in: width)
        let whole = columns.indices.filter { columns[$0].isWhole }.reduce(0) { $0 + columns[$1].width }
        let keepsWhole = whole + leastWidth(columns.filter { !$0.isWhole }) <= room
        let shrunk = columns.indices.filter { !keepsWhole || !columns[$0].isWhole }
        let widths = Self.shrink(shrunk.map { columns[$0].width }, to: keepsWhole ? room - whole : room)
        for (index, width) in zip(shrunk, widths) { columns[index].width = width }
        layout.columns = columns
    }

    /// Distributes the spare width: first until each column has an ample width, then among columns of text.
    private func spread(_ layout: inout Layout) {
        guard let width, layout.omittedColumnCount == 0 else { return }
        var spare =
            available(for: layout.columns.count, in: width) - layout.columns.reduce(0) { $0 + $1.width }
        func share(_ isMeant: (Column) -> Bool) {
            while spare > 0, layout.columns.contains(where: isMeant) {
                for index in layout.columns.indices where spare > 0 && isMeant(layout.columns[index]) {
                    layout.columns[index].width += 1
                    spare -= 1
                }
            }
        }
        share { $0.width < Self.ampleColumnWidth }
        share { !$0.isNumeric }
    }

    /// `widths` with the widest values reduced to a common width, so that the sum is `total`, or one each if there is
    /// no room.
    static func shrink(_ widths: [Int], to total: Int) -> [Int] {
        guard widths.reduce(0, +) > total else { return widths }
        func sum(limitedTo limit: Int) -> Int { widths.reduce(0) { $0 + min($1, limit) } }
        var (low, high) = (1, widths.max() ?? 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if sum(limitedTo: middle) <= total { low = middle } else { high = middle - 1 }
        }
        var spare = max(0, total - sum(limitedTo: low))
        return widths.map { width in
            guard width > low, spare > 0 else { return min(width, low) }
            spare -= 1
            return low + 1
        }
    }

    // MARK: Drawing

    private func visible(_ text: String) -> String {
        VisibleText.singleLine(text, newline: border.newline)
    }

    private func visible(_ cell: Cell) -> Cell {
        Cell(visible(cell.text), isNumber: cell.isNumber)
    }

    private func line(_ line: Border.Line, _ layout: Layout) -> String {
        let strokes = layout.columns.map { String(repeating: line.stroke, count: $0.width + 2) }
        return line.left + strokes.joined(separator: line.crossing) + line.right + "\n"
    }

    /// One line of cells.
    ///
    /// - Parameter style: The parameters of an escape sequence for the text; `nil` for none.
    private func row(_ cells: [Cell], _ layout: Layout, style: String? = nil) -> String {
        var output = border.vertical
        for (cell, column) in zip(cells, layout.columns) {
            let text = DisplayWidth.truncated(cell.text, to: column.width, ellipsis: border.ellipsis)
            let padding = String(repeating: " ", count: column.width - DisplayWidth.columns(of: text))
            let styled = style.map { isHeaderBold ? "\u{1b}[\($0)m\(text)\u{1b}[0m" : text } ?? text
            output += cell.isNumber ? " \(padding)\(styled) " : " \(styled)\(padding) "
            output += border.vertical
        }
        return output + "\n"
    }

    private func footnotes(omittedRowCount: Int, _ omittedColumnCount: Int, laterColumnCount: Int) -> String {
        var output = ""
        if omittedRowCount > 0 {
            output += "+ \(HumanNumber.grouped(omittedRowCount)) more; \(moreHint)\n"
        }
        if omittedColumnCount > 0 {
            output += "+ \(HumanNumber.counted(omittedColumnCount, "column")) did not fit; --mode line shows all\n"
        }
        if laterColumnCount > 0 {
            output +=
                "+ \(HumanNumber.counted(laterColumnCount, "column")) came in later rows; --mode line shows all\n"
        }
        return output
    }
}
