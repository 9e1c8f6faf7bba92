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
            for: output, rowLimit: rowLimit, canShowMore: rowLimit.map { $0 < rows.count } ?? false)
        return renderer.render(
            titles: titles, rows: rows.map { Self.cells($0, titles) }, omittedRowCount: omittedRowCount)
    }

    /// The renderer for a table on an output.
    ///
    /// - Parameter canShowMore: Whether rows beyond the limit are kept.
    static func renderer(for output: StandardOutput, rowLimit: Int?, canShowMore: Bool) -> TableRenderer {
        var table = TableRenderer()
        table.width = Terminal.width(of: output.descriptor.rawValue, otherwise: output.isTerminal ? 80 : 120)
        table.isHeaderBold = Terminal.takesStyle(output.descriptor.rawValue)
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
