import DocIndex

/// Reads a dump and refuses one that is not whole: cut, changed, or with lines too many.
struct DumpReader: ~Copyable {
    private let name: String
    private var lines: LineReader
    private var digest = ContentDigest()
    private var envelope = ContentDigest()
    private(set) var recordCount = 0
    private var content: DumpRecord.Content?
    private var hasSchema = false
    private var isEnded = false
    private var lineNumber = 0

    init(descriptor: FileDescriptor, name: String) {
        self.name = name
        lines = LineReader(descriptor: descriptor)
    }

    /// Bytes that were read so far.
    var byteCount: Int { lines.offset }

    /// The next header, schema or record; `nil` at the end of a whole dump.
    ///
    /// - Throws: ``CommandFailure`` with `badData`, the file and the line.
    mutating func next() throws -> DumpRecord? {
        while let line = try readLine() {
            lineNumber = line.number
            if line.bytes.isEmpty { continue }
            guard !isEnded else { throw fault("there is more behind the end record") }
            let (record, object) = try self.record(line)
            try checkPlace(of: record)
            if try take(record, object, line) { return record }
        }
        guard isEnded else {
            throw fault(
                "the dump ends after record \(recordCount) without its end record; it was cut, or is still being written"
            )
        }
        return nil
    }

    private mutating func readLine() throws -> LineReader.Line? {
        do {
            return try lines.next()
        } catch {
            throw error.commandFailure(reading: name)
        }
    }

    /// Header, schema where there are documents, records of the one kind: nothing else, and in this order.
    private mutating func checkPlace(of record: DumpRecord) throws {
        switch (record, content) {
        case (.header(let kind), nil): content = kind
        case (.header, _): throw fault("there is a second header")
        case (_, nil): throw fault("there is no header before this line")
        case (.schema, .documents):
            guard !hasSchema else { throw fault("there is a second schema") }
            hasSchema = true
        case (.schema, _), (.document, .raw), (.pair, .documents):
            throw fault("this line does not belong into a dump of this kind")
        case (_, .documents):
            guard hasSchema else { throw fault("the schema is missing") }
        default: break
        }
    }

    private func record(_ line: LineReader.Line) throws -> (DumpRecord, DocumentObject) {
        let start = JSONPosition(offset: line.offset, line: line.number, column: 1)
        do {
            // A document lies one level deeper in its line than in a store.
            let parser = JSONParser(isExtended: true, start: start, maximumDepth: DocumentValue.maximumDepth + 1)
            guard case .object(let object) = try parser.parse(line.bytes) else {
                throw DumpFault("a line is no object")
            }
            guard content != nil || object.first?.name == "lkdump" else {
                throw DumpFault("this is no dump, which begins with a header; import reads plain JSON Lines")
            }
            return (try DumpRecord(object), object)
        } catch let error as JSONError {
            if content == nil, let name = Self.compression(line.bytes) {
                throw fault("the file is compressed with \(name); use \(name) -dc FILE | lkrepl load … -")
            }
            // A cut line is broken JSON; say so rather than which bracket is missing.
            guard line.isTerminated else {
                throw fault("the dump is cut in this line, after record \(recordCount)")
            }
            throw DocumentSource.failure(error, in: name)
        } catch let error as DumpFault {
            throw fault(error.reason)
        }
    }

    /// Counts and digests a record, and checks what the record itself says of them.
    ///
    /// - Returns: whether the reader's caller wants to see it.
    private mutating func take(
        _ record: DumpRecord, _ object: DocumentObject, _ line: LineReader.Line
    ) throws -> Bool {
        switch record {
        case .header, .schema:
            envelope.add(envelope: object)
            return true
        case .document(let collection, let id, let content):
            digest.add(collection: collection, id: id, content: content)
            recordCount += 1
            return true
        case .pair(let key, let value):
            digest.add(key: key, value: value)
            recordCount += 1
            return true
        case .mark(let records, let expected):
            envelope.add(envelope: object)
            guard records == recordCount, expected == digest.hexadecimal() else {
                throw fault("the mark does not fit the \(recordCount) records before it: the dump was changed")
            }
            return false
        case .end(let records, let expected, let expectedEnvelope):
            guard records == recordCount else {
                throw fault("the dump has \(recordCount) records, its end says \(records): records were lost or added")
            }
            guard expected == digest.hexadecimal(), expectedEnvelope == envelope.hexadecimal() else {
                throw fault("the digest at the end does not fit: the dump was changed")
            }
            guard line.isTerminated else { throw fault("the dump is cut in its last line") }
            isEnded = true
            return false
        }
    }

    /// The program that compressed a file that begins with these bytes; `nil` if none is known.
    private static func compression(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x1f, 0x8b]) { return "gzip" }
        if bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) { return "zstd" }
        return nil
    }

    func fault(_ reason: String) -> CommandFailure {
        CommandFailure(.badData, "\(name):\(max(1, lineNumber)): \(reason)")
    }
}
