import DocIndex

/// Writes rows of results in the form that was asked for.
///
/// A row is an object; each member is a column. Tables and CSV need the names of all columns first, so they hold up to
/// ``heldRowCount`` rows to learn them; the other forms write each row as it comes.
final class ResultWriter {
    /// Rows from which the columns of a table are learnt, and of a table that is drawn at all.
    private static let heldRowCount = 1000

    private let mode: OutputMode
    private let output: StandardOutput
    /// The columns that were asked for; `nil` for those that the rows have.
    private let columns: [String]?
    private var held: [DocumentObject] = []
    private(set) var rowCount = 0

    init(mode: OutputMode, output: StandardOutput = StandardOutput(), columns: [String]? = nil) {
        self.mode = mode
        self.output = output
        self.columns = columns
    }

    /// Writes one row.
    func write(_ row: DocumentObject) throws {
        rowCount += 1
        switch mode {
        case .table, .csv, .tsv:
            if held.count < Self.heldRowCount || mode != .table { held.append(row) }
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
        default:
            try writeJSON(row, layout: .compact)
            try output.write("\n")
        }
    }

    /// Writes what was held back, and everything to the file.
    func finish() throws {
        switch mode {
        case .table: try writeTable()
        case .csv: try writeDelimited { CSVWriter().append($0, to: &$1) }
        case .tsv: try writeDelimited { TSVWriter().append($0, to: &$1) }
        case .json, .jsonPretty: try output.write(rowCount == 0 ? "[]\n" : "\n]\n")
        default: break
        }
        try output.flush()
    }

    private func writeJSON(_ row: DocumentObject, layout: JSONWriter.Layout) throws {
        var bytes: [UInt8] = []
        DocumentValue.object(row).writeJSON(to: &bytes, JSONWriter(layout: layout))
        try output.write(bytes)
    }

    // MARK: - Columns

    /// The columns in the order in which the rows bring them.
    private var columnNames: [String] {
        if let columns { return columns }
        var names: [String] = []
        var seen: Set<[UInt8]> = []
        for row in held {
            for member in row where seen.insert(Array(member.name.utf8)).inserted { names.append(member.name) }
        }
        return names
    }

    private func writeTable() throws {
        guard rowCount > 0 else { return StandardError.shared.write("(nothing found)\n") }
        var table = TableRenderer()
        let isTerminal = output.descriptor.isTerminal
        table.width = isTerminal ? Terminal.width(of: output.descriptor.rawValue) : 120
        table.isHeaderBold = Terminal.takesStyle(output.descriptor.rawValue)
        table.moreHint = "use --limit, or --mode jsonl"
        let names = columnNames
        let rows = held.map { row in names.map { name in row[name].map(Self.cell) ?? .init("") } }
        try output.write(table.render(titles: names, rows: rows, omittedRowCount: rowCount - held.count))
    }

    private func writeDelimited(_ append: ([DelimitedField], inout [UInt8]) -> Void) throws {
        let names = columnNames
        guard !names.isEmpty else { return }
        var bytes: [UInt8] = []
        append(names.map { .text($0) }, &bytes)
        for row in held {
            append(names.map { row[$0].map(Self.field) ?? .null }, &bytes)
            if bytes.count > 64 << 10 {
                try output.write(bytes)
                bytes = []
            }
        }
        try output.write(bytes)
    }

    private static func cell(_ value: DocumentValue) -> TableRenderer.Cell {
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
        case .array, .object: .text(value.json)
        }
    }
}
