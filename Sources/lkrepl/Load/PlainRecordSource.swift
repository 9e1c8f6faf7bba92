import DocIndex

/// Records without a header, one per line or in one array: lines of a dump that a program has changed, or plain
/// documents.
///
/// Without an end record and a digest, truncation between two lines cannot be detected.
final class PlainRecordSource: RecordSource {
    /// The meaning of an object that is not a dump record.
    enum PlainDocuments {
        /// An error.
        case refused
        /// A pair: the member with this name is the key, the whole line the value.
        case pairs(keyField: String)
    }

    private let plain: PlainDocuments
    private var source: DocumentSource

    init(
        _ input: borrowing InputFile, format: DocumentSource.Format? = nil, plain: PlainDocuments = .refused,
        maximumLineByteCount: Int = LineReader.usualMaximum
    ) {
        self.plain = plain
        source = DocumentSource(
            input, format: format, maximumLineByteCount: maximumLineByteCount,
            parsing: JSONParser(
                notation: plain.readsRecords ? .dump : .plain, maximumDepth: DocumentValue.maximumDepth + 1))
    }

    var name: String { source.name }
    var byteCount: Int { source.byteCount }
    var place: RecordPlace { source.place }

    func next() throws -> InputEvent? {
        guard try source.advance() else { return nil }
        if plain.readsRecords, let pair = PairLine.parse(place.text.span) {
            return .change(.pair(key: Array(place.text[pair.key]), value: Array(place.text[pair.value])))
        }
        let object = try source.object()
        do {
            return .change(try change(object))
        } catch let fault as DumpError {
            throw RecordError(fault.kind, fault.reason).at(line: place.line, offset: place.offset)
        }
    }

    private func change(_ object: DocumentObject) throws -> InputChange {
        switch plain {
        case .pairs(let field):
            guard let member = object[field] else {
                throw DumpError("the key member \(field) is missing", kind: .missingKey)
            }
            switch member {
            case .string(let text): return .pair(key: Array(text.utf8), value: place.text)
            case .int(let number): return .pair(key: Array(String(number).utf8), value: place.text)
            default:
                throw DumpError("the key member \(field) is neither a string nor an integer", kind: .type)
            }
        case .refused: break
        }
        guard object.first?.name != "lkdump", object.first?.name != "end", object.first?.name != "mark",
            object.first?.name != "schema"
        else { throw DumpError("the dump header is missing") }
        switch try DumpRecord(object) {
        case .document(let collection, let id, let content):
            return .document(collection: collection, id: id, content: content)
        case .documentDeletion(let collection, let id): return .documentDeletion(collection: collection, id: id)
        case .replicated(let document): return .replicated(document)
        case .pair(let key, let value): return .pair(key: key, value: value)
        case .deletion(let key): return .deletion(key: key)
        default: throw DumpError("this record is allowed only in a complete dump")
        }
    }
}

extension PlainRecordSource.PlainDocuments {
    /// Whether the lines are dump records, in extended JSON.
    fileprivate var readsRecords: Bool {
        if case .refused = self { return true }
        return false
    }
}
