import DocumentModel
import TestSupport
import Testing

@Suite struct AttachmentTests {
    @Test func `The size is zero or more, and type and name have 1 to 1024 bytes`() {
        func isValid(_ byteCount: Int64 = 0, type: String = "a", name: String? = nil) -> Bool {
            Attachment(digest: Attachments.digest, byteCount: byteCount, type: type, name: name) != nil
        }
        #expect(isValid() && isValid(.max) && isValid(name: "a"))
        #expect(!isValid(-1) && !isValid(.min) && !isValid(type: "") && !isValid(name: ""))
        let longest = String(repeating: "é", count: Attachment.maximumNameByteCount / 2)
        #expect(isValid(type: longest, name: longest))
        #expect(!isValid(type: longest + "a") && !isValid(name: longest + "a"))
        #expect(Attachment(digest: Attachments.digest, byteCount: 1)?.type == "application/octet-stream")
    }

    @Test func `A digest is 32 bytes or 64 lowercase hexadecimal digits, and nothing else`() {
        let text = Attachments.digest.description
        #expect(Attachment.Digest(text) == Attachments.digest)
        #expect(Attachments.digest.bytes.count == 32)
        #expect(Attachment.Digest(Attachments.digest.bytes.span) == Attachments.digest)
        for wrong in ["", String(text.dropLast()), text + "0", text.uppercased(), "g" + text.dropFirst(), " " + text] {
            #expect(Attachment.Digest(wrong) == nil, "\(wrong)")
        }
        let bytes: [UInt8] = Array(repeating: 1, count: 33)
        #expect(Attachment.Digest(bytes.span) == nil)
        #expect(Attachment.Digest(bytes.span.extracting(0..<31)) == nil)
    }

    /// The value types that do not contain an attachment.
    private enum WithoutAttachment {
        case null
        case bool(Bool)
        case int(Int64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        case date(DocumentDate)
        case array([DocumentValue])
        case object(DocumentObject)
    }

    @Test func `A value is not larger because it can be an attachment`() {
        #expect(MemoryLayout<DocumentValue>.size == MemoryLayout<WithoutAttachment>.size)
        #expect(MemoryLayout<DocumentValue?>.size == MemoryLayout<WithoutAttachment?>.size)
    }

    @Test(
        arguments: [
            ("original.sha256", .string(Attachments.digest.description)), ("original.bytes", 3),
            ("original.type", "image/jpeg"), ("original.name", "IMG_1.jpg"), ("original[].type", "image/jpeg"),
            ("original", .attachment(Attachments.image)), ("original.digest", nil), ("original.type.x", nil),
            ("nameless.name", nil), ("nameless.type", "application/octet-stream"), ("list[].name", "IMG_1.jpg"),
        ] as [(FieldPath, DocumentValue?)])
    func `A path leads into an attachment as into an object, in memory and in a body`(
        path: FieldPath, expected: DocumentValue?
    ) throws {
        let nameless = try #require(Attachment(digest: Attachments.digest, byteCount: 3))
        let document: DocumentObject = [
            "original": .attachment(Attachments.image), "nameless": .attachment(nameless),
            "list": [.attachment(nameless), .attachment(Attachments.image)],
        ]
        #expect(path.value(in: document) == expected)
        #expect(path.value(in: DocumentValue.object(document)) == expected)
        // With and without the names of the members in the table.
        for known in [[], ["sha256", "bytes", "type", "name"]] {
            var names = BodyTests.table(known)
            let body = try BodyEncoder.encode(.object(document), names: &names)
            let reader = try BodyReader(body.span, names: names)
            let found = try reader.value(at: path)
            #expect(found == expected)
            let isFound = try reader.anyElement(at: path) { $0 == expected }
            #expect(isFound == (expected != nil))
        }
    }

    @Test func `A value that is an attachment has members by name and by path, but is not an object`() {
        let value = DocumentValue.attachment(Attachments.image)
        #expect(value["type"] == "image/jpeg" && value["bytes"] == 3 && value["other"] == nil)
        #expect(value["sha256"]?.stringValue == Attachments.digest.description)
        #expect(("type" as FieldPath).value(in: value) == "image/jpeg")
        var visited: [DocumentValue] = []
        ("name" as FieldPath).forEachElement(in: value) { visited.append($0) }
        #expect(visited == ["IMG_1.jpg"])
        #expect(value.objectValue == nil && value.kind == .attachment)
    }

    @Test func `The attachments of a document are visited in document order, as often as they occur`() throws {
        let all = Attachments.distinct
        let document: DocumentObject = [
            "a": .attachment(all[2]), "b": ["c": [.attachment(all[0]), [.attachment(all[1])], 5], "d": "x"],
            "e": .attachment(all[2]), "f": ["g": .attachment(all[3])],
        ]
        let expected = [all[2], all[0], all[1], all[2], all[3]]
        #expect(attachments(of: document) == expected)
        var names = FieldNames()
        var bytes: [UInt8] = []
        #expect(try BodyEncoder.append(.object(document), names: &names, to: &bytes) == expected)
        #expect(try BodyEncoder.append(.object(["a": [1, "b"]]), names: &names, to: &bytes) == [])
        #expect(attachments(of: [:]).isEmpty)
    }

    @Test func `The encoder lists the attachments that a visit of the value finds`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 24))
        documents.hasAttachments = true
        var names = FieldNames()
        var count = 0
        for _ in 0..<TestRun.rounds(500, long: 20_000) {
            let document = documents.document(id: documents.id())
            var bytes: [UInt8] = []
            let listed = try BodyEncoder.append(.object(document), names: &names, to: &bytes)
            #expect(listed == attachments(of: document), "\(TestRun.repetition)")
            count += listed.count
        }
        #expect(count > 100)
    }

    @Test func `A visit ends with the error of its body`() {
        struct Stop: Error {}
        var count = 0
        #expect(throws: Stop.self) {
            let document: DocumentObject = ["a": [.attachment(Attachments.image), .attachment(Attachments.image)]]
            try document.forEachAttachment { (_) throws(Stop) in
                count += 1
                throw Stop()
            }
        }
        #expect(count == 1)
    }

    @Test func `The deepest attachment is visited, written and read on a small stack`() {
        var nested = DocumentValue.attachment(Attachments.image)
        for level in 1..<DocumentValue.maximumDepth { nested = level % 2 == 0 ? ["a": nested] : [nested] }
        let document: DocumentObject = ["a": nested]
        let isSound = withSmallStack {
            var names = FieldNames()
            guard let body = try? BodyEncoder.encode(.object(document), names: &names),
                let copy = try? BodyDecoder.decode(body, names: names)
            else { return false }
            for notation in [DocumentValue.JSONNotation.tagged, .dump] {
                let text = copy.json(JSONWriter(layout: .pretty, notation: notation))
                guard let parsed = try? DocumentValue(json: text, notation: notation), parsed == copy else {
                    return false
                }
            }
            return attachments(of: document) == [Attachments.image] && copy == .object(document)
        }
        #expect(isSound == true)
    }
}

private func attachments(of document: DocumentObject) -> [Attachment] {
    var found: [Attachment] = []
    document.forEachAttachment { found.append($0) }
    return found
}
