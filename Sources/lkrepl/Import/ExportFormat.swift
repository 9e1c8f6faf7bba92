/// The formats in which documents can be exported.
enum ExportFormat: String, NamedChoice {
    /// One object per line.
    case jsonl
    /// One array, one element per line.
    case json
    case csv, tsv

    static let unknownName = "unknown export format"
}
