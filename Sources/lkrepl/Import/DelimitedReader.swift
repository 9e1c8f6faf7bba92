import DocIndex

/// Splits CSV (RFC 4180) or TSV (the text format of PostgreSQL's COPY) into records.
///
/// A state machine over bytes. It holds one chunk and one record in memory.
struct DelimitedReader: ~Copyable {
    /// The syntax of fields.
    enum Dialect: Hashable {
        /// Fields with a separator between them, in double quotes if they contain a separator or a line end.
        case csv(separator: UInt8)
        /// Fields separated by tabs; a backslash begins an escape, and `\N` is null.
        case tsv
    }

    /// One field.
    struct Cell: Hashable {
        var bytes: [UInt8] = []
        /// Whether the field was quoted.
        var isQuoted = false
        /// Whether the field is null: empty without quotes in CSV, or `\N` in TSV.
        var isNull = false
    }

    private static let cutHint = "copy or download the file again, or correct its last record"

    private let dialect: Dialect
    private let maximumRecordByteCount: Int
    private var lines: LineReader
    private var chunk: [UInt8]
    private var position = 0
    /// The bytes of the file before `chunk`.
    private var consumed = 0
    private var lineNumber = 1
    private var isAtBeginning = true
    /// The last record: its position, and its bytes without the line end.
    private(set) var place = RecordPlace()
    /// Whether the rest of the previous, invalid record must be skipped.
    private var mustResynchronize = false

    init(_ input: borrowing InputFile, dialect: Dialect, maximumRecordByteCount: Int) {
        self.dialect = dialect
        self.maximumRecordByteCount = maximumRecordByteCount
        lines = input.lines()
        chunk = []
    }

    /// The bytes of the file consumed so far.
    var byteCount: Int { consumed + position }

    /// The fields of the next record; `nil` at the end.
    ///
    /// - Throws: ``RecordError``; the next call continues with the following line.
    mutating func next() throws -> [Cell]? {
        if mustResynchronize {
            while let byte = try peek(), byte != 0x0a { advance() }
            if try peek() != nil { advance() }
            mustResynchronize = false
        }
        if isAtBeginning { try skipByteOrderMark() }
        guard try peek() != nil else { return nil }
        place = RecordPlace(line: lineNumber, offset: byteCount)
        do {
            return dialect == .tsv ? try readTSV() : try readCSV()
        } catch let fault as RecordError {
            mustResynchronize = fault.isRecoverable
            throw fault.line > 0 ? fault : fault.at(line: place.line, offset: place.offset)
        }
    }

    // MARK: - CSV

    private mutating func readCSV() throws -> [Cell] {
        guard case .csv(let separator) = dialect else { return [] }
        var cells: [Cell] = []
        while true {
            let (cell, isLast) = try readCSVCell(separator)
            cells.append(cell)
            if isLast { return cells }
        }
    }

    /// A field, and whether it ends the record.
    private mutating func readCSVCell(_ separator: UInt8) throws -> (Cell, Bool) {
        var cell = Cell()
        if try peek() == UInt8(ascii: "\"") {
            cell.isQuoted = true
            try readQuoted(into: &cell)
        }
        while let byte = try peek() {
            switch byte {
            case separator:
                take(byte)
                cell.isNull = cell.bytes.isEmpty && !cell.isQuoted
                return (cell, false)
            case 0x0a:
                endLine()
                return (ended(cell), true)
            case 0x0d:
                advance()
                if try peek() == 0x0a {
                    endLine()
                    return (ended(cell), true)
                }
                place.text.append(0x0d)
                try append(0x0d, to: &cell)
            case UInt8(ascii: "\""):
                throw RecordError(
                    .format,
                    cell.isQuoted
                        ? "unexpected characters after the closing quote of a field"
                        : "a quote occurs within an unquoted field",
                    hint: "enclose the field in quotes, and double the quote within it")
            default:
                guard !cell.isQuoted else {
                    throw RecordError(
                        .format, "unexpected characters between the closing quote of a field and the separator")
                }
                take(byte)
                try append(byte, to: &cell)
            }
        }
        return (ended(cell), true)
    }

    private mutating func readQuoted(into cell: inout Cell) throws {
        take(UInt8(ascii: "\""))
        while let byte = try peek() {
            take(byte)
            if byte == UInt8(ascii: "\"") {
                guard try peek() == UInt8(ascii: "\"") else { return }
                take(byte)
            }
            if byte == 0x0a { lineNumber += 1 }
            try append(byte, to: &cell)
        }
        throw RecordError(
            .truncated, "the file ends within quotes; it is truncated, or a quote is missing", hint: Self.cutHint
        ).at(
            line: place.line, offset: place.offset
        ).final
    }

    private func ended(_ cell: Cell) -> Cell {
        var cell = cell
        cell.isNull = cell.bytes.isEmpty && !cell.isQuoted
        return cell
    }

    // MARK: - TSV

    private mutating func readTSV() throws -> [Cell] {
        var cells = [Cell()]
        var isNull = false
        while let byte = try peek() {
            switch byte {
            case 0x09:
                take(byte)
                cells[cells.count - 1].isNull = isNull
                isNull = false
                cells.append(Cell())
            case 0x0a:
                endLine()
                cells[cells.count - 1].isNull = isNull
                return cells
            case UInt8(ascii: "\\"):
                take(byte)
                guard let escape = try peek() else {
                    throw RecordError(.truncated, "the file ends within an escape", hint: Self.cutHint).final
                }
                take(escape)
                if escape == UInt8(ascii: "N"), cells[cells.count - 1].bytes.isEmpty {
                    isNull = true
                } else {
                    try append(try meaning(of: escape), to: &cells[cells.count - 1])
                }
            case 0x0d:
                advance()
                // A CR in the data is written as \r.
                if try peek() != 0x0a {
                    throw RecordError(.format, "unescaped carriage return within a record", hint: "write it as \\r")
                }
            default:
                guard !isNull else { throw RecordError(.format, "unexpected characters after \\N") }
                take(byte)
                try append(byte, to: &cells[cells.count - 1])
            }
        }
        cells[cells.count - 1].isNull = isNull
        return cells
    }

    private mutating func meaning(of escape: UInt8) throws -> UInt8 {
        switch escape {
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "v"): return 0x0b
        case UInt8(ascii: "\\"): return escape
        case UInt8(ascii: "x"):
            guard let high = try peek(), let first = HexText.value(of: high) else { break }
            take(high)
            guard let low = try peek(), let second = HexText.value(of: low) else { break }
            take(low)
            return first << 4 | second
        default: break
        }
        throw RecordError(.format, "a backslash does not begin a valid escape", hint: "write a backslash as \\\\")
    }

    // MARK: - Bytes

    private mutating func append(_ byte: UInt8, to cell: inout Cell) throws {
        guard place.text.count <= maximumRecordByteCount else {
            throw RecordError(
                .size, "a record is longer than \(HumanNumber.grouped(maximumRecordByteCount)) bytes",
                hint: "raise --max-line, or check for a missing quote", isRecoverable: false)
        }
        cell.bytes.append(byte)
    }

    /// The next byte; `nil` at the end of the file.
    private mutating func peek() throws -> UInt8? {
        if position == chunk.count {
            consumed += position
            position = 0
            do {
                chunk = try lines.nextChunk() ?? []
            } catch {
                throw RecordError(error).final
            }
            if chunk.isEmpty { return nil }
        }
        return chunk[position]
    }

    private mutating func advance() {
        if chunk[position] == 0x0a { lineNumber += 1 }
        position += 1
    }

    private mutating func take(_ byte: UInt8) {
        place.text.append(byte)
        position += 1
    }

    private mutating func endLine() {
        position += 1
        lineNumber += 1
    }

    private mutating func skipByteOrderMark() throws {
        isAtBeginning = false
        // Spreadsheets write a byte order mark.
        guard try peek() == 0xef, chunk.dropFirst(position).starts(with: [0xef, 0xbb, 0xbf]) else { return }
        position += 3
    }
}
