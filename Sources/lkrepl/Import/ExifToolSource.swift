import DocIndex

/// Documents from the output of `exiftool -json` or `exiftool -csv`.
final class ExifToolSource: RecordSource {
    private enum Reader {
        case json(PlainDocumentSource)
        case csv(DelimitedSource, listSeparator: String)
    }

    private let reader: Reader

    /// Reads `exiftool -json`.
    init(json input: borrowing InputFile, maximumLineByteCount: Int) {
        reader = .json(
            PlainDocumentSource(
                input, format: nil, maximumLineByteCount: maximumLineByteCount, notation: .plain,
                rewriting: { ExifToolText.rewriting($0) }))
    }

    /// Reads `exiftool -csv`.
    ///
    /// - Parameter listSeparator: The separator given by `-sep`; exiftool's default is `, `.
    init(csv input: borrowing InputFile, listSeparator: String, maximumRecordByteCount: Int) {
        reader = .csv(
            DelimitedSource(
                input,
                options: DelimitedSource.Options(
                    hasNestedNames: false, keepsBytes: true, maximumRecordByteCount: maximumRecordByteCount)),
            listSeparator: listSeparator)
    }

    private var source: any RecordSource {
        switch reader {
        case .json(let source): source
        case .csv(let source, _): source
        }
    }

    var name: String { source.name }
    var byteCount: Int { source.byteCount }
    var place: RecordPlace { source.place }
    var header: [UInt8] { source.header }

    func next() throws -> InputEvent? {
        guard case .change(.document(_, _, let content)) = try source.next() else { return nil }
        switch reader {
        case .json: return .document(ExifToolDocument.normalized(content))
        case .csv(_, let separator):
            return .document(ExifToolDocument.normalized(Self.numbers(in: content), listSeparator: separator))
        }
    }

    /// Converts numeric cells of tags that are not text to numbers, as in exiftool's JSON.
    private static func numbers(in object: DocumentObject) -> DocumentObject {
        var result = DocumentObject()
        for member in object {
            guard case .string(let text) = member.value, !ExifToolTags.isText(member.name),
                let value = try? JSONParser().parse(text), value.kind == .int || value.kind == .double
            else {
                result[member.name] = member.value
                continue
            }
            result[member.name] = value
        }
        return result
    }
}

extension InputEvent {
    /// A document for the collection of the command, which contains its ID.
    static func document(_ content: DocumentObject) -> InputEvent {
        .change(.document(collection: nil, id: nil, content: content))
    }
}
