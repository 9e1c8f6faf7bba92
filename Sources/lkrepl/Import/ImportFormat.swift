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

extension ImportFormat {
    /// The format that the ending of a file's name denotes: CSV or TSV, unless the content is JSON; otherwise `nil`.
    init?(ofFileNamed name: String, _ input: borrowing InputFile) {
        let name = name.lowercased()
        guard name.hasSuffix(".csv") || name.hasSuffix(".tsv") else { return nil }
        if let first = input.firstLine.first, "[{".utf8.contains(first) { return nil }
        self = name.hasSuffix(".csv") ? .csv : .tsv
    }
}
