import DocIndex

/// Writes the findings of a store verification as rows with their location: collection, index, document, row and key.
///
/// Keys are in the notation of command arguments in every output mode, so that they can be pasted after `get`.
struct FindingWriter {
    private let writer: ResultWriter
    private let isForPeople: Bool
    private let meaning: KeyMeaning

    init(_ options: GlobalOptions, _ session: Session) throws {
        writer = try options.writer()
        isForPeople = try [.table, .line].contains(options.outputMode())
        meaning = try KeyMeaning(of: session)
    }

    /// Writes one finding.
    func write(_ finding: DocumentStore.Verification.Problem) throws {
        var row: DocumentObject = ["problem": .string(finding.problem)]
        if let collection = finding.collection { row["collection"] = .string(collection) }
        if let index = finding.index { row["index"] = .string(index) }
        if let id = finding.documentID { row["id"] = id.value }
        if let number = finding.row { row["row"] = .int(Int64(clamping: number)) }
        if let key = finding.key {
            row["key"] = .string(ByteNotation.print(key))
            if let text = meaning.text(of: key) { row["meaning"] = .string(text) }
        }
        try writer.write(row)
    }

    /// Writes a value that violates a unique index, with its documents.
    func write(_ violation: DocIndexError.UniqueViolation) throws {
        var row: DocumentObject = [
            "duplicates": .string(violation.description), "collection": .string(violation.collection),
            "index": .string(violation.index),
        ]
        if !isForPeople { row["ids"] = .array(violation.ids.map(\.value)) }
        try writer.write(row)
    }

    /// Writes the last rows.
    func finish() throws { try writer.finish(tellsOfNothing: false) }
}
