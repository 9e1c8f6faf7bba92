import DocIndex

extension DumpRecord {
    /// Reads a record from a JSON object.
    ///
    /// - Parameter isLenient: Whether unknown members are ignored.
    /// - Throws: ``DumpError`` for an object that is not a record of this format version.
    init(_ object: DocumentObject, isLenient: Bool = false) throws {
        let reader = DumpRecordReader(object: object, isLenient: isLenient)
        switch object.first?.name {
        case "lkdump": self = .header(try DumpHeader(object))
        case "schema": self = try reader.schema()
        case "c": self = try reader.document()
        case "k", "k64": self = try reader.pair()
        case "a": self = try reader.content()
        case "mark": self = try reader.mark()
        case "end": self = try reader.end()
        case let name?:
            throw DumpError("a record of a dump cannot begin with the member \(name); import reads plain documents")
        case nil: throw DumpError("a record is empty")
        }
    }

    /// Whether an object's first member is that of a known kind of record.
    static func isKnown(_ object: DocumentObject) -> Bool {
        ["lkdump", "schema", "c", "k", "k64", "a", "mark", "end"].contains(object.first?.name)
    }

    /// The bytes of a member, or of the base64 member with the suffix `64`; `nil` if neither exists.
    static func bytes(_ name: String, in object: DocumentObject) throws -> [UInt8]? {
        if let value = object[name] {
            guard let text = value.stringValue else { throw DumpError("\(name) is not a string", kind: .type) }
            guard object[name + "64"] == nil else { throw DumpError("a record has both \(name) and \(name)64") }
            return Array(text.utf8)
        }
        guard let value = object[name + "64"] else { return nil }
        guard let text = value.stringValue else { throw DumpError("\(name)64 is not a string", kind: .type) }
        do {
            return try Base64.decode(Array(text.utf8).span)
        } catch {
            throw DumpError("\(name)64 is not valid base64: \(error.message)", kind: .base64)
        }
    }
}

/// Reads the members of one record.
private struct DumpRecordReader {
    let object: DocumentObject
    let isLenient: Bool

    /// Rejects unknown members, unless the reader is lenient.
    private func expectCount(_ count: Int, of members: DocumentObject, _ form: String) throws {
        guard members.count == count || isLenient && members.count > count else { throw DumpError(form) }
    }

    func schema() throws -> DumpRecord {
        guard let value = object["schema"] else { throw DumpError("the schema is invalid") }
        try expectCount(1, of: object, "a schema record has unknown members")
        var text: [UInt8] = []
        value.writeJSON(to: &text)
        do {
            return .schema(try Schema(json: text))
        } catch {
            throw DumpError("the schema is invalid: \(error)")
        }
    }

    func document() throws -> DumpRecord {
        let form = "a document record must have the members c, id and doc"
        guard let collection = object["c"]?.stringValue else { throw DumpError("c is not a string", kind: .type) }
        guard let value = object["id"] else { throw DumpError(form, kind: .missingKey) }
        guard let id = DocumentID(value) else {
            throw DumpError("an ID must be a string or an integer", kind: .type)
        }
        let revisions = try object["revs"].map { try DocumentRevisions(dumped: $0) }
        let content = object["doc"]
        if let revisions, object["del"] == nil, content == nil {
            try expectCount(3, of: object, form)
            return .replicated(
                ReplicatedDocument(collection: collection, id: id, content: nil, isRecord: false, revisions: revisions))
        }
        try expectCount(revisions == nil ? 3 : 4, of: object, form)
        if let isDeleted = object["del"] {
            guard content == nil else { throw DumpError("a record has both doc and del") }
            guard isDeleted.boolValue == true else { throw DumpError("del must be true or absent", kind: .type) }
            guard let revisions else { return .documentDeletion(collection: collection, id: id) }
            return .replicated(
                ReplicatedDocument(collection: collection, id: id, content: nil, isRecord: true, revisions: revisions))
        }
        guard let content else { throw DumpError(form) }
        guard let content = content.objectValue else { throw DumpError("doc is not an object", kind: .type) }
        if let revisions {
            return .replicated(
                ReplicatedDocument(
                    collection: collection, id: id, content: content, isRecord: true, revisions: revisions))
        }
        return .document(collection: collection, id: id, content: content)
    }

    func pair() throws -> DumpRecord {
        let form = "a pair must have the members k or k64, and v or v64"
        guard let key = try DumpRecord.bytes("k", in: object) else { throw DumpError(form, kind: .missingKey) }
        if let isDeleted = object["del"] {
            try expectCount(2, of: object, form)
            guard isDeleted.boolValue == true else { throw DumpError("del must be true or absent", kind: .type) }
            return .deletion(key: key)
        }
        if let document = object["doc"] {
            try expectCount(2, of: object, form)
            var value: [UInt8] = []
            document.writeJSON(to: &value)
            return .pair(key: key, value: value)
        }
        guard let value = try DumpRecord.bytes("v", in: object) else { throw DumpError(form) }
        guard let index = object["part"] else {
            try expectCount(2, of: object, form)
            return .pair(key: key, value: value)
        }
        try expectCount(4, of: object, form)
        guard let index = index.intValue, let count = object["parts"]?.intValue, index >= 0, count >= 2, index < count,
            count <= 1 << 20
        else { throw DumpError("part and parts must be the number of a part and the count of parts", kind: .type) }
        return .part(key: key, value: value, index: Int(index), count: Int(count))
    }

    func content() throws -> DumpRecord {
        let form = "the content of an attachment must have the members a, bytes, part, parts and b64"
        try expectCount(5, of: object, form)
        guard let digest = object["a"]?.stringValue.flatMap({ Attachment.Digest($0) }) else {
            throw DumpError("the member a is not a SHA-256 digest in lowercase hexadecimal", kind: .type)
        }
        guard let byteCount = object["bytes"]?.intValue, byteCount >= 0, let index = object["part"]?.intValue,
            let count = object["parts"]?.intValue, index >= 0, index < count, count <= ContentPart.maximumCount,
            let text = object["b64"]?.stringValue
        else { throw DumpError(form, kind: .type) }
        do {
            let bytes = try Base64.decode(Array(text.utf8).span)
            return .content(
                ContentPart(
                    digest: digest, byteCount: byteCount, index: Int(index), count: Int(count), bytes: bytes))
        } catch {
            throw DumpError("b64 is not valid base64: \(error.message)", kind: .base64)
        }
    }

    func mark() throws -> DumpRecord {
        guard let mark = object["mark"]?.objectValue, let records = try count("records", in: mark),
            let byteCount = try count("bytes", in: mark), let digest = mark["digest"]?.stringValue
        else { throw DumpError("a mark is invalid") }
        try expectCount(1, of: object, "a mark record has unknown members")
        try expectCount(3, of: mark, "a mark has unknown members")
        return .mark(DumpRecord.Count(records: records, keyByteCount: byteCount, valueByteCount: 0, digest: digest))
    }

    func end() throws -> DumpRecord {
        guard let end = object["end"]?.objectValue, let records = try count("records", in: end),
            let keys = try count("keys_bytes", in: end), let values = try count("values_bytes", in: end),
            let digest = end["digest"]?.stringValue, let envelope = end["envelope"]?.stringValue,
            let isComplete = end["complete"]?.boolValue
        else { throw DumpError("the end record is invalid") }
        try expectCount(1, of: object, "the end record has unknown members")
        let attachments = try end["attachments"].map { try self.attachments($0) }
        try expectCount(attachments == nil ? 6 : 7, of: end, "the end record has unknown members")
        return .end(
            DumpRecord.Count(
                records: records, keyByteCount: keys, valueByteCount: values, digest: digest, attachments: attachments),
            envelope: envelope, isComplete: isComplete)
    }

    private func attachments(_ value: DocumentValue) throws -> DumpRecord.Attachments {
        guard let object = value.objectValue,
            let contents = object["contents"]?.stringValue.flatMap(DumpHeader.Contents.init(rawValue:)),
            let count = try count("count", in: object), let byteCount = object["bytes"]?.intValue, byteCount >= 0
        else { throw DumpError("the attachments in the end record are invalid") }
        try expectCount(3, of: object, "the attachments in the end record have unknown members")
        return DumpRecord.Attachments(contents: contents, count: count, byteCount: byteCount)
    }

    private func count(_ name: String, in object: DocumentObject) throws -> Int? {
        object[name]?.intValue.flatMap { $0 >= 0 ? Int($0) : nil }
    }
}
