import DocIndex
import LevelKit
import StorePackages

/// Writes a dump line by line, and updates its counts and digests.
struct DumpWriter {
    private let output: StandardOutput
    private let maximumLineByteCount: Int
    private var digest = ContentDigest()
    private var envelope = ContentDigest()
    private(set) var recordCount = 0
    /// The attachments that the documents refer to; `nil` if the header does not say where they are.
    var attachments: DumpRecord.Attachments?
    /// The counts at the last mark.
    private var marked = (records: 0, byteCount: 0)
    private var line: [UInt8] = []

    init(_ output: StandardOutput, maximumLineByteCount: Int = DumpRecord.maximumLineByteCount) {
        self.output = output
        self.maximumLineByteCount = maximumLineByteCount
    }

    /// Writes a header, a schema or a record. The writer itself adds marks and the end record.
    mutating func write(_ record: DumpRecord) throws {
        switch record {
        case .document(let collection, let id, let content): try write(collection: collection, id: id, content)
        case .documentDeletion(let collection, let id):
            digest.add(deletionOf: id, in: collection)
            try writeLine(record.object)
            try countRecord()
        case .replicated(let document): try write(document)
        case .pair(let key, let value): try write(key: key.span, value: value.span)
        case .deletion(let key):
            digest.add(deletionOf: key)
            try writeLine(record.object)
            try countRecord()
        default: try writeEnvelope(record)
        }
    }

    /// Writes a pair. A value that is too long for a line is split into parts.
    mutating func write(key: Span<UInt8>, value: Span<UInt8>) throws {
        digest.add(key: key, value: value)
        line.removeAll(keepingCapacity: true)
        if !PairLine.append(key: key, value: value, to: &line) {
            try appendLine(DumpRecord.pair(key: key.copied(), value: value.copied()).object)
        }
        if line.count <= maximumLineByteCount {
            try output.write(line)
        } else {
            try writeParts(key: key.copied(), value: value)
        }
        try countRecord()
    }

    /// Writes a pair with a JSON value as an object, so that programs need not parse it twice. A value that would read
    /// back differently is written like other values, so nothing is lost.
    mutating func write(key: Span<UInt8>, jsonValue value: Span<UInt8>) throws {
        guard let document = try? JSONParser().parse(value), document.kind != .string else {
            return try write(key: key, value: value)
        }
        var text: [UInt8] = []
        document.writeJSON(to: &text)
        guard text.span.hasSameBytes(as: value), text.count < maximumLineByteCount / 2 else {
            return try write(key: key, value: value)
        }
        digest.add(key: key, value: value)
        var object = DocumentObject()
        DumpRecord.append(key.copied(), name: "k", to: &object)
        object["doc"] = document
        var line: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &line)
        line.append(0x0a)
        try output.write(line)
        try countRecord()
    }

    /// Writes the content of an attachment in parts.
    mutating func write(_ attachment: Attachment, from attachments: DocumentStore.Attachments) throws {
        // The other members of a line take less than 256 bytes.
        let size = min(DumpRecord.partByteCount, (maximumLineByteCount - 256) / 4 * 3)
        let (whole, rest) = attachment.byteCount.quotientAndRemainder(dividingBy: Int64(size))
        let count = max(1, Int(whole) + (rest > 0 ? 1 : 0))
        var part: [UInt8] = []
        part.reserveCapacity(Int(min(Int64(size), attachment.byteCount)))
        var index = 0
        func writePart() throws {
            var line: [UInt8] = []
            line.reserveCapacity(part.count / 3 * 4 + 256)
            line += #"{"a":"\#(attachment.digest)","bytes":\#(attachment.byteCount),"part":\#(index),"#.utf8
            line += #""parts":\#(count),"b64":""#.utf8
            Base64.append(part.span, to: &line)
            line += "\"}\n".utf8
            try output.write(line)
            index += 1
            part.removeAll(keepingCapacity: true)
        }
        try attachments.read(attachment) { bytes in
            try Interruption.check(HumanNumber.counted(recordCount, "record"))
            var rest = bytes[...]
            while !rest.isEmpty {
                let taken = rest.prefix(size - part.count)
                part += taken
                rest = rest.dropFirst(taken.count)
                if part.count == size { try writePart() }
            }
        }
        if !part.isEmpty || index == 0 { try writePart() }
        envelope.add(content: attachment.digest, byteCount: attachment.byteCount)
    }

    /// Writes the end record. A dump without one, or with one that marks it incomplete, is rejected.
    mutating func finish(isComplete: Bool = true) throws {
        var count = count
        count.attachments = attachments
        let end = DumpRecord.end(
            count, envelope: envelope.hexadecimal(), isComplete: isComplete)
        try writeLine(end.object)
        try output.flush()
    }

    private var count: DumpRecord.Count {
        mutating get {
            DumpRecord.Count(
                records: recordCount, keyByteCount: digest.keyByteCount, valueByteCount: digest.valueByteCount,
                digest: digest.hexadecimal())
        }
    }

    private mutating func write(collection: String, id: DocumentID, _ content: DocumentObject) throws {
        // Serialize the document once, for both the line and the digest.
        var json: [UInt8] = []
        DocumentValue.object(content).writeJSON(to: &json, JSONWriter(notation: .dump))
        digest.add(collection: collection, id: id, json: json.span)
        line.removeAll(keepingCapacity: true)
        line += #"{"c":"#.utf8
        DocumentValue.string(collection).writeJSON(to: &line)
        line += #","id":"#.utf8
        id.value.writeJSON(to: &line)
        line += #","doc":"#.utf8
        line += json
        line += "}\n".utf8
        try requireLength(of: id, in: collection)
        try output.write(line)
        try countRecord()
    }

    private mutating func write(_ document: ReplicatedDocument) throws {
        line.removeAll(keepingCapacity: true)
        try appendLine(document.object)
        try requireLength(of: document.id, in: document.collection)
        if let content = document.content {
            digest.add(collection: document.collection, id: document.id, content: content)
        } else if document.isRecord {
            digest.add(deletionOf: document.id, in: document.collection)
        }
        envelope.add(envelope: document.envelope)
        try output.write(line)
        if document.isRecord { try countRecord() }
    }

    /// Throws if the line of a document is too long.
    private func requireLength(of id: DocumentID, in collection: String) throws {
        guard line.count > maximumLineByteCount else { return }
        throw CommandError(
            .badData,
            "the document \(id) of \(collection) has a line of \(HumanNumber.grouped(line.count)) bytes, but "
                + "\(HumanNumber.grouped(maximumLineByteCount)) is the maximum",
            hint: "raise --max-line for dump and load")
    }

    private func writeParts(key: [UInt8], value: Span<UInt8>) throws {
        let size = DumpRecord.partByteCount
        let partCount = max(2, (value.count + size - 1) / size)
        for index in 0..<partCount {
            let part = value.extracting(min(value.count, index * size)..<min(value.count, (index + 1) * size))
            var text: [UInt8] = []
            let record = DumpRecord.part(key: key, value: part.copied(), index: index, count: partCount)
            DocumentValue.object(record.object).writeJSON(to: &text)
            text.append(0x0a)
            guard text.count <= maximumLineByteCount else {
                throw CommandError(
                    .badData,
                    "a key of \(HumanNumber.grouped(key.count)) bytes needs a line of more than "
                        + "\(HumanNumber.grouped(maximumLineByteCount)) bytes",
                    hint: "raise --max-line for dump and load")
            }
            try output.write(text)
        }
    }

    private mutating func countRecord() throws {
        recordCount += 1
        let byteCount = digest.keyByteCount + digest.valueByteCount
        guard
            recordCount - marked.records >= DumpRecord.markInterval
                || byteCount - marked.byteCount >= DumpRecord.markByteCount
        else { return }
        marked = (recordCount, byteCount)
        try writeEnvelope(.mark(count))
    }

    private mutating func writeEnvelope(_ record: DumpRecord) throws {
        envelope.add(envelope: record.object)
        try writeLine(record.object)
    }

    private mutating func writeLine(_ object: DocumentObject) throws {
        line.removeAll(keepingCapacity: true)
        try appendLine(object)
        try output.write(line)
    }

    private mutating func appendLine(_ object: DocumentObject) throws {
        DocumentValue.object(object).writeJSON(to: &line, JSONWriter(notation: .dump))
        line.append(0x0a)
    }
}
