import DocIndex
import LevelKit

/// Writes pairs of a plain database as rows: in tables with what the key means, in the other forms as dumps have them.
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

    /// How many pairs were written.
    var rowCount: Int { writer.rowCount }

    /// Writes a pair that a cursor lends.
    func write(key: Span<UInt8>, value: Span<UInt8>) throws {
        if try writer.writeUsual(key: key, value: value) { return }
        try write(key: key.copied(), value: value.copied())
    }

    /// Writes a key that a cursor lends, alone.
    func write(key: Span<UInt8>) throws {
        if try writer.writeUsual(key: key) { return }
        try write(key: key.copied(), value: nil)
    }

    /// Writes a pair; without a value, the key alone.
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

    /// Writes the last rows.
    func finish() throws { try writer.finish() }

    private func append(_ key: [UInt8], to row: inout DocumentObject) {
        guard isForPeople else { return DumpRecord.append(key, name: "k", to: &row) }
        row["key"] = .string(view.text(of: key))
        if let text = meaning.text(of: key) { row["meaning"] = .string(text) }
    }
}
