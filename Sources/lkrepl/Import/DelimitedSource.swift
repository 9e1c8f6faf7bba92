import DocIndex

/// Documents of a CSV or TSV file whose first row contains the column names.
final class DelimitedSource: RecordSource {
    struct Options {
        var dialect = DelimitedReader.Dialect.csv(separator: UInt8(ascii: ","))
        /// Whether column names end in a type.
        var hasKinds = false
        /// Whether periods in column names separate nested objects.
        var hasNestedNames = true
        /// Whether a cell that is not UTF-8 becomes bytes instead of an error.
        var keepsBytes = false
        var maximumRecordByteCount = LineReader.usualMaximum
    }

    let name: String
    private let options: Options
    private var reader: DelimitedReader
    private var columns: [DelimitedColumn]?
    private var headerFault: (any Error)?
    /// The first row.
    private(set) var header: [UInt8] = []

    init(_ input: borrowing InputFile, options: Options = Options()) {
        name = input.name
        self.options = options
        reader = DelimitedReader(
            input, dialect: options.dialect, maximumRecordByteCount: options.maximumRecordByteCount)
    }

    var byteCount: Int { reader.byteCount }
    var place: RecordPlace { reader.place }

    func next() throws -> InputEvent? {
        if let headerFault { throw headerFault }
        if columns == nil { try readHeader() }
        guard let columns else { return nil }
        while let cells = try reader.next() {
            if cells.count == 1, cells[0].isNull, columns.count > 1 { continue }
            do {
                return .change(.document(collection: nil, id: nil, content: try document(cells, columns)))
            } catch let fault as RecordError {
                throw fault.at(line: place.line, offset: place.offset)
            }
        }
        return nil
    }

    /// Reads the first row, unless it was read before. Empty for an empty file, and for a row with a fault, which
    /// ``next()`` then throws.
    func readColumns() -> [DelimitedColumn] {
        do {
            if columns == nil { try readHeader() }
        } catch {
            headerFault = error
        }
        return columns ?? []
    }

    private func readHeader() throws {
        do {
            guard let cells = try reader.next() else { return }
            header = reader.place.text
            var columns: [DelimitedColumn] = []
            var seen: Set<FieldPath> = []
            for cell in cells {
                guard let name = String(validating: cell.bytes, as: UTF8.self) else {
                    throw RecordError(.utf8, "a column name is not UTF-8")
                }
                let column = try DelimitedColumn(
                    header: name, hasKinds: options.hasKinds, isNested: options.hasNestedNames)
                guard seen.insert(column.path).inserted else {
                    throw RecordError(.duplicateKey, "two columns have the name \(column.path)")
                }
                columns.append(column)
            }
            try refuseWrongSeparator(cells)
            self.columns = columns
        } catch let fault as RecordError {
            throw fault.at(line: place.line, offset: place.offset).final
        }
    }

    /// Rejects a table that another character separates: its first row is a single column.
    private func refuseWrongSeparator(_ cells: [DelimitedReader.Cell]) throws {
        guard cells.count == 1, !cells[0].isQuoted, options.dialect == .csv(separator: UInt8(ascii: ",")) else {
            return
        }
        for (byte, option) in [
            (UInt8(ascii: ";"), "--separator ';'"), (0x09, "--format tsv"), (UInt8(ascii: "|"), "--separator '|'"),
        ]
        where cells[0].bytes.contains(byte) {
            throw RecordError(.format, "the first row is a single column without a comma", hint: "use \(option)")
        }
    }

    private func document(_ cells: [DelimitedReader.Cell], _ columns: [DelimitedColumn]) throws -> DocumentObject {
        guard cells.count == columns.count else {
            throw RecordError(
                .format, "the record has \(cells.count) fields, but the first row has \(columns.count)")
        }
        var document = DocumentObject()
        for (cell, column) in zip(cells, columns) {
            guard
                let value = try column.value(
                    of: cell, hasBase64: options.dialect != .tsv, keepsBytes: options.keepsBytes)
            else { continue }
            guard document.set(value, at: column.path.steps[...]) else {
                throw RecordError(
                    .type, "\(column.path) conflicts with a column that sets its parent to a value; rename one of them")
            }
        }
        return document
    }
}

extension DocumentObject {
    /// Sets the value at a path, creating objects on the way. Returns false if another value is in the way.
    mutating func set(_ value: DocumentValue, at steps: ArraySlice<FieldPath.Step>) -> Bool {
        guard let first = steps.first, case .name(let name) = first else { return false }
        if steps.count == 1 {
            guard self[name] == nil else { return false }
            self[name] = value
            return true
        }
        var inner: DocumentObject
        switch self[name] {
        case nil: inner = DocumentObject()
        case .object(let object): inner = object
        default: return false
        }
        guard inner.set(value, at: steps.dropFirst()) else { return false }
        self[name] = .object(inner)
        return true
    }
}
