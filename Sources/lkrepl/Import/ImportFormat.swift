/// The formats of documents that `import` accepts.
enum ImportFormat: String, NamedChoice {
    /// One object per line.
    case jsonl
    /// One array of objects.
    case json
    case csv, tsv
    /// The output of `exiftool -json`.
    case exiftoolJSON = "exiftool-json"
    /// The output of `exiftool -csv`.
    case exiftoolCSV = "exiftool-csv"

    static let unknownName = "unknown format"
}
