import DocIndex
import LevelKit

/// One line of a dump; see `docs/FORMAT.md`.
///
/// A dump is JSON Lines: a header, the schema of each collection before its documents, records, now and then a mark,
/// and an end with counts and digests. It holds no time and no name of a machine, so the same content gives the same
/// bytes.
enum DumpRecord {
    /// What a dump holds.
    enum Content: String {
        /// Keys and values of a plain database.
        case raw
        /// Documents of a store.
        case documents = "docs"
    }

    /// The version of the format that this program writes and reads.
    static let version: Int64 = 1
    /// Records between two marks.
    static let markInterval = 100_000

    case header(Content)
    /// The declared schema of the whole store.
    case schema(Schema)
    case document(collection: String, id: DocumentID, content: DocumentObject)
    case pair(key: [UInt8], value: [UInt8])
    /// How many records came so far, and their digest.
    case mark(records: Int, digest: String)
    /// How many records there are, their digest, and the digest of all lines that are no records.
    case end(records: Int, digest: String, envelope: String)

    /// Adds bytes as text where they are UTF-8, else as base64 under the name with `64` behind it.
    static func append(_ bytes: [UInt8], name: String, to object: inout DocumentObject) {
        if let text = String(validating: bytes, as: UTF8.self) {
            object[name] = .string(text)
        } else {
            object[name + "64"] = .string(Base64.text(of: bytes))
        }
    }

    /// The record as an object.
    var object: DocumentObject {
        switch self {
        case .header(let content):
            return [
                "lkdump": .int(Self.version), "kind": .string(content.rawValue), "tool": "lkrepl",
                "order": content == .raw ? "key" : "id", "digest": .string(ContentDigest.name),
            ]
        case .schema(let schema): return ["schema": schema.jsonValue]
        case .document(let collection, let id, let content):
            return ["c": .string(collection), "id": id.value, "doc": .object(content)]
        case .pair(let key, let value):
            var object = DocumentObject()
            Self.append(key, name: "k", to: &object)
            Self.append(value, name: "v", to: &object)
            return object
        case .mark(let records, let digest):
            return ["mark": ["records": .int(Int64(records)), "digest": .string(digest)]]
        case .end(let records, let digest, let envelope):
            return [
                "end": [
                    "records": .int(Int64(records)), "digest": .string(digest), "envelope": .string(envelope),
                    "complete": true,
                ]
            ]
        }
    }
}

// MARK: - Reading

extension DumpRecord {
    /// The record that an object stands for.
    ///
    /// - Throws: ``DumpFault`` for an object that is no record of this version.
    init(_ object: DocumentObject) throws {
        switch object.first?.name {
        case "lkdump": self = try Self.header(object)
        case "schema":
            guard object.count == 1, let value = object["schema"] else { throw DumpFault("the schema is not readable") }
            var text: [UInt8] = []
            value.writeJSON(to: &text)
            do {
                self = .schema(try Schema(json: text))
            } catch {
                throw DumpFault("the schema is not readable: \(error)")
            }
        case "c": self = try Self.document(object)
        case "k", "k64": self = try Self.pair(object)
        case "mark":
            guard object.count == 1, let mark = object["mark"]?.objectValue, mark.count == 2,
                let records = mark["records"]?.intValue, let digest = mark["digest"]?.stringValue
            else { throw DumpFault("a mark is not readable") }
            self = .mark(records: Int(records), digest: digest)
        case "end":
            guard object.count == 1, let end = object["end"]?.objectValue, end.count == 4,
                let records = end["records"]?.intValue, let digest = end["digest"]?.stringValue,
                let envelope = end["envelope"]?.stringValue, end["complete"]?.boolValue == true
            else { throw DumpFault("the end record is not readable, or says that the dump is not complete") }
            self = .end(records: Int(records), digest: digest, envelope: envelope)
        case let name?: throw DumpFault("a record cannot begin with the member \(name)")
        case nil: throw DumpFault("a record is empty")
        }
    }

    private static func header(_ object: DocumentObject) throws -> DumpRecord {
        guard let version = object["lkdump"]?.intValue else { throw DumpFault("the header is not readable") }
        guard version <= Self.version else {
            throw DumpFault("the dump has version \(version), this program reads versions up to \(Self.version)")
        }
        guard let content = object["kind"]?.stringValue.flatMap(Content.init(rawValue:)) else {
            throw DumpFault("the header does not say whether the dump holds raw pairs or docs")
        }
        guard object["digest"]?.stringValue == ContentDigest.name else {
            throw DumpFault("the header names a digest other than \(ContentDigest.name)")
        }
        return .header(content)
    }

    private static func document(_ object: DocumentObject) throws -> DumpRecord {
        guard object.count == 3, let collection = object["c"]?.stringValue,
            let id = object["id"].flatMap(DocumentID.init),
            let content = object["doc"]?.objectValue
        else { throw DumpFault("a document record has other members than c, id and doc") }
        return .document(collection: collection, id: id, content: content)
    }

    private static func pair(_ object: DocumentObject) throws -> DumpRecord {
        guard object.count == 2, let key = try bytes("k", in: object), let value = try bytes("v", in: object) else {
            throw DumpFault("a pair has other members than k or k64 and v or v64")
        }
        return .pair(key: key, value: value)
    }

    private static func bytes(_ name: String, in object: DocumentObject) throws -> [UInt8]? {
        if let text = object[name]?.stringValue { return Array(text.utf8) }
        guard let text = object[name + "64"]?.stringValue else { return nil }
        do {
            return try Base64.decode(Array(text.utf8).span)
        } catch {
            throw DumpFault("\(name)64 is no base64")
        }
    }
}

/// Why a dump is refused.
struct DumpFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
