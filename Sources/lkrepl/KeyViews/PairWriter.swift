import DocIndex
import LevelKit

/// Writes pairs of a plain database as rows: tables include the meaning of keys, other modes use the form of dumps.
struct PairWriter {
    private let writer: ResultWriter
    private let isForPeople: Bool
    private let view: KeyView
    private let meaning: KeyMeaning

    init(_ options: GlobalOptions, view: KeyView, meaning: KeyMeaning) throws {
        let mode = try options.outputMode()
        writer = try options.writer(notation: view.form)
        isForPeople = mode == .table || mode == .line
        self.view = view
        self.meaning = meaning
    }

    /// The number of pairs written.
    var rowCount: Int { writer.rowCount }

    /// Writes a pair, given as spans of a cursor.
    func write(key: Span<UInt8>, value: Span<UInt8>) throws {
        if try writer.writeUsual(key: key, value: value) { return }
        try write(key: key.copied(), value: value.copied())
    }

    /// Writes a key without a value, given as a span of a cursor.
    func write(key: Span<UInt8>) throws {
        if try writer.writeUsual(key: key) { return }
        try write(key: key.copied(), value: nil)
    }

    /// Writes a pair, or only the key if `value` is `nil`.
    func write(key: [UInt8], value: [UInt8]?, mark: String? = nil) throws {
        guard isForPeople || mark != nil else { return try writer.write(key: key, value: value) }
        var row = DocumentObject()
        if let mark { row["op"] = .string(mark) }
        append(key, to: &row)
        if let value {
            if isForPeople {
                row["value"] = .string(view.text(ofValue: value))
            } else {
                DumpRecord.append(value, name: "v", to: &row)
            }
        }
        try writer.write(row)
    }

    /// Writes the sizes of a pair.
    func write(key: [UInt8], valueByteCount: Int) throws {
        var row = DocumentObject()
        append(key, to: &row)
        row["keyBytes"] = .int(Int64(key.count))
        row["valueBytes"] = .int(Int64(valueByteCount))
        try writer.write(row)
    }

    /// Completes the output.
    func finish() throws { try writer.finish() }

    private func append(_ key: [UInt8], to row: inout DocumentObject) {
        guard isForPeople else { return DumpRecord.append(key, name: "k", to: &row) }
        row["key"] = .string(view.text(of: key))
        if let text = meaning.text(of: key) { row["meaning"] = .string(text) }
    }
}
