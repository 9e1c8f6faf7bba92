import DocIndex

/// The names of columns in the order in which rows bring them.
struct ColumnTitles {
    private(set) var names: [String] = []
    private var seen: Set<[UInt8]> = []

    /// Takes the columns of a row.
    mutating func add(_ row: DocumentObject) {
        for member in row where seen.insert(Array(member.name.utf8)).inserted { names.append(member.name) }
    }
}

/// The rows of one result, before they are drawn, and for `.last` after it.
struct HeldTable: Sendable {
    var titles: [String]
    var rows: [DocumentObject]
    /// Rows that were found and not held.
    var omittedRowCount: Int

    /// The columns of rows in the order in which the rows bring them.
    static func titles(of rows: [DocumentObject]) -> [String] {
        var titles = ColumnTitles()
        for row in rows { titles.add(row) }
        return titles.names
    }

    /// The table as text.
    ///
    /// - Parameter rowLimit: how many rows are drawn at most; `nil` for all that are held.
    func text(for output: StandardOutput, rowLimit: Int?) -> String {
        let renderer = Self.renderer(
            for: output, rowLimit: rowLimit, canShowMore: rowLimit.map { $0 < rows.count } ?? false)
        return renderer.render(
            titles: titles, rows: rows.map { Self.cells($0, titles) }, omittedRowCount: omittedRowCount)
    }

    /// How a table is drawn on an output.
    ///
    /// - Parameter canShowMore: whether the rows beyond the limit are held.
    static func renderer(for output: StandardOutput, rowLimit: Int?, canShowMore: Bool) -> TableRenderer {
        var table = TableRenderer()
        table.width = Terminal.width(of: output.descriptor.rawValue, otherwise: output.isTerminal ? 80 : 120)
        table.isHeaderBold = Terminal.takesStyle(output.descriptor.rawValue)
        table.maximumRowCount = rowLimit
        table.moreHint =
            canShowMore
            ? Session.shell == nil ? "--all shows them" : ".last or --all shows them" : "use --limit, or --mode jsonl"
        return table
    }

    /// A row under titles.
    static func cells(_ row: DocumentObject, _ titles: [String]) -> [TableRenderer.Cell] {
        titles.map { name in row[name].map(ResultWriter.cell) ?? .init("") }
    }
}
