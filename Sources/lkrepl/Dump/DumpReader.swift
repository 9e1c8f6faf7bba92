import DocIndex

/// Reads a dump and refuses one that is not whole: cut, changed, or with lines too many.
struct DumpReader: ~Copyable {
    /// How much is asked of a dump.
    struct Options: Hashable {
        /// Whether counts and digests must fit.
        var verifies = true
        /// Whether a dump may end without its end record, or with one that says that it is not complete.
        var allowsIncomplete = false
        /// Whether records and members that are not known are passed over.
        var isLenient = false
        var maximumLineByteCount = LineReader.usualMaximum
    }

    private let name: String
    private let options: Options
    private var lines: LineReader
    private var line = LineReader.Line()
    private var digest = ContentDigest()
    private var envelope = ContentDigest()
    private(set) var recordCount = 0
    private var content: DumpHeader.Content?
    private var hasSchema = false
    private var isEnded = false
    /// Set once if the dump ended early and that is allowed.
    private(set) var isIncomplete = false
    /// The pieces of a value that is not whole yet.
    private var parts: (key: [UInt8], value: [UInt8], next: Int, count: Int)?

    /// The longest value that is put together from parts, in bytes.
    private static let maximumValueByteCount = 1 << 30

    init(lines: consuming LineReader, name: String, options: Options = Options()) {
        self.lines = lines
        self.name = name
        self.options = options
    }

    init(descriptor: FileDescriptor, name: String, options: Options = Options()) {
        self.init(
            lines: LineReader(descriptor: descriptor, maximumLineByteCount: options.maximumLineByteCount), name: name,
            options: options)
    }

    /// Bytes that were read so far.
    var byteCount: Int { lines.offset }
    /// The line that was read last, and its number and place.
    var currentLine: LineReader.Line { line }

    /// The next header, schema or record; `nil` at the end of a whole dump.
    ///
    /// - Throws: ``RecordFault`` with the line.
    mutating func next() throws -> DumpRecord? {
        while try readLine() {
            if line.bytes.isEmpty { continue }
            guard !isEnded else { throw fault(.init(.format, "there is more behind the end record")).final }
            if content == .raw, let pair = PairLine.parse(line.bytes.span) {
                guard parts == nil else { throw missingPart }
                return take(pair)
            }
            guard let (record, object) = try self.record() else { continue }
            try checkPlace(of: record)
            if let record = try take(record, object) { return record }
        }
        try checkEnd()
        return nil
    }

    private mutating func readLine() throws -> Bool {
        let last = (line.number, line.offset)
        do {
            if try lines.read(into: &line) { return true }
            // At the end, what is wrong is wrong with the last line there was.
            (line.number, line.offset) = last
            return false
        } catch {
            line.number = error.lineNumber
            line.offset = error.offset
            throw RecordFault(error)
        }
    }

    private mutating func checkEnd() throws {
        if parts != nil, !options.allowsIncomplete { throw missingPart }
        guard !isEnded else { return }
        guard options.allowsIncomplete, content != nil else {
            throw fault(
                .init(
                    .truncated,
                    "the dump ends after record \(recordCount) without its end record; it was cut, or is still being "
                        + "written",
                    hint: "--allow-incomplete takes what is there")
            ).final
        }
        isIncomplete = true
    }

    /// A pair in the usual form, of which there are most.
    private mutating func take(_ pair: (key: Range<Int>, value: Range<Int>)) -> DumpRecord {
        // A reference of its own, since a span of the line would keep all of `self` from being changed.
        let text = line.bytes
        digest.add(key: text.span.extracting(pair.key), value: text.span.extracting(pair.value))
        recordCount += 1
        return .pair(key: Array(text[pair.key]), value: Array(text[pair.value]))
    }

    /// Header, schema where there are documents, records of the one kind: nothing else, and in this order.
    private mutating func checkPlace(of record: DumpRecord) throws {
        if parts != nil {
            guard case .part = record else { throw missingPart }
        }
        switch (record, content) {
        case (.header(let header), nil): content = header.content
        case (.header, _): throw fault(.init(.format, "there is a second header")).final
        case (_, nil): throw fault(.init(.format, "there is no header before this line")).final
        case (.schema, .documents):
            guard !hasSchema else { throw fault(.init(.format, "there is a second schema")).final }
            hasSchema = true
        case (.schema, _), (.document, .raw), (.documentDeletion, .raw), (.pair, .documents), (.deletion, .documents),
            (.part, .documents):
            throw fault(.init(.format, "this line does not belong into a dump of this kind")).final
        case (_, .documents):
            guard hasSchema else { throw fault(.init(.format, "the schema is missing")).final }
        default: break
        }
    }

    private var missingPart: RecordFault {
        fault(.init(.truncated, "the pieces of a value are not all there, or not in their order")).final
    }

    /// The record of the line, and its object; `nil` for one of a kind that is passed over.
    private func record() throws -> (DumpRecord, DocumentObject)? {
        do {
            // A document lies one level deeper in its line than in a store.
            let parser = JSONParser(
                isExtended: true, start: JSONPosition(offset: line.offset, line: line.number, column: 1),
                maximumDepth: DocumentValue.maximumDepth + 1)
            guard case .object(let object) = try parser.parse(line.bytes) else {
                throw DumpFault("a line is no object")
            }
            guard content != nil || object.first?.name == "lkdump" else {
                throw DumpFault("this is no dump, which begins with a header; import reads plain JSON Lines")
            }
            if options.isLenient, !DumpRecord.isKnown(object) { return nil }
            return (try DumpRecord(object, isLenient: options.isLenient), object)
        } catch let error as JSONError {
            // A cut line is broken JSON; say so rather than which bracket is missing.
            guard line.isTerminated else {
                throw fault(.init(.truncated, "the dump is cut in this line, after record \(recordCount)")).final
            }
            let fault = RecordFault(error, recordOffset: line.offset)
            throw content == nil ? fault.final : fault
        } catch let error as DumpFault {
            let fault = fault(.init(error.kind, error.reason))
            throw content == nil ? fault.final : fault
        }
    }

    /// Counts and digests a record, and checks what the record itself says of them.
    ///
    /// - Returns: what the reader's caller wants to see of it.
    private mutating func take(_ record: DumpRecord, _ object: DocumentObject) throws -> DumpRecord? {
        switch record {
        case .header, .schema:
            envelope.add(envelope: object)
            return record
        case .document(let collection, let id, let content):
            digest.add(collection: collection, id: id, content: content)
            recordCount += 1
            return record
        case .documentDeletion(let collection, let id):
            digest.add(deletionOf: id, in: collection)
            recordCount += 1
            return record
        case .pair(let key, let value):
            digest.add(key: key, value: value)
            recordCount += 1
            return record
        case .deletion(let key):
            digest.add(deletionOf: key)
            recordCount += 1
            return record
        case .part(let key, let value, let index, let count):
            return try takePart(key, value, index, count)
        case .mark(let count):
            envelope.add(envelope: object)
            try check(count, "the mark does not fit the \(recordCount) records before it: the dump was changed")
            return nil
        case .end(let count, let expectedEnvelope, let isComplete):
            try takeEnd(count, expectedEnvelope, isComplete)
            return nil
        }
    }

    private mutating func takePart(
        _ key: [UInt8], _ value: [UInt8], _ index: Int, _ count: Int
    ) throws -> DumpRecord? {
        if index == 0, parts == nil { parts = (key, [], 0, count) }
        guard var whole = parts, whole.key == key, whole.next == index, whole.count == count else { throw missingPart }
        guard whole.value.count + value.count <= Self.maximumValueByteCount else {
            throw fault(.init(.size, "a value has more than \(Self.maximumValueByteCount) bytes")).final
        }
        parts = nil
        whole.value += value
        whole.next += 1
        guard whole.next == count else {
            parts = whole
            return nil
        }
        digest.add(key: key, value: whole.value)
        recordCount += 1
        return .pair(key: key, value: whole.value)
    }

    private mutating func takeEnd(_ count: DumpRecord.Count, _ expectedEnvelope: String, _ isComplete: Bool) throws {
        if options.verifies, count.records != recordCount {
            throw fault(
                .init(
                    .digest,
                    "the dump has \(recordCount) records, its end says \(count.records): records were lost or added",
                    hint: "--no-verify takes a dump that was changed on purpose")
            ).final
        }
        try check(count, "the digest at the end does not fit: the dump was changed", keyBytes: count.keyByteCount)
        if options.verifies, expectedEnvelope != envelope.hexadecimal() {
            throw fault(.init(.digest, "the digest at the end does not fit: the dump was changed")).final
        }
        guard line.isTerminated else { throw fault(.init(.truncated, "the dump is cut in its last line")).final }
        isEnded = true
        guard isComplete || options.allowsIncomplete else {
            throw fault(
                .init(
                    .truncated, "the dump was interrupted after record \(recordCount), as its end record says",
                    hint: "--allow-incomplete takes what is there")
            ).final
        }
        isIncomplete = !isComplete
    }

    /// Compares what was counted with what a line says.
    ///
    /// - Parameter keyBytes: the bytes of keys alone, if the line says them.
    private mutating func check(_ count: DumpRecord.Count, _ message: String, keyBytes: Int? = nil) throws {
        guard options.verifies else { return }
        let byteCount = digest.keyByteCount + digest.valueByteCount
        let (expected, overflow) = count.keyByteCount.addingReportingOverflow(count.valueByteCount)
        guard count.records == recordCount, !overflow, expected == byteCount,
            keyBytes == nil || keyBytes == digest.keyByteCount, count.digest == digest.hexadecimal()
        else {
            throw fault(
                .init(.digest, message, hint: "--no-verify takes a dump that was changed on purpose")
            ).final
        }
    }

    private func fault(_ fault: RecordFault) -> RecordFault {
        fault.at(line: max(1, line.number), offset: line.offset)
    }
}
