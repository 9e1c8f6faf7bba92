import DocIndex

/// The names of columns in order of first occurrence.
struct ColumnTitles {
    private(set) var names: [String] = []
    private var seen: Set<[UInt8]> = []

    /// Adds the columns of a row.
    mutating func add(_ row: DocumentObject) {
        for member in row where seen.insert(Array(member.name.utf8)).inserted { names.append(member.name) }
    }
}

/// The rows of one result, before they are drawn, and afterwards for `.last`.
struct HeldTable: Sendable {
    var titles: [String]
    var rows: [DocumentObject]
    /// The number of rows that were found but not kept.
    var omittedRowCount: Int
    var style = TableStyle()
    /// Whether the columns were requested, so that all are shown.
    var hasRequestedColumns = false

    /// The columns of rows in order of first occurrence.
    static func titles(of rows: [DocumentObject]) -> [String] {
        var titles = ColumnTitles()
        for row in rows { titles.add(row) }
        return titles.names
    }

    /// The table as text.
    ///
    /// - Parameter rowLimit: The maximum number of rows to draw; `nil` for all kept rows.
    func text(for output: StandardOutput, rowLimit: Int?) -> String {
        let renderer = Self.renderer(
            for: output, rowLimit: rowLimit, canShowMore: rowLimit.map { $0 < rows.count } ?? false, style: style)
        let columns = columns(in: renderer.width)
        let drawn = rows.prefix(rowLimit ?? rows.count)
        let cells = drawn.map { Self.cells($0, columns.titles) }
        let layout = renderer.layout(titles: columns.titles, kinds: kinds(of: columns.titles), rows: cells)
        guard !columns.titles.isEmpty else { return "" }
        var text = renderer.head(layout)
        for row in cells { text += renderer.line(of: row, layout) }
        return text + renderer.foot(layout, omittedRowCount: rows.count - drawn.count + omittedRowCount)
            + Self.note(on: columns.omitted, width: renderer.width)
    }

    /// The columns to show.
    func columns(in width: Int?) -> ColumnSelection {
        var style = style
        if hasRequestedColumns { style.content = .rows }
        return ColumnSelection(of: titles, rows: rows, style: style, width: width)
    }

    /// The kinds of the values of columns; empty for rows that are not documents.
    func kinds(of titles: [String]) -> [String] {
        guard style.idField != nil else { return [] }
        return titles.map { ValueKinds(of: $0, in: rows).description }
    }

    /// A copy with other columns of the same rows.
    ///
    /// - Parameters:
    ///   - isWide: Whether all columns are shown in full.
    ///   - paths: The columns; `nil` for the columns of the table.
    func showing(isWide: Bool, _ paths: [FieldPath]?) -> HeldTable {
        var table = self
        table.style.isWide = isWide
        guard let paths else { return table }
        let selection = RowSelection.only(paths)
        table.rows = rows.map { selection.row(of: $0) }
        table.titles = paths.map(\.description)
        table.hasRequestedColumns = true
        return table
    }

    /// The line below a table that names the fields without a column; empty for none.
    static func note(on omitted: [String], width: Int?) -> String {
        guard !omitted.isEmpty else { return "" }
        let shown = omitted.prefix(12).map { VisibleText.singleLine($0) }.joined(separator: ", ")
        let rest = omitted.count > 12 ? " and \(HumanNumber.counted(omitted.count - 12, "other"))" : ""
        let text =
            "\(HumanNumber.counted(omitted.count, "more field")): \(shown)\(rest); --wide shows all, "
            + "--fields a,b chooses"
        return WrappedText(width: width ?? 80).lines(of: text).map { $0 + "\n" }.joined()
    }

    /// The renderer for a table on an output.
    ///
    /// - Parameter canShowMore: Whether rows beyond the limit are kept.
    static func renderer(
        for output: StandardOutput, rowLimit: Int?, canShowMore: Bool, style: TableStyle = TableStyle()
    ) -> TableRenderer {
        var table = TableRenderer()
        if !style.isWide {
            table.width = Terminal.width(of: output.descriptor.rawValue, otherwise: output.isTerminal ? 80 : 120)
        }
        table.isHeaderBold = Terminal.takesStyle(output.descriptor.rawValue)
        table.wholeColumn = style.idField
        table.maximumRowCount = rowLimit
        table.moreHint =
            canShowMore
            ? LastTable.current == nil ? "--all shows them" : ".last or --all shows them"
            : "use --limit, or --mode jsonl"
        return table
    }

    /// The cells of a row in the order of `titles`.
    static func cells(_ row: DocumentObject, _ titles: [String]) -> [TableRenderer.Cell] {
        titles.map { name in row[name].map(ResultWriter.cell) ?? .init("") }
    }
}
