/// The formats in which documents leave for other programs.
enum ExportFormat: String, CaseIterable {
    /// One object a line.
    case jsonl
    /// One array, an element a line.
    case json
    case csv, tsv

    init(named name: String) throws(CommandFailure) {
        guard let format = ExportFormat(rawValue: name) else {
            throw CommandFailure(
                .usage, "export has no format \(name)",
                hint: "the formats are \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = format
    }
}
