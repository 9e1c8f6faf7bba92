/// The values at one path in all documents of a collection, in memory: for each row, the number of its value in a
/// dictionary of encoded values.
struct ValueColumn: Sendable {
    /// What the number in the cell of a row means. Higher ones are the number of a value plus ``first``.
    enum Cell {
        /// The row has changed, or was never read.
        static let unknown: UInt32 = 0
        /// There is no document in the row.
        static let noDocument: UInt32 = 1
        /// The document has no value at the path.
        static let noValue: UInt32 = 2
        /// The cell of the first value in the dictionary.
        static let first = 3
        /// Cells from here on are the places of lists, plus this.
        static let firstList: UInt32 = 1 << 31
    }

    let path: FieldPath
    /// The cells by row, the first of which belongs to no row.
    private(set) var cells: [UInt32] = []
    /// The rows below the number of cells that are unknown, in any order.
    private(set) var unknownRows: [UInt32] = []
    /// The encoded values. Those that no document has any more stay.
    private(set) var values = ByteDictionary()
    /// For a path with `[]`: the number of values of a document, followed by the number of each.
    private var lists: [UInt32] = []

    init(_ path: FieldPath) { self.path = path }

    /// The memory in bytes.
    var byteCount: Int { cells.capacity * 4 + lists.capacity * 4 + unknownRows.capacity * 4 + values.byteCount }

    /// Whether every row up to a number of cells is known.
    func isComplete(cellCount: Int) -> Bool { unknownRows.isEmpty && cells.count >= cellCount }

    /// Calls `body` with the number of each distinct value of a row.
    @inline(__always)
    func forEachValue(inCell cell: UInt32, _ body: (Int) throws -> Void) rethrows {
        if cell < UInt32(Cell.first) { return }
        if cell < Cell.firstList { return try body(Int(cell) - Cell.first) }
        let place = Int(cell - Cell.firstList)
        for offset in 0..<Int(lists[place]) { try body(Int(lists[place + 1 + offset])) }
    }

    /// Returns the value of a row at a path without `[]`; `nil` if it has none.
    func value(_ row: Int, _ names: FieldNames) throws(BodyError) -> DocumentValue? {
        let number = Int(cells[row]) - Cell.first
        if number < 0 { return nil }
        return try BodyDecoder.value(values[number], names: names)
    }

    // MARK: - Changes

    /// Gives back memory that was reserved for more documents.
    mutating func trim() {
        values.trim()
        lists = Array(lists[...])
    }

    /// Adds cells of rows without a document up to `rowCount`, which counts the row 0 that does not exist.
    mutating func extend(to rowCount: Int) {
        if cells.count < rowCount {
            cells.append(contentsOf: repeatElement(Cell.noDocument, count: rowCount - cells.count))
        }
    }

    /// Marks a row as unknown, because a document in it may change.
    mutating func forget(_ row: UInt64) {
        guard let row = Int(exactly: row), row < cells.count, cells[row] != Cell.unknown else { return }
        cells[row] = Cell.unknown
        unknownRows.append(UInt32(row))
    }

    /// Takes note that unknown rows are about to be set.
    mutating func clearUnknownRows() {
        for row in unknownRows { cells[Int(row)] = Cell.noDocument }
        unknownRows = []
    }

    /// Sets the cell of a row, which must be below the number of cells.
    ///
    /// - Parameter resolved: the path of the column, in the names of the body.
    /// - Returns: Whether the values can be in a column. Lists that contain more than strings and ints cannot,
    ///   because equal values may have different bytes.
    /// - Throws: ``BodyError`` for a damaged body.
    mutating func set(_ row: Int, to body: Span<UInt8>, at resolved: ResolvedPath) throws(BodyError) -> Bool {
        guard let cell = try add(body, at: resolved) else { return false }
        cells[row] = cell
        return true
    }

    /// Adds the values of a document and returns the cell for them; `nil` if they cannot be in a column.
    private mutating func add(_ body: Span<UInt8>, at resolved: ResolvedPath) throws(BodyError) -> UInt32? {
        let places = try BodyPlaces(body)
        if !path.hasArrayStep {
            guard let range = try places.range(of: resolved) else { return Cell.noValue }
            return UInt32(Cell.first + values.add(body.extracting(range)))
        }
        guard let elements = try places.textsAndInts(at: resolved) else { return nil }
        if elements.count < 2 {
            return elements.first.map { UInt32(Cell.first + values.add(body.extracting($0))) } ?? Cell.noValue
        }
        var numbers = elements.map { UInt32(values.add(body.extracting($0))) }
        numbers.sort()
        let place = lists.count
        lists.append(0)
        for number in numbers where lists.count == place + 1 || number != lists[lists.count - 1] {
            lists.append(number)
        }
        lists[place] = UInt32(lists.count - place - 1)
        return Cell.firstList + UInt32(place)
    }
}
