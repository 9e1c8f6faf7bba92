import DocIndex
import StorePackages

/// Reads a dump, and rejects truncated, changed or extended ones.
struct DumpReader: ~Copyable {
    /// Options that relax the checks of a dump.
    struct Options: Hashable {
        /// Whether counts and digests must match.
        var verifies = true
        /// Whether a dump may end without an end record, or with one that marks it incomplete.
        var allowsIncomplete = false
        /// Whether unknown records and members are ignored.
        var isLenient = false
        /// Whether damaged attachments are left out, instead of rejecting the whole dump.
        var skipsDamagedContents = false
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
    private var contents = DumpedContents(place: nil)
    private var damagedDigests: Set<Attachment.Digest> = []
    /// The damaged attachments since the last call of ``takeDamagedContents()``.
    private var damagedContents: [(digest: Attachment.Digest, fault: RecordError)] = []
    private var hasSchema = false
    private var hasRevisions = false
    private var isEnded = false
    /// Whether an incomplete dump ended early; set only if that is allowed.
    private(set) var isIncomplete = false
    /// The parts of a value that is still incomplete.
    private var parts: (key: [UInt8], value: [UInt8], next: Int, count: Int)?

    /// The maximum size in bytes of a value assembled from parts.
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

    /// The number of bytes read so far.
    var byteCount: Int { lines.offset }
    /// The last line read, with its number and offset.
    var currentLine: LineReader.Line { line }

    /// The next header, schema or record; `nil` at the end of a complete dump.
    ///
    /// - Throws: ``RecordError`` with the position of the line.
    mutating func next() throws -> DumpRecord? {
        while try readLine() {
            if line.bytes.isEmpty { continue }
            guard !isEnded else { throw fault(.init(.format, "the dump continues after the end record")).final }
            if content == .raw, let pair = PairLine.parse(line.bytes.span) {
                guard parts == nil else { throw missingPart }
                return take(pair)
            }
            if content == .documents, let part = ContentLine.parse(line.bytes.span) {
                try checkPlace(of: .content(part))
                if let record = try take(.content(part), [:]) { return record }
                continue
            }
            guard let (record, object) = try readableRecord() else { continue }
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
            // Errors at the end of the file are reported at the last line.
            (line.number, line.offset) = last
            return false
        } catch {
            line.number = error.lineNumber
            line.offset = error.offset
            throw RecordError(error)
        }
    }

    private mutating func checkEnd() throws {
        if parts != nil || contents.isIncomplete, !options.allowsIncomplete { throw missingPart }
        guard !isEnded else { return }
        guard options.allowsIncomplete, content != nil else {
            throw fault(
                .init(
                    .truncated,
                    "the dump ends after record \(recordCount) without an end record; it is truncated, or still being "
                        + "written",
                    hint: "--allow-incomplete accepts the records so far")
            ).final
        }
        isIncomplete = true
    }

    /// Processes a pair in the common form, which most pairs have.
    private mutating func take(_ pair: (key: Range<Int>, value: Range<Int>)) -> DumpRecord {
        // A separate reference: a span of the line would keep `self` from being mutated.
        let text = line.bytes
        digest.add(key: text.span.extracting(pair.key), value: text.span.extracting(pair.value))
        recordCount += 1
        return .pair(key: Array(text[pair.key]), value: Array(text[pair.value]))
    }

    /// Checks the order of lines: a header, the schema of a document store, then records of one kind.
    private mutating func checkPlace(of record: DumpRecord) throws {
        if parts != nil {
            guard case .part = record else { throw missingPart }
        }
        if let digest = contents.incompleteDigest {
            let next: Attachment.Digest? = if case .content(let part) = record { part.digest } else { nil }
            guard next != nil || options.skipsDamagedContents else { throw missingPart }
            if options.skipsDamagedContents, next != digest {
                lose(digest, "the parts of the attachment \(digest) are incomplete")
            }
        }
        switch (record, content) {
        case (.header(let header), nil):
            content = header.content
            contents = DumpedContents(place: header.contents)
            hasRevisions = header.revisions != nil
        case (.header, _): throw fault(.init(.format, "duplicate header")).final
        case (_, nil): throw fault(.init(.format, "the header is missing before this line")).final
        case (.schema, .documents):
            guard !hasSchema else { throw fault(.init(.format, "duplicate schema")).final }
            hasSchema = true
        case (.schema, _), (.document, .raw), (.documentDeletion, .raw), (.pair, .documents), (.deletion, .documents),
            (.part, .documents), (.content, .raw), (.replicated, .raw):
            throw fault(.init(.format, "this record does not belong in a dump of this kind")).final
        case (_, .documents):
            guard hasSchema else { throw fault(.init(.format, "the schema is missing")).final }
            if case .replicated = record, !hasRevisions {
                throw fault(.init(.format, "the header does not announce revisions")).final
            }
        default: break
        }
    }

    private var missingPart: RecordError {
        fault(.init(.truncated, "the parts of a value or an attachment are incomplete or out of order")).final
    }

    /// The record of the line and its JSON object; `nil` for an unknown record that is ignored.
    private func record() throws -> (DumpRecord, DocumentObject)? {
        do {
            // A document is nested deeper in its line than in a store.
            let parser = JSONParser(
                notation: .dump, start: JSONError.Position(offset: line.offset, line: line.number, column: 1),
                maximumDepth: DocumentValue.maximumDepth + ReplicatedDocument.depth)
            guard case .object(let object) = try parser.parse(line.bytes) else {
                throw DumpError("a line is not a JSON object")
            }
            guard content != nil || object.first?.name == "lkdump" else {
                throw DumpError("the dump header is missing; import reads plain JSON Lines")
            }
            if options.isLenient, !DumpRecord.isKnown(object) { return nil }
            return (try DumpRecord(object, isLenient: options.isLenient), object)
        } catch let error as JSONError {
            // A truncated line is invalid JSON; report the truncation instead of the JSON error.
            guard line.isTerminated else {
                throw fault(.init(.truncated, "the dump is truncated in this line, after record \(recordCount)")).final
            }
            let fault = RecordError(error, recordOffset: line.offset)
            throw content == nil ? fault.final : fault
        } catch let error as DumpError {
            let fault = fault(.init(error.kind, error.reason))
            throw content == nil ? fault.final : fault
        }
    }

    /// Adds a record to counts and digests, and verifies the ones it contains.
    ///
    /// - Returns: The record to pass on to the caller; `nil` for marks, the end and incomplete values.
    private mutating func take(_ record: DumpRecord, _ object: DocumentObject) throws -> DumpRecord? {
        switch record {
        case .header, .schema:
            envelope.add(envelope: object)
            return record
        case .content(let part): return try takeContent(part) ? record : nil
        case .document(let collection, let id, let content):
            try note(content)
            digest.add(collection: collection, id: id, content: content)
            recordCount += 1
            return record
        case .documentDeletion(let collection, let id):
            digest.add(deletionOf: id, in: collection)
            recordCount += 1
            return record
        case .replicated(let document):
            for content in document.contents { try note(content) }
            if let content = document.content {
                digest.add(collection: document.collection, id: document.id, content: content)
            } else if document.isRecord {
                digest.add(deletionOf: document.id, in: document.collection)
            }
            if document.isRecord { recordCount += 1 }
            envelope.add(envelope: document.envelope)
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
            try check(count, "checksum mismatch at the mark after \(recordCount) records: the dump was changed")
            return nil
        case .end(let count, let expectedEnvelope, let isComplete):
            try takeEnd(count, expectedEnvelope, isComplete)
            return nil
        }
    }

    // MARK: - Attachments

    /// Takes a part of an attachment. Returns false if it is left out, because the content is damaged.
    private mutating func takeContent(_ part: ContentPart) throws -> Bool {
        guard !damagedDigests.contains(part.digest) else { return false }
        do {
            try contents.take(part)
        } catch let error as DumpError {
            guard error.kind == .digest || error.kind == .truncated else {
                throw fault(.init(error.kind, error.reason)).final
            }
            guard options.skipsDamagedContents else {
                throw fault(
                    .init(error.kind, error.reason, hint: "--on-error skip loads the documents without that attachment")
                ).final
            }
            lose(part.digest, error.reason)
            return false
        }
        if part.isLast { envelope.add(content: part.digest, byteCount: part.byteCount) }
        return true
    }

    /// The record of the line. An unreadable line of an attachment is that of a damaged attachment.
    private mutating func readableRecord() throws -> (DumpRecord, DocumentObject)? {
        do {
            return try record()
        } catch let fault as RecordError {
            guard options.skipsDamagedContents, fault.isRecoverable, content == .documents,
                let digest = ContentLine.digest(of: line.bytes.span)
            else { throw fault }
            lose(digest, "the content of the attachment \(digest) is unreadable: \(fault.message)")
            return nil
        }
    }

    /// Notes that an attachment is damaged. Its other parts are left out.
    private mutating func lose(_ digest: Attachment.Digest, _ reason: String) {
        contents.drop(digest)
        guard damagedDigests.insert(digest).inserted else { return }
        damagedContents.append((digest, RecordError(.attachment, "\(reason), in line \(line.number)")))
    }

    /// Returns the attachments that were found to be damaged since the last call; those of the last record's document
    /// are among them.
    mutating func takeDamagedContents() -> [(digest: Attachment.Digest, fault: RecordError)] {
        defer { damagedContents = [] }
        return damagedContents
    }

    /// Checks that the contents of the attachments in a document precede it.
    private mutating func note(_ content: DocumentObject) throws {
        guard let reason = contents.note(content), options.verifies else { return }
        // The document will be rejected unless the content is found elsewhere.
        if options.skipsDamagedContents, contents.place == .parts { return }
        throw fault(.init(.digest, reason, hint: "--no-verify accepts a dump that was changed on purpose")).final
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
                    "the dump has \(recordCount) records, but its end says \(count.records): records were lost or added",
                    hint: "--no-verify accepts a dump that was changed on purpose")
            ).final
        }
        // The sizes of damaged attachments, and the place of their lines, are not known.
        if options.verifies, damagedDigests.isEmpty, let reason = contents.difference(from: count.attachments) {
            throw fault(.init(.digest, reason, hint: "--no-verify accepts a dump that was changed on purpose")).final
        }
        try check(count, "checksum mismatch at the end: the dump was changed", keyBytes: count.keyByteCount)
        if options.verifies, damagedDigests.isEmpty, expectedEnvelope != envelope.hexadecimal() {
            throw fault(.init(.digest, "checksum mismatch at the end: the dump was changed")).final
        }
        guard line.isTerminated else { throw fault(.init(.truncated, "the dump is truncated in its last line")).final }
        isEnded = true
        guard isComplete || options.allowsIncomplete else {
            throw fault(
                .init(
                    .truncated, "the dump was interrupted after record \(recordCount), according to its end record",
                    hint: "--allow-incomplete accepts the records so far")
            ).final
        }
        isIncomplete = !isComplete
    }

    /// Compares the actual counts and digest with those in a line.
    ///
    /// - Parameter keyBytes: The bytes of keys alone; `nil` if the line does not contain them.
    private mutating func check(_ count: DumpRecord.Count, _ message: String, keyBytes: Int? = nil) throws {
        guard options.verifies else { return }
        let byteCount = digest.keyByteCount + digest.valueByteCount
        let (expected, overflow) = count.keyByteCount.addingReportingOverflow(count.valueByteCount)
        guard count.records == recordCount, !overflow, expected == byteCount,
            keyBytes == nil || keyBytes == digest.keyByteCount, count.digest == digest.hexadecimal()
        else {
            throw fault(
                .init(.digest, message, hint: "--no-verify accepts a dump that was changed on purpose")
            ).final
        }
    }

    private func fault(_ fault: RecordError) -> RecordError {
        fault.at(line: max(1, line.number), offset: line.offset)
    }
}
