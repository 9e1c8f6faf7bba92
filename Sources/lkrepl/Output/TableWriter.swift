import Dispatch
import DocIndex

/// Draws the rows of one result as a table.
///
/// The widths of the columns come from the rows, so a table is drawn when all of them are there. Two things draw it earlier,
/// by the rows that came until then, and each later row as it comes: a result that is slow at a terminal
/// (``drawWhatIsThere()``), and one of which all is to be shown, so that it need not be held.
final class TableWriter: @unchecked Sendable {
    // Unchecked: what changes is used by the command and by the thread of a ``RowTicker``, each under the lock.
    private let access = DispatchSemaphore(value: 1)
    private let output: StandardOutput
    /// The columns that were asked for; `nil` for those that the rows have.
    private let columns: [String]?
    /// How many rows are drawn; `nil` for all.
    private let rowLimit: Int?
    /// How many rows are held, to learn the columns from them and for `.last`.
    private let heldRowCount: Int
    private let renderer: TableRenderer
    private var held: [DocumentObject] = []
    private var rowCount = 0
    /// What the rows are drawn by; `nil` as long as nothing is drawn.
    private var begun: (titles: [String], layout: TableRenderer.Layout)?
    private var drawnCount = 0
    /// Columns that came when it was too late for them.
    private var laterColumns: Set<[UInt8]> = []
    private var isFinished = false

    /// - Parameter columns: the columns that were asked for; `nil` for those that the rows have.
    init(output: StandardOutput, columns: [String]?, rowLimit: Int?, heldRowCount: Int) {
        self.output = output
        self.columns = columns
        self.rowLimit = rowLimit
        self.heldRowCount = heldRowCount
        renderer = HeldTable.renderer(
            for: output, rowLimit: rowLimit, canShowMore: rowLimit.map { $0 < heldRowCount } ?? false)
    }

    /// Takes a row.
    func add(_ row: DocumentObject) throws(WriteFailure) {
        access.wait()
        defer { access.signal() }
        rowCount += 1
        if held.count < heldRowCount { held.append(row) }
        if begun != nil {
            try draw(row)
        } else if rowLimit == nil, held.count == heldRowCount {
            try begin()
        }
    }

    /// Draws the rows that came until now, and from now on each as it comes; nothing before the first, and nothing at the
    /// end, where they are drawn anyway. Returns whether there is a table on the screen, which lines may stand below.
    func drawWhatIsThere() throws(WriteFailure) -> Bool {
        access.wait()
        defer { access.signal() }
        guard !isFinished else { return false }
        if begun == nil, rowCount > 0 { try begin(spreads: true) }
        try output.flush()
        return begun != nil
    }

    /// Draws what is not drawn yet, and ends the table.
    func finish(tellsOfNothing: Bool) throws(WriteFailure) {
        access.wait()
        defer { access.signal() }
        isFinished = true
        guard rowCount > 0 else {
            if tellsOfNothing { StandardError.shared.write("(nothing found)\n") }
            return
        }
        let table = HeldTable(
            titles: begun?.titles ?? columns ?? HeldTable.titles(of: held), rows: held,
            omittedRowCount: rowCount - held.count)
        Session.shell?.lastTable = table
        guard let begun else { return try output.write(table.text(for: output, rowLimit: rowLimit)) }
        var renderer = renderer
        if drawnCount < rowCount, held.count <= drawnCount { renderer.moreHint = "use --limit, or --mode jsonl" }
        try output.write(
            renderer.foot(
                begun.layout, omittedRowCount: rowCount - drawnCount, laterColumnCount: laterColumns.count))
    }

    // MARK: - Rows

    private func begin(spreads: Bool = false) throws(WriteFailure) {
        let titles = columns ?? HeldTable.titles(of: held)
        let rows = held.prefix(rowLimit ?? held.count).map { HeldTable.cells($0, titles) }
        let layout = renderer.layout(titles: titles, rows: rows, spreads: spreads)
        begun = (titles, layout)
        try output.write(renderer.head(layout))
        for row in rows { try output.write(renderer.line(of: row, layout)) }
        drawnCount = rows.count
    }

    private func draw(_ row: DocumentObject) throws(WriteFailure) {
        guard let begun else { return }
        if columns == nil {
            for member in row where !begun.titles.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
                laterColumns.insert(Array(member.name.utf8))
            }
        }
        guard drawnCount < rowLimit ?? .max else { return }
        drawnCount += 1
        try output.write(renderer.line(of: HeldTable.cells(row, begun.titles), begun.layout))
    }
}
