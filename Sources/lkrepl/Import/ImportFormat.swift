/// The formats of documents that `import` takes.
enum ImportFormat: String, CaseIterable {
    /// One object a line.
    case jsonl
    /// One array of objects.
    case json
    case csv, tsv
    /// What `exiftool -json` prints.
    case exiftoolJSON = "exiftool-json"
    /// What `exiftool -csv` prints.
    case exiftoolCSV = "exiftool-csv"

    init(named name: String) throws(CommandFailure) {
        guard let format = ImportFormat(rawValue: name) else {
            throw CommandFailure(
                .usage, "there is no format \(name)",
                hint: "the formats are \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = format
    }
}
