internal import DocIndex

/// Reads the lines that ``DocumentLines`` makes, from parts of the file in order.
struct DocumentLineReader {
    /// The content of a line.
    enum Record {
        case schema(Schema)
        /// A document, and the size of its line in bytes.
        case document(DocumentID, DocumentObject, byteCount: Int)
        case deletion(DocumentID)
    }

    private let path: String
    private let collection: String
    private var rest: [UInt8] = []
    private var idField = "id"
    private var lineNumber = 0
    private var recordCount = 0
    private var digest = ContentDigest()
    /// The IDs so far.
    private var ids: Set<Fingerprint> = []
    private var isEnded = false

    /// - Parameters:
    ///   - path: the path of the package, for messages.
    ///   - collection: the collection that all documents must be in.
    init(path: String, collection: String) {
        self.path = path
        self.collection = collection
    }

    /// Adds a part, and calls `body` with the record of each line that it completes.
    ///
    /// - Throws: ``PackageError`` with `packageDamaged`; what `body` throws.
    mutating func append(_ part: [UInt8], _ body: (Record) throws -> Void) throws {
        var start = 0
        while let end = part[start...].firstIndex(of: 0x0a) {
            let line = rest.isEmpty ? Array(part[start..<end]) : rest + part[start..<end]
            rest.removeAll(keepingCapacity: true)
            start = end + 1
            if let record = try record(line) { try body(record) }
        }
        guard rest.count + part.count - start <= DocumentLines.maximumByteCount else {
            lineNumber += 1
            throw tooLong
        }
        rest += part[start...]
    }

    /// Checks that the last line was the end.
    func finish() throws {
        guard isEnded, rest.isEmpty else { throw problem("the last line is not the end of a dump") }
    }

    private mutating func record(_ line: [UInt8]) throws -> Record? {
        lineNumber += 1
        guard !isEnded else { throw problem("it follows the end of the dump") }
        guard line.count < DocumentLines.maximumByteCount else { throw tooLong }
        guard !DocumentLines.hasTooManyValues(line) else {
            throw problem("it has more than \(DocumentLines.maximumValueCount) values")
        }
        // A document is nested deeper in its line than in a store.
        let parser = JSONParser(notation: .dump, maximumDepth: DocumentValue.maximumDepth + 2)
        guard case .object(let object)? = try? parser.parse(line) else { throw problem("it is not a JSON object") }
        switch (lineNumber, object.first?.name) {
        case (1, "lkdump"):
            guard object["kind"] == "docs", object["digest"] == .string(ContentDigest.name) else {
                throw problem("it is not the header of a dump of documents")
            }
            return nil
        case (2, "schema"): return .schema(try schema(object["schema"]))
        case (3..., "c"): return try document(object, byteCount: line.count)
        case (3..., "end"):
            try checkEnd(object["end"])
            isEnded = true
            return nil
        default: throw problem("its first member is not \(Self.firstMember(ofLine: lineNumber))")
        }
    }

    private mutating func schema(_ value: DocumentValue?) throws -> Schema {
        var text: [UInt8] = []
        value?.writeJSON(to: &text)
        guard let schema = try? Schema(json: text), schema.collections.count == 1,
            schema.collections.allSatisfy({ $0.name.hasSameBytes(as: collection) })
        else { throw problem("it is not the schema of the collection") }
        idField = schema.collections[0].idField
        return schema
    }

    private mutating func document(_ object: DocumentObject, byteCount: Int) throws -> Record {
        guard object.count == 3, object["c"]?.stringValue?.hasSameBytes(as: collection) == true,
            let id = object["id"].flatMap({ DocumentID($0) })
        else { throw problem("it is not a document of the collection") }
        guard ids.insert(Self.fingerprint(of: id)).inserted else {
            throw problem("an earlier line has the same ID")
        }
        recordCount += 1
        if let content = object["doc"]?.objectValue {
            guard content[idField].flatMap({ DocumentID($0) }) == id else {
                throw problem("its member \(idField) is not its ID")
            }
            digest.add(collection: collection, id: id, content: content)
            return .document(id, content, byteCount: byteCount)
        }
        guard object["del"] == true else { throw problem("it is not a document of the collection") }
        digest.add(deletionOf: id, in: collection)
        return .deletion(id)
    }

    private static func fingerprint(of id: DocumentID) -> Fingerprint {
        switch id {
        case .string(let text): Fingerprint(of: Array("\"\(text)".utf8))
        case .int(let number): Fingerprint(of: Array(String(number).utf8))
        }
    }

    private mutating func checkEnd(_ end: DocumentValue?) throws {
        guard end?["records"]?.intValue == Int64(recordCount), end?["complete"] == true,
            end?["digest"]?.stringValue == digest.hexadecimal()
        else { throw problem("the counts and the digest at the end do not agree with the documents") }
    }

    /// The member with which a line begins.
    private static func firstMember(ofLine number: Int) -> String {
        switch number {
        case 1: "lkdump"
        case 2: "schema"
        default: "c or end"
        }
    }

    private var tooLong: PackageError { problem("it has more than \(DocumentLines.maximumByteCount) bytes") }

    private func problem(_ reason: String) -> PackageError {
        .damaged(path, "line \(lineNumber) of its file documents.lkd.jsonl is unreadable: \(reason)")
    }
}
