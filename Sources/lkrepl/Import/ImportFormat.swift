/// The formats of documents that `import` takes.
enum ImportFormat: String, NamedChoice {
    /// One object a line.
    case jsonl
    /// One array of objects.
    case json
    case csv, tsv
    /// What `exiftool -json` prints.
    case exiftoolJSON = "exiftool-json"
    /// What `exiftool -csv` prints.
    case exiftoolCSV = "exiftool-csv"

    static let unknownName = "there is no format"
}
