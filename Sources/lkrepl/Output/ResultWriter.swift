import DocIndex
import Synchronization

/// Writes rows of results in the form that was asked for.
///
/// A row is an object; each member is a column. Tables and CSV need the names of all columns first, so they hold rows to
/// learn them: tables up to ``heldRowCount`` (``TableWriter``), CSV and TSV all of them unless the columns are given. The
/// other forms write each row as it comes. A command that is stopped or fails leaves the rows that were written until then (``OpenOutputs``).
///
/// Rows of plain keys and values come through ``write(key:value:)``, which gives each form what is natural for bytes.
final class ResultWriter {
    /// Rows from which the columns of a table are learnt, and that `.last` can show.
    private static let heldRowCount = 1000
    /// Rows of a table on a terminal.
    private static let shownRowCount = 40

    private let mode: OutputMode
    private let output: StandardOutput
    /// The columns that were asked for; `nil` for those that the rows have.
    private var columns: [String]?
    /// How bytes are spelt where they are shown to people.
    private let notation: ByteNotation.Form
    /// The table; `nil` in other modes.
    private let table: TableWriter?
    private var held: [DocumentObject] = []
    /// Shows what there is while more is looked for; `nil` where nobody is waiting.
    private var ticker: RowTicker?
    private var hexdump = HexdumpWriter()
    /// The memory of one line.
    private var line: [UInt8] = []
    private var headerIsWritten = false
    private(set) var rowCount = 0 {
        didSet { rowCounter.count.store(rowCount, ordering: .relaxed) }
    }
    private let rowCounter = RowCounter()
    private var isFinished = false

    /// - Parameter showsAllRows: whether a table on a terminal may have more than 40 rows.
    init(
        mode: OutputMode, output: StandardOutput = StandardOutput(), columns: [String]? = nil,
        showsAllRows: Bool = false, notation: ByteNotation.Form = .auto
    ) {
        self.mode = mode
        self.output = output
        self.columns = columns
        self.notation = notation
        table =
            mode == .table
            ? TableWriter(
                output: output, columns: columns,
                rowLimit: output.isTerminal && !showsAllRows ? Self.shownRowCount : showsAllRows ? nil : .max,
                heldRowCount: Self.heldRowCount)
            : nil
        OpenOutputs.current?.add {
            self.ticker?.stop()
            // A count of a part is no count.
            if self.rowCount > 0, !self.isFinished, mode != .count { try self.finish() }
        }
        OpenOutputs.current?.rowCount = { self.rowCount }
    }

    /// Has what there is shown while more is looked for.
    ///
    /// - Parameters:
    ///   - style: the progress that was asked for; `nil` for the usual one.
    ///   - progress: what tells how many rows there are, where that may stand on the screen.
    func beginTicking(_ style: ProgressMeter.Style?, _ progress: () -> ProgressReporter) {
        let outputs = OpenOutputs.current
        // What reads a pipe may have the screen.
        let isInSight = output.isTerminal ? RowTicker.patience != nil : !output.isWatched
        ticker = RowTicker(
            RowTicker.Result(
                output: output, table: table,
                rowCount: { [rowCounter] in rowCounter.count.load(ordering: .relaxed) },
                writesAtEnd: [.count, .csv, .tsv].contains(mode) && columns == nil || !output.isTerminal,
                progress: isInSight || style != nil ? progress() : nil,
                isTold: { outputs?.tellsItself ?? false }))
    }

    /// Writes one row.
    ///
    /// - Throws: ``CommandFailure`` with `interrupted` if the command is to stop; ``WriteFailure``.
    func write(_ row: DocumentObject) throws {
        try Interruption.check("\(HumanNumber.grouped(rowCount)) rows")
        rowCount += 1
        switch mode {
        case .table: try table?.add(row)
        case .csv, .tsv:
            if columns == nil { held.append(row) } else { try writeDelimited([row]) }
        case .json, .jsonPretty:
            try output.write(rowCount == 1 ? "[\n" : ",\n")
            try writeJSON(row, layout: mode == .json ? .compact : .pretty)
        case .line:
            if rowCount > 1 { try output.write("\n") }
            let width = row.map { DisplayWidth.columns(of: $0.name) }.max() ?? 0
            for member in row {
                let padding = String(repeating: " ", count: width - DisplayWidth.columns(of: member.name))
                try output.write("\(padding)\(VisibleText.singleLine(member.name)) = \(Self.text(member.value))\n")
            }
        case .keys:
            try output.write(ByteNotation.print(Self.identity(row)) + "\n")
        case .raw0:
            try writeJSON(row, layout: .compact)
            try writeZero()
        case .hexdump:
            var bytes: [UInt8] = []
            DocumentValue.object(row).writeJSON(to: &bytes, JSONWriter(layout: .compact, notation: .tagged))
            try output.write(hexdump.dump(bytes, title: ByteNotation.print(Self.identity(row))))
        case .count: break
        case .jsonl:
            try writeJSON(row, layout: .compact)
            try output.write("\n")
        }
    }

    /// Writes one pair where that takes no more than its line of JSON in the usual form; false, with nothing written,
    /// where it takes more, and ``write(key:value:)-([UInt8],_)`` does it.
    func writeUsual(key: Span<UInt8>, value: Span<UInt8>) throws -> Bool {
        guard mode == .jsonl else { return false }
        line.removeAll(keepingCapacity: true)
        guard PairLine.append(key: key, value: value, to: &line) else { return false }
        try writeLine()
        return true
    }

    /// The same for a key alone.
    func writeUsual(key: Span<UInt8>) throws -> Bool {
        guard mode == .jsonl else { return false }
        line.removeAll(keepingCapacity: true)
        guard PairLine.append(key: key, to: &line) else { return false }
        try writeLine()
        return true
    }

    private func writeLine() throws {
        try Interruption.check("\(HumanNumber.grouped(rowCount)) rows")
        rowCount += 1
        try output.write(output.isTerminal ? TerminalText.escaped(line, as: .json) : line)
    }

    /// Writes one pair of a plain database; `value` is `nil` where keys alone were asked for.
    ///
    /// In tables both are in the notation that commands take, in JSON under `k` and `v`, or in base64 under `k64` and
    /// `v64`, as in dumps. `raw0` has the bytes of the values, or of the keys where there are no values.
    func write(key: [UInt8], value: [UInt8]?) throws {
        switch mode {
        case .keys, .raw0, .hexdump:
            try Interruption.check("\(HumanNumber.grouped(rowCount)) rows")
            rowCount += 1
            switch mode {
            case .keys: try output.write(ByteNotation.print(key, form: notation) + "\n")
            case .raw0:
                let bytes = value ?? key
                try output.write(output.isTerminal ? TerminalText.escaped(bytes, as: .plain) : bytes)
                try writeZero()
            default: try output.write(hexdump.dump(value ?? key, title: ByteNotation.print(key, form: notation)))
            }
        case .table, .line:
            var row: DocumentObject = ["key": .string(ByteNotation.print(key, form: notation))]
            if let value { row["value"] = .string(ByteNotation.print(value, form: notation)) }
            try write(row)
        case .csv, .tsv:
            if columns == nil, rowCount == 0 { columns = value == nil ? ["key"] : ["key", "value"] }
            var row: DocumentObject = ["key": Self.textOrBytes(key)]
            if let value { row["value"] = Self.textOrBytes(value) }
            try write(row)
        case .jsonl, .json, .jsonPretty, .count:
            var row = DocumentObject()
            DumpRecord.append(key, name: "k", to: &row)
            if let value { DumpRecord.append(value, name: "v", to: &row) }
            try write(row)
        }
    }

    /// Writes what was held back, and everything to the file.
    ///
    /// - Parameter tellsOfNothing: whether a table without rows is told of; not where none is the good news.
    func finish(tellsOfNothing: Bool = true) throws {
        isFinished = true
        ticker?.stop()
        ticker = nil
        switch mode {
        case .table: try table?.finish(tellsOfNothing: tellsOfNothing)
        case .csv, .tsv: try writeDelimited(held)
        case .json, .jsonPretty: try output.write(rowCount == 0 ? "[]\n" : "\n]\n")
        case .count: try output.write("\(rowCount)\n")
        case .line, .jsonl, .keys, .raw0, .hexdump: break
        }
        try output.flush()
    }

    private func writeJSON(_ row: DocumentObject, layout: JSONWriter.Layout) throws {
        var bytes: [UInt8] = []
        DocumentValue.object(row).writeJSON(to: &bytes, JSONWriter(layout: layout, notation: .tagged))
        try output.write(output.isTerminal ? TerminalText.escaped(bytes, as: .json) : bytes)
    }

    /// Ends a value of `raw0`; people see the zero and an end of the line.
    private func writeZero() throws {
        try output.write(output.isTerminal ? Array("\\x00\n".utf8) : [0])
    }

    /// What a row is known by: its id, its key, or else what its first column has.
    private static func identity(_ row: DocumentObject) -> [UInt8] {
        let value = row["id"] ?? row["k"] ?? row["key"] ?? row.first?.value ?? .null
        if case .bytes(let bytes) = value { return bytes }
        return Array((value.stringValue ?? value.json).utf8)
    }

    /// Bytes as a cell: as text where they are one.
    static func textOrBytes(_ bytes: [UInt8]) -> DocumentValue {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(bytes)
    }

    // MARK: - Columns

    private func writeDelimited(_ rows: [DocumentObject]) throws {
        let names = columns ?? HeldTable.titles(of: rows)
        guard !names.isEmpty else { return }
        var bytes: [UInt8] = []
        func append(_ fields: [DelimitedField]) {
            if mode == .tsv { return TSVWriter().append(fields, to: &bytes) }
            CSVWriter().append(output.isTerminal ? fields.map { TerminalText.field($0) } : fields, to: &bytes)
        }
        func emit() throws {
            let isForPeople = output.isTerminal && mode == .tsv
            try output.write(isForPeople ? TerminalText.escaped(bytes, as: .tsv) : bytes)
            bytes = []
        }
        if !headerIsWritten { append(names.map { .text($0) }) }
        headerIsWritten = true
        for row in rows {
            append(names.map { row[$0].map(Self.field) ?? .null })
            if bytes.count > 64 << 10 { try emit() }
        }
        try emit()
    }

    /// A value as a cell of a table.
    static func cell(_ value: DocumentValue) -> TableRenderer.Cell {
        switch value {
        case .int, .double: .init(text(value), isNumber: true)
        default: .init(text(value))
        }
    }

    /// A value as people read it: texts as they are, lists of texts with commas between them, the rest as JSON.
    private static func text(_ value: DocumentValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): VisibleText.singleLine(text)
        case .date(let date): date.iso8601
        case .array(let elements) where elements.allSatisfy { $0.stringValue != nil }:
            VisibleText.singleLine(elements.compactMap(\.stringValue).joined(separator: ", "))
        default: VisibleText.singleLine(value.json)
        }
    }

    private static func field(_ value: DocumentValue) -> DelimitedField {
        switch value {
        case .null: .null
        case .string(let text): .text(text)
        case .date(let date): .text(date.iso8601)
        case .bytes(let bytes): .bytes(bytes)
        case .bool, .int, .double: .literal(value.json)
        case .array, .object: .text(value.json(JSONWriter(notation: .tagged)))
        }
    }
}

/// How many rows a writer has, for the thread that tells of them.
private final class RowCounter: Sendable {
    let count = Atomic(0)
}
