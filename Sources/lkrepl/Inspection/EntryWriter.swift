import DocIndex
import LevelFiles

/// Writes stored operations as rows: the key, its sequence number, the operation, and the value.
struct EntryWriter {
    private let writer: ResultWriter
    private let isForPeople: Bool
    private let view: KeyView
    private let meaning: KeyMeaning
    private let hasValues: Bool

    init(_ options: GlobalOptions, view: KeyView, meaning: KeyMeaning = KeyMeaning(), hasValues: Bool = true) throws {
        let mode = try options.outputMode()
        writer = try options.writer()
        isForPeople = mode == .table || mode == .line
        self.view = view
        self.meaning = meaning
        self.hasValues = hasValues
    }

    /// Writes one operation.
    ///
    /// - Parameter others: Members to insert between the key and the value.
    func write(_ key: InternalKey, value: some Sequence<UInt8>, _ others: DocumentObject = DocumentObject()) throws {
        var row = DocumentObject()
        append(key.userKey, "k", "key", to: &row)
        row["seq"] = .int(Int64(clamping: key.sequence))
        row["op"] = key.kind == .put ? "put" : "del"
        for member in others { row[member.name] = member.value }
        if hasValues, key.kind == .put {
            if isForPeople {
                row["value"] = .string(view.text(ofValue: Array(value)))
            } else {
                DumpRecord.append(Array(value), name: "v", to: &row)
            }
        }
        if isForPeople, let text = meaning.text(of: key.userKey) { row["meaning"] = .string(text) }
        try writer.write(row)
    }

    /// Writes another row.
    func write(_ row: DocumentObject) throws { try writer.write(row) }

    /// Adds a key to a row, under `name` for programs or `title` for people.
    func append(_ key: [UInt8], _ name: String, _ title: String, to row: inout DocumentObject) {
        if isForPeople {
            row[title] = .string(view.text(of: key))
        } else {
            DumpRecord.append(key, name: name, to: &row)
        }
    }

    /// Writes the last rows.
    func finish() throws { try writer.finish() }
}
