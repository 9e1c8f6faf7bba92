import DocIndex
import Synchronization

/// Writes result rows in the requested output mode.
///
/// A row is an object; each member is a column. Tables and CSV need the names of all columns first, so they keep rows:
/// tables up to ``heldRowCount`` (``TableWriter``), CSV and TSV all of them unless the columns are given. The other
/// modes write each row immediately. If a command is stopped or fails, the rows written before are complete
/// (``OpenOutputs``).
///
/// Plain keys and values are written by ``write(key:value:)``, in the natural form of each mode for bytes.
final class ResultWriter {
    /// The number of rows that determine a table's columns, and that `.last` can show.
    private static let heldRowCount = 1000
    /// The number of rows shown of a table on a terminal.
    private static let shownRowCount = 40

    private let mode: OutputMode
    private let output: StandardOutput
    /// The requested columns; `nil` for the fields of the rows.
    private var columns: [String]?
    /// The notation for bytes in output for people.
    private let notation: ByteNotation.Form
    /// The table; `nil` in other modes.
    private let table: TableWriter?
    private var held: [DocumentObject] = []
    /// Shows intermediate results; `nil` if nobody is waiting.
    private var ticker: Ticker?
    /// Shows the number of rows; `nil` for none.
    private var progress: ProgressReporter?
    private var hexdump = HexdumpWriter()
    /// The reused buffer for one line.
    private var line: [UInt8] = []
    private var headerIsWritten = false
    private(set) var rowCount = 0 {
        didSet { rowCounter.count.store(rowCount, ordering: .relaxed) }
    }
    private let rowCounter = RowCounter()
    private var isFinished = false
    private let isQuiet: Bool

    /// - Parameters:
    ///   - showsAllRows: Whether a table on a terminal may have more than 40 rows.
    ///   - style: How a table shows the rows.
    ///   - isQuiet: Whether an empty result is not reported.
    init(
        mode: OutputMode, output: StandardOutput = StandardOutput(), columns: [String]? = nil,
        showsAllRows: Bool = false, notation: ByteNotation.Form = .auto, style: TableStyle = TableStyle(),
        isQuiet: Bool = false
    ) {
        self.isQuiet = isQuiet
        self.mode = mode
        self.output = output
        self.columns = columns
        self.notation = notation
        table =
            mode == .table
            ? TableWriter(
                output: output, columns: columns,
                rowLimit: output.isTerminal && !showsAllRows ? Self.shownRowCount : showsAllRows ? nil : .max,
                heldRowCount: Self.heldRowCount, style: style)
            : nil
        OpenOutputs.current?.add {
            self.endTicking()
            // The count of incomplete results would be wrong.
            if self.rowCount > 0, !self.isFinished, mode != .count { try self.finish() }
        }
        OpenOutputs.current?.doneWork = { self.rowCount > 0 ? HumanNumber.counted(self.rowCount, "row") : nil }
    }

    /// How long to wait for a complete table at a terminal; `nil` to wait for the end.
    ///
    /// `LKREPL_PATIENCE` contains the seconds, or `off`.
    private static var patience: Duration? {
        guard let text = Terminal.environment("LKREPL_PATIENCE") else { return .seconds(1) }
        return Double(text).flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    /// Starts keeping users informed while results are slow: writes rows that have been in the buffer for a while; at a
    /// terminal, draws the available part of a table after a second; and if nothing else shows progress, shows the
    /// number of rows and the time on a line below.
    ///
    /// - Parameters:
    ///   - style: The requested progress style; `nil` for the default.
    ///   - makeProgress: Creates the reporter for the number of rows, if it may appear on the screen.
    func beginTicking(_ style: ProgressMeter.Style?, _ makeProgress: () -> ProgressReporter) {
        let outputs = OpenOutputs.current
        let patience = Self.patience
        // The reader of a pipe may be using the screen.
        let isInSight = output.isTerminal ? patience != nil : !output.isWatched
        progress = isInSight || style != nil ? makeProgress() : nil
        // Rows that are not written yet, or go elsewhere, leave the line below free.
        let writesAtEnd = [.count, .csv, .tsv].contains(mode) && columns == nil || !output.isTerminal
        ticker = Ticker { [output, table, progress, rowCounter] elapsed in
            // Errors are ignored: they recur and are reported when the command writes.
            let rowCount = rowCounter.count.load(ordering: .relaxed)
            var mayStandBelow = writesAtEnd || rowCount == 0
            if output.isTerminal, let patience, elapsed >= patience {
                if let table { mayStandBelow = (try? table.drawWhatIsThere()) ?? false || mayStandBelow }
                try? output.showEarly()
            } else {
                if table != nil { mayStandBelow = true }
                if output.isWatched { try? output.flushLeftover() }
            }
            guard mayStandBelow, outputs?.tellsItself != true else { return }
            progress?.advance(done: rowCount)
        }
    }

    private func endTicking() {
        ticker?.stop()
        progress?.finish()
        (ticker, progress) = (nil, nil)
    }

    /// Writes one row.
    ///
    /// - Throws: ``CommandError`` with `interrupted` if the command must stop; ``WriteError``.
    func write(_ row: DocumentObject) throws {
        try Interruption.check(HumanNumber.counted(rowCount, "row"))
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

    /// Writes a pair if its JSON line has the common form. Otherwise returns false without writing; then use
    /// ``write(key:value:)-([UInt8],_)``.
    func writeUsual(key: Span<UInt8>, value: Span<UInt8>) throws -> Bool {
        guard mode == .jsonl else { return false }
        line.removeAll(keepingCapacity: true)
        guard PairLine.append(key: key, value: value, to: &line) else { return false }
        try writeLine()
        return true
    }

    /// The same for a key without a value.
    func writeUsual(key: Span<UInt8>) throws -> Bool {
        guard mode == .jsonl else { return false }
        line.removeAll(keepingCapacity: true)
        guard PairLine.append(key: key, to: &line) else { return false }
        try writeLine()
        return true
    }

    private func writeLine() throws {
        try Interruption.check(HumanNumber.counted(rowCount, "row"))
        rowCount += 1
        try output.write(output.isTerminal ? TerminalText.escaped(line, as: .json) : line)
    }

    /// Writes a pair of a plain database; `value` is `nil` for listings of keys.
    ///
    /// Tables use the notation of command arguments. JSON uses `k` and `v`, or base64 under `k64` and `v64`, as in
    /// dumps. `raw0` writes the bytes of values, or of keys without values.
    func write(key: [UInt8], value: [UInt8]?) throws {
        switch mode {
        case .keys, .raw0, .hexdump:
            try Interruption.check(HumanNumber.counted(rowCount, "row"))
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

    /// Writes held rows, and flushes the output.
    ///
    /// - Parameter tellsOfNothing: Whether to report an empty result on standard error; false if it is good news.
    func finish(tellsOfNothing: Bool = true) throws {
        isFinished = true
        endTicking()
        switch mode {
        case .table: try table?.finish()
        case .csv, .tsv: try writeDelimited(held)
        case .json, .jsonPretty: try output.write(rowCount == 0 ? "[]\n" : "\n]\n")
        case .count: try output.write("\(rowCount)\n")
        case .line, .jsonl, .keys, .raw0, .hexdump: break
        }
        try output.flush()
        guard rowCount == 0, tellsOfNothing, !isQuiet, mode != .count else { return }
        let command = OpenOutputs.current?.command.map { VisibleText.singleLine($0) + ": " } ?? ""
        StandardError.shared.write("\(command)nothing found\n")
    }

    private func writeJSON(_ row: DocumentObject, layout: JSONWriter.Layout) throws {
        var bytes: [UInt8] = []
        DocumentValue.object(row).writeJSON(to: &bytes, JSONWriter(layout: layout, notation: .tagged))
        try output.write(output.isTerminal ? TerminalText.escaped(bytes, as: .json) : bytes)
    }

    /// Terminates a value of `raw0`; terminals get a visible zero and a line end.
    private func writeZero() throws {
        try output.write(output.isTerminal ? Array("\\x00\n".utf8) : [0])
    }

    /// The identity of a row: its ID, its key, or otherwise its first column.
    private static func identity(_ row: DocumentObject) -> [UInt8] {
        let value = row["id"] ?? row["k"] ?? row["key"] ?? row.first?.value ?? .null
        if case .bytes(let bytes) = value { return bytes }
        return Array((value.stringValue ?? value.json).utf8)
    }

    /// Bytes as a cell: a string if they are valid UTF-8.
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
            append(names.map { row[$0].map(DelimitedField.init) ?? .null })
            if bytes.count > 64 << 10 { try emit() }
        }
        try emit()
    }

    /// A value as a table cell.
    static func cell(_ value: DocumentValue) -> TableRenderer.Cell {
        switch value {
        case .int, .double: .init(text(value), isNumber: true)
        default: .init(text(value))
        }
    }

    /// A value for people: strings unchanged, lists of strings separated by commas, the rest as JSON.
    private static func text(_ value: DocumentValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): VisibleText.singleLine(text)
        case .date(let date): date.iso8601
        case .attachment(let attachment): text(attachment)
        case .array(let elements) where elements.allSatisfy { $0.stringValue != nil }:
            VisibleText.singleLine(elements.compactMap(\.stringValue).joined(separator: ", "))
        default: VisibleText.singleLine(value.json)
        }
    }

    /// An attachment for people, such as `IMG_1.jpg (image/jpeg, 2.1 MB)`.
    private static func text(_ attachment: Attachment) -> String {
        let content = attachment.type + ", " + HumanNumber.byteCount(Int(clamping: attachment.byteCount))
        return VisibleText.singleLine(attachment.name.map { "\($0) (\(content))" } ?? content)
    }
}

/// The number of rows, shared with the ticker's thread.
private final class RowCounter: Sendable {
    let count = Atomic(0)
}
