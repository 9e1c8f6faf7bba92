/// The records of a dump with a header.
final class DumpSource: RecordSource {
    let name: String
    private var reader: DumpReader

    init(_ input: borrowing InputFile, options: DumpReader.Options = DumpReader.Options()) {
        name = input.name
        reader = DumpReader(
            lines: input.lines(maximumLineByteCount: options.maximumLineByteCount), name: input.name, options: options)
    }

    var byteCount: Int { reader.byteCount }
    var recordCount: Int { reader.recordCount }

    var place: RecordPlace {
        let line = reader.currentLine
        return RecordPlace(line: line.number, offset: line.offset, text: line.bytes)
    }

    var warning: String? {
        reader.isIncomplete ? "the dump is incomplete; it was accepted up to record \(recordCount)" : nil
    }

    func next() throws -> InputEvent? {
        switch try reader.next() {
        case nil: nil
        case .header(let header): .header(header)
        case .schema(let schema): .schema(schema)
        case .document(let collection, let id, let content):
            .change(.document(collection: collection, id: id, content: content))
        case .documentDeletion(let collection, let id): .change(.documentDeletion(collection: collection, id: id))
        case .pair(let key, let value): .change(.pair(key: key, value: value))
        case .deletion(let key): .change(.deletion(key: key))
        case .part, .mark, .end: preconditionFailure("the reader does not return these")
        }
    }
}
