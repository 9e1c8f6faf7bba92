internal import DocIndex

/// Makes the lines of the file with the documents, a dump that `lkrepl load` reads: a header, the schema, the documents
/// and the end with counts and digests.
struct DocumentLines {
    /// The attachments of the documents, whose attachments are not in the dump.
    struct References {
        private(set) var sizes: [Attachment.Digest: Int64] = [:]
        private(set) var byteCount: Int64 = 0

        /// Notes the attachments of a document.
        mutating func add(_ content: DocumentObject) {
            content.forEachAttachment { attachment in
                guard sizes.updateValue(attachment.byteCount, forKey: attachment.digest) == nil else { return }
                byteCount = byteCount.addingReportingOverflow(attachment.byteCount).partialValue
            }
        }
    }

    /// The maximum size of a line in bytes, so that reading one needs little memory.
    static let maximumByteCount = 8 << 20
    /// The maximum number of values in a line. Each takes some 100 bytes of memory.
    static let maximumValueCount = 1_000_000

    /// Whether a line has more values than a package may contain. They are counted by commas, brackets and colons.
    static func hasTooManyValues(_ line: [UInt8]) -> Bool {
        guard line.count > maximumValueCount else { return false }
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in line {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): count += 1
            default: break
            }
        }
        return count > maximumValueCount
    }

    private(set) var recordCount = 0
    private let references: References?
    private var digest = ContentDigest()
    private var envelope = ContentDigest()

    /// - Parameter references: the attachments of all documents; `nil` if there are none.
    init(references: References?) { self.references = references }

    /// The first two lines.
    mutating func beginning(_ schema: Schema, order: String, changes: PackageManifest.Changes?) -> [UInt8] {
        var header: DocumentObject = [
            "lkdump": references == nil ? 1 : 2, "kind": "docs", "tool": "lkrepl",
        ]
        if let changes {
            header["changes"] = [
                "epoch": .string(changes.epoch), "since": .int(Int64(clamping: changes.since)),
                "through": .int(Int64(clamping: changes.through)),
            ]
        }
        if references != nil { header["attachments"] = "none" }
        header["order"] = .string(order)
        header["digest"] = .string(ContentDigest.name)
        return line(envelope: header) + line(envelope: ["schema": schema.jsonValue])
    }

    /// The line of a document.
    mutating func document(_ id: DocumentID, _ content: DocumentObject, in collection: String) -> [UInt8] {
        digest.add(collection: collection, id: id, content: content)
        recordCount += 1
        return Self.line(["c": .string(collection), "id": id.value, "doc": .object(content)])
    }

    /// The line of a deleted document.
    mutating func deletion(of id: DocumentID, in collection: String) -> [UInt8] {
        digest.add(deletionOf: id, in: collection)
        recordCount += 1
        return Self.line(["c": .string(collection), "id": id.value, "del": true])
    }

    /// The last line.
    mutating func end() -> [UInt8] {
        var end: DocumentObject = [
            "records": .int(Int64(recordCount)), "keys_bytes": .int(Int64(digest.keyByteCount)),
            "values_bytes": .int(Int64(digest.valueByteCount)), "digest": .string(digest.hexadecimal()),
            "envelope": .string(envelope.hexadecimal()),
        ]
        if let references {
            end["attachments"] = [
                "contents": "none", "count": .int(Int64(references.sizes.count)), "bytes": .int(references.byteCount),
            ]
        }
        end["complete"] = true
        return Self.line(["end": .object(end)])
    }

    private mutating func line(envelope object: DocumentObject) -> [UInt8] {
        envelope.add(envelope: object)
        return Self.line(object)
    }

    private static func line(_ object: DocumentObject) -> [UInt8] {
        var line: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &line, JSONWriter(notation: .dump))
        line.append(0x0a)
        return line
    }
}
