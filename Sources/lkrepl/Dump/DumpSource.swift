import DocIndex

/// The records of a dump with a header.
final class DumpSource: RecordSource {
    let name: String
    private var reader: DumpReader
    /// Whether the last record is a part of an attachment.
    private var isContent = false
    /// The damaged attachments to report before the record that was read after them.
    private var damaged: [(digest: Attachment.Digest, fault: RecordError)] = []
    private var held: Result<InputEvent?, any Error>?

    init(_ input: borrowing InputFile, options: DumpReader.Options = DumpReader.Options()) {
        name = input.name
        reader = DumpReader(
            lines: input.lines(maximumLineByteCount: options.maximumLineByteCount), name: input.name, options: options)
    }

    var byteCount: Int { reader.byteCount }
    var recordCount: Int { reader.recordCount }

    var place: RecordPlace {
        let line = reader.currentLine
        // The line of a part of an attachment is long, and is never written as a rejected record.
        return RecordPlace(line: line.number, offset: line.offset, text: isContent ? [] : line.bytes)
    }

    var warning: String? {
        reader.isIncomplete ? "the dump is incomplete; it was accepted up to record \(recordCount)" : nil
    }

    func next() throws -> InputEvent? {
        if held == nil {
            let result = Result { try read() }
            damaged = reader.takeDamagedContents()
            if damaged.isEmpty { return try result.get() }
            held = result
        }
        if !damaged.isEmpty {
            let (digest, fault) = damaged.removeFirst()
            return .damagedContent(digest, fault)
        }
        defer { held = nil }
        return try held?.get()
    }

    private func read() throws -> InputEvent? {
        isContent = false
        let record = try reader.next()
        switch record {
        case nil: return nil
        case .header(let header): return .header(header)
        case .schema(let schema): return .schema(schema)
        case .document(let collection, let id, let content):
            return .change(.document(collection: collection, id: id, content: content))
        case .documentDeletion(let collection, let id):
            return .change(.documentDeletion(collection: collection, id: id))
        case .replicated(let document): return .change(.replicated(document))
        case .pair(let key, let value): return .change(.pair(key: key, value: value))
        case .deletion(let key): return .change(.deletion(key: key))
        case .content(let part):
            isContent = true
            return .content(part)
        case .part, .mark, .end: preconditionFailure("the reader does not return these")
        }
    }
}
