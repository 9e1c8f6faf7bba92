import DocIndex
import LevelKit

/// One line of a dump; see `docs/FORMAT.md`.
///
/// A dump is JSON Lines: a header, the schema of a document store, records with occasional marks, and an end record
/// with counts and digests. By default it contains no time and no machine name, so the same content gives the same
/// bytes.
enum DumpRecord {
    /// The counts and the digest up to a position in a dump.
    struct Count: Hashable {
        var records = 0
        var keyByteCount = 0
        var valueByteCount = 0
        var digest = ""
        /// The attachments of the documents, in an end record; `nil` if there are none.
        var attachments: Attachments?
    }

    /// The attachments that the documents of a dump refer to.
    struct Attachments: Hashable {
        /// Where the attachments are.
        var contents: DumpHeader.Contents
        var count = 0
        var byteCount: Int64 = 0
    }

    /// The number of records between two marks.
    static let markInterval = 100_000
    /// The bytes of keys and values between two marks, if those are reached first.
    static let markByteCount = 64 << 20
    /// The maximum length of a written line. Longer values are split into parts; longer documents are rejected.
    static let maximumLineByteCount = LineReader.usualMaximum
    /// The bytes of a value in one part; base64 makes them a third longer.
    static let partByteCount = 4 << 20

    case header(DumpHeader)
    /// The declared schema of the whole store.
    case schema(Schema)
    case document(collection: String, id: DocumentID, content: DocumentObject)
    case documentDeletion(collection: String, id: DocumentID)
    /// A document, or a deleted one, of a replicated collection, with its revisions.
    case replicated(ReplicatedDocument)
    case pair(key: [UInt8], value: [UInt8])
    case deletion(key: [UInt8])
    /// A part of a value that is too long for one line.
    case part(key: [UInt8], value: [UInt8], index: Int, count: Int)
    /// A part of the content of an attachment.
    case content(ContentPart)
    /// The counts so far.
    case mark(Count)
    /// The total counts, and the digest of all lines that are not records.
    case end(Count, envelope: String, isComplete: Bool)

    /// Adds bytes as a string if they are valid UTF-8; otherwise as base64, under the name with the suffix `64`.
    static func append(_ bytes: [UInt8], name: String, to object: inout DocumentObject) {
        if let text = String(validating: bytes, as: UTF8.self) {
            object[name] = .string(text)
        } else {
            object[name + "64"] = .string(Base64.text(of: bytes))
        }
    }

    /// The record as a JSON object.
    var object: DocumentObject {
        switch self {
        case .header(let header): return header.object
        case .schema(let schema): return ["schema": schema.jsonValue]
        case .document(let collection, let id, let content):
            return ["c": .string(collection), "id": id.value, "doc": .object(content)]
        case .documentDeletion(let collection, let id):
            return ["c": .string(collection), "id": id.value, "del": true]
        case .replicated(let document): return document.object
        case .pair(let key, let value):
            var object = DocumentObject()
            Self.append(key, name: "k", to: &object)
            Self.append(value, name: "v", to: &object)
            return object
        case .deletion(let key):
            var object = DocumentObject()
            Self.append(key, name: "k", to: &object)
            object["del"] = true
            return object
        case .part(let key, let value, let index, let count):
            var object = DocumentObject()
            Self.append(key, name: "k", to: &object)
            object["v64"] = .string(Base64.text(of: value))
            object["part"] = .int(Int64(index))
            object["parts"] = .int(Int64(count))
            return object
        case .content(let part):
            return [
                "a": .string(part.digest.description), "bytes": .int(part.byteCount), "part": .int(Int64(part.index)),
                "parts": .int(Int64(part.count)), "b64": .string(Base64.text(of: part.bytes)),
            ]
        case .mark(let count):
            return [
                "mark": [
                    "records": .int(Int64(count.records)),
                    "bytes": .int(Int64(count.keyByteCount + count.valueByteCount)), "digest": .string(count.digest),
                ]
            ]
        case .end(let count, let envelope, let isComplete):
            var end: DocumentObject = [
                "records": .int(Int64(count.records)), "keys_bytes": .int(Int64(count.keyByteCount)),
                "values_bytes": .int(Int64(count.valueByteCount)), "digest": .string(count.digest),
                "envelope": .string(envelope),
            ]
            if let attachments = count.attachments { end["attachments"] = .object(attachments.object) }
            end["complete"] = .bool(isComplete)
            return ["end": .object(end)]
        }
    }
}

extension DumpRecord.Attachments {
    fileprivate var object: DocumentObject {
        ["contents": .string(contents.rawValue), "count": .int(Int64(count)), "bytes": .int(byteCount)]
    }
}

/// A part of the content of an attachment. Parts follow each other without other records between them.
struct ContentPart {
    /// The digest of the whole content.
    let digest: Attachment.Digest
    /// The size of the whole content in bytes.
    let byteCount: Int64
    /// The number of the part, from 0.
    let index: Int
    /// The number of parts; 1 for empty content.
    let count: Int
    let bytes: [UInt8]

    var isLast: Bool { index + 1 == count }

    /// The maximum number of parts.
    static let maximumCount: Int64 = 1 << 40
}

/// The reason that a line is not a valid record.
struct DumpError: Error {
    let kind: RecordError.Kind
    let reason: String

    init(_ reason: String, kind: RecordError.Kind = .format) {
        self.kind = kind
        self.reason = reason
    }
}
