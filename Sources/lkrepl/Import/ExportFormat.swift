/// The formats in which documents leave for other programs.
enum ExportFormat: String, NamedChoice {
    /// One object a line.
    case jsonl
    /// One array, an element a line.
    case json
    case csv, tsv

    static let unknownName = "export has no format"
}
