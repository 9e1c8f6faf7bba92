import DocIndex

/// Records without a frame, one a line or as one array: the lines of a dump that a program has changed, or plain
/// documents.
///
/// There is no end to wait for and no digest to check, so a file that was cut between two lines looks whole.
final class PlainRecordSource: RecordSource {
    /// What an object that is no record of a dump stands for.
    enum PlainDocuments {
        /// Nothing: it is refused.
        case refused
        /// A pair: the member of this name is the key, the whole text the value.
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
            parsing: JSONParser(isExtended: plain.readsRecords, maximumDepth: DocumentValue.maximumDepth + 1))
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
        } catch let fault as DumpFault {
            throw RecordFault(fault.kind, fault.reason).at(line: place.line, offset: place.offset)
        }
    }

    private func change(_ object: DocumentObject) throws -> InputChange {
        switch plain {
        case .pairs(let field):
            guard let member = object[field] else {
                throw DumpFault("there is no member \(field), which holds the key", kind: .missingKey)
            }
            switch member {
            case .string(let text): return .pair(key: Array(text.utf8), value: place.text)
            case .int(let number): return .pair(key: Array(String(number).utf8), value: place.text)
            default:
                throw DumpFault("the member \(field), which holds the key, is no text and no whole number", kind: .type)
            }
        case .refused: break
        }
        guard object.first?.name != "lkdump", object.first?.name != "end", object.first?.name != "mark",
            object.first?.name != "schema"
        else { throw DumpFault("a line of a dump's frame stands among records without a frame") }
        switch try DumpRecord(object) {
        case .document(let collection, let id, let content):
            return .document(collection: collection, id: id, content: content)
        case .documentDeletion(let collection, let id): return .documentDeletion(collection: collection, id: id)
        case .pair(let key, let value): return .pair(key: key, value: value)
        case .deletion(let key): return .deletion(key: key)
        default: throw DumpFault("this line has its place in a whole dump only")
        }
    }
}

extension PlainRecordSource.PlainDocuments {
    /// Whether the lines are those of dumps, with their notation for what JSON lacks.
    fileprivate var readsRecords: Bool {
        if case .refused = self { return true }
        return false
    }
}
