import Dispatch
import DocIndex

/// Draws the rows of one result as a table.
///
/// The column widths depend on the rows, so a table is normally drawn when all rows are known. It is drawn earlier,
/// based on the rows so far and then row by row, if a result is slow at a terminal (``drawWhatIsThere()``), or if all
/// rows are to be shown, so that they need not be kept.
final class TableWriter: @unchecked Sendable {
    // Unchecked: mutable state is used by the command and the thread of a ``Ticker``, always under the lock.
    private let access = DispatchSemaphore(value: 1)
    private let output: StandardOutput
    /// The requested columns; `nil` for the fields of the rows.
    private let columns: [String]?
    /// The maximum number of rows to draw; `nil` for all.
    private let rowLimit: Int?
    /// The number of rows to keep, for the columns and for `.last`.
    private let heldRowCount: Int
    private let renderer: TableRenderer
    private let style: TableStyle
    private var held: [DocumentObject] = []
    private var rowCount = 0
    /// The columns and layout in use, and the names of all columns; `nil` before drawing begins.
    private var begun: (columns: ColumnSelection, layout: TableRenderer.Layout)?
    private var drawnCount = 0
    /// Columns that first occurred after drawing began.
    private var laterColumns: Set<[UInt8]> = []
    private var isFinished = false

    /// - Parameter columns: The requested columns; `nil` for the fields of the rows.
    init(
        output: StandardOutput, columns: [String]?, rowLimit: Int?, heldRowCount: Int, style: TableStyle = TableStyle()
    ) {
        self.output = output
        self.columns = columns
        self.rowLimit = rowLimit
        self.heldRowCount = heldRowCount
        self.style = style
        renderer = HeldTable.renderer(
            for: output, rowLimit: rowLimit, canShowMore: rowLimit.map { $0 < heldRowCount } ?? false, style: style)
    }

    /// Adds a row.
    func add(_ row: DocumentObject) throws(WriteError) {
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

    /// Draws the current rows, and from then on each new row immediately. Does nothing before the first row or after
    /// the end. Returns whether there is a table on the screen, below which lines may appear.
    func drawWhatIsThere() throws(WriteError) -> Bool {
        access.wait()
        defer { access.signal() }
        guard !isFinished else { return false }
        if begun == nil, rowCount > 0 { try begin(spreads: true) }
        try output.flush()
        return begun != nil
    }

    /// Draws the remaining rows and the end of the table.
    func finish() throws(WriteError) {
        access.wait()
        defer { access.signal() }
        isFinished = true
        guard rowCount > 0 else { return }
        let table = table
        LastTable.current?.table = table
        guard let begun else { return try output.write(table.text(for: output, rowLimit: rowLimit)) }
        var renderer = renderer
        if drawnCount < rowCount, held.count <= drawnCount { renderer.moreHint = "use --limit, or --mode jsonl" }
        try output.write(
            renderer.foot(
                begun.layout, omittedRowCount: rowCount - drawnCount, laterColumnCount: laterColumns.count)
                + HeldTable.note(on: begun.columns.omitted, width: renderer.width))
    }

    /// The rows so far.
    private var table: HeldTable {
        HeldTable(
            titles: columns ?? HeldTable.titles(of: held), rows: held, omittedRowCount: rowCount - held.count,
            style: style, hasRequestedColumns: columns != nil)
    }

    // MARK: - Rows

    private func begin(spreads: Bool = false) throws(WriteError) {
        let table = table
        let columns = table.columns(in: renderer.width)
        let rows = held.prefix(rowLimit ?? held.count).map { HeldTable.cells($0, columns.titles) }
        let layout = renderer.layout(
            titles: columns.titles, kinds: table.kinds(of: columns.titles), rows: rows, spreads: spreads)
        begun = (columns, layout)
        try output.write(renderer.head(layout))
        for row in rows { try output.write(renderer.line(of: row, layout)) }
        drawnCount = rows.count
    }

    private func draw(_ row: DocumentObject) throws(WriteError) {
        guard let begun else { return }
        if columns == nil {
            let known = begun.columns.titles + begun.columns.omitted
            for member in row where !known.contains(where: { $0.hasSameBytes(as: member.name) }) {
                laterColumns.insert(Array(member.name.utf8))
            }
        }
        guard drawnCount < rowLimit ?? .max else { return }
        drawnCount += 1
        try output.write(renderer.line(of: HeldTable.cells(row, begun.columns.titles), begun.layout))
    }
}
