import DocIndex

/// Plain documents: JSON Lines or one array.
final class PlainDocumentSource: RecordSource {
    private var source: DocumentSource

    /// - Parameter notation: Whether objects such as `{"$date":"…"}` denote types that JSON lacks.
    init(
        _ input: borrowing InputFile, format: DocumentSource.Format?, maximumLineByteCount: Int,
        notation: DocumentValue.JSONNotation,
        rewriting: ((Span<UInt8>) -> [UInt8])? = nil
    ) {
        source = DocumentSource(
            input, format: format, maximumLineByteCount: maximumLineByteCount,
            parsing: JSONParser(notation: notation), rewriting: rewriting)
    }

    var name: String { source.name }
    var byteCount: Int { source.byteCount }
    var place: RecordPlace { source.place }

    func next() throws -> InputEvent? { try source.next().map(InputEvent.document) }
}
