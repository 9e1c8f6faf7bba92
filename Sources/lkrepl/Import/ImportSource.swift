import DocIndex

/// How the documents of a file are read.
struct ImportSource {
    /// `nil` for JSON Lines or one JSON array, by content.
    var format: ImportFormat?
    var separator = UInt8(ascii: ",")
    /// Whether the column names of CSV and TSV end in types.
    var hasKinds = false
    /// Whether objects such as `{"$date":"…"}` denote types that JSON lacks.
    var notation = DocumentValue.JSONNotation.tagged
    /// The separator between list elements in exiftool's CSV.
    var listSeparator = ", "
    var maximumRecordByteCount = LineReader.usualMaximum

    /// The documents of a file.
    func records(of input: borrowing InputFile) -> any RecordSource {
        switch format {
        case nil: plain(input, nil)
        case .jsonl: plain(input, .jsonl)
        case .json: plain(input, .json)
        case .csv, .tsv:
            DelimitedSource(
                input,
                options: DelimitedSource.Options(
                    dialect: format == .tsv ? .tsv : .csv(separator: separator), hasKinds: hasKinds,
                    maximumRecordByteCount: maximumRecordByteCount))
        case .exiftoolJSON: ExifToolSource(json: input, maximumLineByteCount: maximumRecordByteCount)
        case .exiftoolCSV:
            ExifToolSource(
                csv: input, listSeparator: listSeparator, maximumRecordByteCount: maximumRecordByteCount)
        }
    }

    private func plain(_ input: borrowing InputFile, _ format: DocumentSource.Format?) -> any RecordSource {
        PlainDocumentSource(
            input, format: format, maximumLineByteCount: maximumRecordByteCount, notation: notation)
    }
}
