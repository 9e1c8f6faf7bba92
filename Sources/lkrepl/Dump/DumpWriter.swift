import DocIndex

/// Writes a dump line by line, and counts and digests as it goes.
struct DumpWriter {
    private let output: StandardOutput
    private var digest = ContentDigest()
    private var envelope = ContentDigest()
    private(set) var recordCount = 0

    init(_ output: StandardOutput) { self.output = output }

    /// Writes a header, a schema, or a record; marks and the end are written by the writer itself.
    mutating func write(_ record: DumpRecord) throws {
        switch record {
        case .document(let collection, let id, let content):
            digest.add(collection: collection, id: id, content: content)
            try writeLine(record.object)
            try countRecord()
        case .pair(let key, let value):
            digest.add(key: key, value: value)
            try writeLine(record.object)
            try countRecord()
        default: try writeEnvelope(record)
        }
    }

    /// Writes the end record. A dump without it is refused.
    mutating func finish() throws {
        let end = DumpRecord.end(
            records: recordCount, digest: digest.hexadecimal(), envelope: envelope.hexadecimal())
        try writeLine(end.object)
        try output.flush()
    }

    private mutating func countRecord() throws {
        recordCount += 1
        if recordCount % DumpRecord.markInterval == 0 {
            try writeEnvelope(.mark(records: recordCount, digest: digest.hexadecimal()))
        }
    }

    private mutating func writeEnvelope(_ record: DumpRecord) throws {
        envelope.add(envelope: record.object)
        try writeLine(record.object)
    }

    private func writeLine(_ object: DocumentObject) throws {
        var line: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &line, JSONWriter(isExtended: true))
        line.append(0x0a)
        try output.write(line)
    }
}
