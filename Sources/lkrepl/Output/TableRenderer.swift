/// Draws rows as a box table for a terminal.
///
/// Cells come from the database and are not trusted: they pass through ``VisibleText``, so that they stay on one line
/// and can never send an escape sequence.
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
        /// Whether the text ends at the right edge of its column, as numbers do.
        var isNumber: Bool

        init(_ text: String, isNumber: Bool = false) {
            self.text = text
            self.isNumber = isNumber
        }
    }

    /// The columns of the terminal that the table must fit into; `nil` for as wide as the cells are.
    var width: Int?
    var border = Border.unicode
    /// How many rows are drawn; `nil` for all.
    var maximumRowCount: Int?
    /// What a reader can do to see the rows that are left out.
    var moreHint = ".last or --all shows them"
    /// Whether titles are bold, which takes escape sequences: for terminals only.
    var isHeaderBold = false

    /// The table of `rows` under `titles`, each line with its newline; empty without titles.
    ///
    /// A row may have fewer cells than there are titles; cells beyond the titles are not drawn. Too wide a table is
    /// fitted by shrinking its widest columns first, and then by leaving out columns at its right.
    ///
    /// - Parameter omittedRowCount: Rows that the caller has not even collected; they count as left out.
    /// - Complexity: O(size of the cells drawn).
    func render(titles: [String], rows: [[Cell]], omittedRowCount: Int = 0) -> String {
        guard !titles.isEmpty else { return "" }
        let drawn = rows.prefix(maximumRowCount ?? rows.count)
        var columns = titles.enumerated().map { index, title in
            Column(title: visible(title), cells: drawn.map { index < $0.count ? visible($0[index]) : Cell("") })
        }
        let omittedColumnCount = fit(&columns)

        var output = line(border.top, columns)
        output += row(columns.map { Cell($0.title, isNumber: $0.isNumeric) }, columns, isHeader: true)
        output += line(border.middle, columns)
        for index in drawn.indices {
            output += row(columns.map { $0.cells[index] }, columns, isHeader: false)
        }
        output += line(border.bottom, columns)
        output += footnotes(omittedRowCount: rows.count - drawn.count + omittedRowCount, omittedColumnCount)
        return output
    }

    /// The line that tells how many rows a result has, such as `1,234 rows (40 shown)`, without a newline.
    static func rowCountFooter(rowCount: Int, shownCount: Int) -> String {
        let count = "\(HumanNumber.grouped(rowCount)) \(rowCount == 1 ? "row" : "rows")"
        return shownCount == rowCount ? count : "\(count) (\(HumanNumber.grouped(shownCount)) shown)"
    }
}

// MARK: - Borders

extension TableRenderer {
    /// The characters that a table is drawn with.
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
        /// Stands for what was cut off a cell.
        var ellipsis: String
        /// Stands for a line feed within a cell.
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

// MARK: - Layout

extension TableRenderer {
    private struct Column {
        var title: String
        var cells: [Cell]
        var width: Int

        init(title: String, cells: [Cell]) {
            self.title = title
            self.cells = cells
            width = cells.reduce(max(1, DisplayWidth.columns(of: title))) { max($0, DisplayWidth.columns(of: $1.text)) }
        }

        /// Whether the title stands at the right, above numbers.
        var isNumeric: Bool {
            cells.contains(where: \.isNumber) && cells.allSatisfy { $0.isNumber || $0.text.isEmpty }
        }
    }

    /// Narrower than this, a column tells nothing.
    private static let minimumColumnWidth = 4

    /// Sets the widths of the columns so that the table fits; returns how many columns it had to leave out.
    private func fit(_ columns: inout [Column]) -> Int {
        guard let width else { return 0 }
        // Each column has a space at both sides and a border at its left; the last has one at its right.
        func available(for count: Int) -> Int { width - 3 * count - 1 }
        func leastWidth(_ columns: [Column]) -> Int {
            columns.reduce(0) { $0 + min($1.width, Self.minimumColumnWidth) }
        }

        var omittedCount = 0
        if leastWidth(columns) > available(for: columns.count), columns.count > 1 {
            let stub = Column(
                title: border.ellipsis,
                cells: Array(repeating: Cell(border.ellipsis), count: columns[0].cells.count))
            repeat {
                columns.removeLast()
                omittedCount += 1
            } while columns.count > 1
                && leastWidth(columns) + stub.width > available(for: columns.count + 1)
            columns.append(stub)
        }

        let widths = Self.shrink(columns.map(\.width), to: available(for: columns.count))
        for index in columns.indices { columns[index].width = widths[index] }
        return omittedCount
    }

    /// `widths` with the widest cut to one common width, so that the sum is `total` or, for lack of room, one each.
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

    private func line(_ line: Border.Line, _ columns: [Column]) -> String {
        let strokes = columns.map { String(repeating: line.stroke, count: $0.width + 2) }
        return line.left + strokes.joined(separator: line.crossing) + line.right + "\n"
    }

    private func row(_ cells: [Cell], _ columns: [Column], isHeader: Bool) -> String {
        var output = border.vertical
        for (cell, column) in zip(cells, columns) {
            let text = DisplayWidth.truncated(cell.text, to: column.width, ellipsis: border.ellipsis)
            let padding = String(repeating: " ", count: column.width - DisplayWidth.columns(of: text))
            let styled = isHeader && isHeaderBold ? "\u{1b}[1m\(text)\u{1b}[0m" : text
            output += cell.isNumber ? " \(padding)\(styled) " : " \(styled)\(padding) "
            output += border.vertical
        }
        return output + "\n"
    }

    private func footnotes(omittedRowCount: Int, _ omittedColumnCount: Int) -> String {
        var output = ""
        if omittedRowCount > 0 {
            output += "+ \(HumanNumber.grouped(omittedRowCount)) more; \(moreHint)\n"
        }
        if omittedColumnCount > 0 {
            let noun = omittedColumnCount == 1 ? "column" : "columns"
            output += "+ \(omittedColumnCount) \(noun) did not fit; --mode line shows them\n"
        }
        return output
    }
}
