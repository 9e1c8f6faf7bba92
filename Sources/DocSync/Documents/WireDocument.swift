package import DocIndex

/// One version of a document in the form in which replicas send it: a JSON object that also has `_id`, `_rev`,
/// `_revisions` (the path), `_deleted` and `_attachments`.
///
/// The member that holds the ID in its collection is left out on the wire and comes first on arrival, since `_id` says
/// the same. Dates, bytes and attachments have the forms of `DocumentValue/JSONNotation/tagged`.
package struct WireDocument: Sendable {
    package let id: DocumentID
    package var version: DocumentRevision
    /// The attachments that the member `_attachments` lists.
    package var attachments: [WireAttachment]

    package init(_ id: DocumentID, _ version: DocumentRevision, attachments: [WireAttachment] = []) {
        self.id = id
        self.version = version
        self.attachments = attachments
    }

    /// The size of the attachments that are in the document itself, as base64, in bytes.
    package var containedByteCount: Int {
        attachments.reduce(0) { sum, entry in
            if case .data(let bytes) = entry.content { sum + (bytes.count + 2) / 3 * 4 } else { sum }
        }
    }

    /// Whether the document has or refers to attachments.
    package var hasContents: Bool {
        !attachments.isEmpty || version.content.map { !AttachmentReferences(of: $0).list.isEmpty } ?? false
    }
}

// MARK: - Reading

extension WireDocument {
    /// Reads a version.
    ///
    /// - Parameters:
    ///   - text: the JSON text of the object.
    ///   - idField: the member that holds the ID in the collection.
    /// - Throws: ``DocumentError``.
    /// - Complexity: O(*n*) in the length of the text.
    package init(reading text: [UInt8], idField: String) throws(DocumentError) {
        var members: JSONParts
        do throws(MessageError) {
            members = try JSONParts.members(of: text)
        } catch {
            throw DocumentError(.malformed, id: "", error.message)
        }
        try self.init(reading: &members, idField: idField)
    }

    /// Reads a version from the members of an object, and leaves them at their end.
    ///
    /// - Throws: ``DocumentError``. The members may then not be at their end.
    init(reading members: inout JSONParts, idField: String) throws(DocumentError) {
        var reader = WireDocumentReader()
        do throws(MessageError) {
            while let name = try members.nextName() { try reader.read(name, from: &members) }
        } catch {
            throw DocumentError(.malformed, id: reader.id ?? "", error.message)
        }
        try self.init(reader.finished(idField: idField))
    }

    private init(_ other: WireDocument) throws(DocumentError) { self = other }
}

private struct WireDocumentReader {
    private(set) var id: String?
    /// The first problem. The ID can follow it.
    private var problem: (code: DocumentError.Code, message: String)?
    private var revision: String?
    private var path: DocumentObject?
    private var isDeleted = false
    private var attachments: [WireAttachment] = []
    private var members: [(String, DocumentValue)] = []

    /// Reads the value of a member. After a problem, the others are read too, because they can have the ID and the
    /// revision.
    ///
    /// - Throws: ``MessageError`` if the end of the value is unknown.
    mutating func read(_ name: String, from text: inout JSONParts) throws(MessageError) {
        let isData = name.utf8.first != UInt8(ascii: "_")
        // Servers add these on request.
        if !isData, ["_conflicts", "_deleted_conflicts", "_local_seq", "_revs_info"].contains(name) {
            _ = try text.skipValue()
            return
        }
        // The document itself is one level.
        let parser = JSONParser(
            notation: isData ? .tagged : .plain, maximumDepth: DocumentValue.maximumDepth - 1)
        switch try text.parseValue(parser) {
        case .success(let value):
            if isData { members.append((name, value)) } else { readReserved(name, value) }
        case .failure(let error):
            let code: DocumentError.Code =
                switch error.code {
                case .tooDeep: .tooDeep
                case .numberOutOfRange: .numberOutOfRange
                default: .malformed
                }
            note(code, "the member \(name) cannot be read: \(error.message)")
        }
    }

    /// Uses a member that is not data.
    private mutating func readReserved(_ name: String, _ value: DocumentValue) {
        switch (name, value) {
        case ("_id", .string(let text)): id = text
        case ("_rev", .string(let text)): revision = text
        case ("_deleted", _): isDeleted = value == .bool(true)
        case ("_revisions", .object(let object)): path = object
        case ("_attachments", .object(let object)):
            do throws(AttachmentError) {
                attachments = try WireAttachment.list(object)
            } catch {
                note(.malformed, error.message)
            }
        case ("_id", _), ("_rev", _), ("_revisions", _), ("_attachments", _):
            note(.malformed, "The member \(name) has a different type than the protocol prescribes.")
        default:
            note(.reservedMember, "the member \(name) begins with an underscore, which is reserved; rename it")
        }
    }

    private mutating func note(_ code: DocumentError.Code, _ message: String) {
        if problem == nil { problem = (code, message) }
    }

    func finished(idField: String) throws(DocumentError) -> WireDocument {
        if let problem = self.problem {
            throw DocumentError(problem.code, id: id ?? "", revision: revision, problem.message)
        }
        guard let id else { throw DocumentError(.malformed, id: "", "a document has no member _id") }
        let text = revision
        func problem(_ code: DocumentError.Code, _ message: String) -> DocumentError {
            DocumentError(code, id: id, revision: text, message)
        }
        if id.isEmpty || id.utf8.first == UInt8(ascii: "_") {
            throw problem(.invalidID, "the ID is empty or begins with an underscore; give the document another ID")
        }
        guard let revision, let parsed = Revision(revision) else {
            throw problem(.malformed, "the member _rev is not a revision such as 1-917fa2381192822767f010b95b45325b")
        }
        guard let path = try Self.path(to: parsed, path) else {
            throw problem(.malformed, "the member _revisions is not the path to the revision \(revision)")
        }
        var content: DocumentObject?
        if !isDeleted || !members.isEmpty {
            do throws(DocumentObject.DuplicateNameError) {
                content = try DocumentObject(
                    uniqueMembers: [(idField, .string(id))]
                        + members.filter { !$0.0.utf8.elementsEqual(idField.utf8) })
            } catch {
                throw problem(.malformed, "the member \(error.name) occurs twice")
            }
            for (name, value) in members
            where name.utf8.elementsEqual(idField.utf8) && value != .string(id) {
                throw problem(.idMemberDiffers, "the member \(idField) differs from the ID; remove or correct it")
            }
        }
        return WireDocument(
            .string(id), DocumentRevision(path, isDeleted: isDeleted, content: content), attachments: attachments)
    }

    private static func path(to revision: Revision, _ object: DocumentObject?) throws(DocumentError) -> RevisionPath? {
        guard let object else { return RevisionPath(revision, ancestors: []) }
        guard case .int(let start)? = object["start"], start == revision.generation,
            case .array(let values)? = object["ids"]
        else { return nil }
        var ids: [RevisionID] = []
        ids.reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value, let id = RevisionID(text) else { return nil }
            ids.append(id)
        }
        guard ids.first == revision.id else { return nil }
        return RevisionPath(revision, ancestors: Array(ids.dropFirst()))
    }
}

// MARK: - Writing

extension WireDocument {
    /// Returns why a document of this store cannot travel; `nil` if it can.
    package static func problem(of id: DocumentID, _ content: DocumentObject?, idField: String) -> DocumentError? {
        guard case .string(let text) = id else {
            return DocumentError(
                .invalidID, id: "\(id)", "the ID is a number, which the protocol does not have; use a string")
        }
        if text.isEmpty || text.utf8.first == UInt8(ascii: "_") {
            return DocumentError(
                .invalidID, id: text, "the ID is empty or begins with an underscore; give the document another ID")
        }
        let reserved = content?.first {
            $0.name.utf8.first == UInt8(ascii: "_") && $0.name != idField && $0.name != DocumentAttachments.member
        }
        return reserved.map {
            DocumentError(
                .reservedMember, id: text,
                "the member \($0.name) begins with an underscore, which is reserved; rename it")
        }
    }

    /// Appends the version as JSON.
    ///
    /// - Parameter includesPath: whether `_revisions` is written.
    package func write(to text: inout [UInt8], idField: String, includesPath: Bool = true) {
        let revision = version.path.revision
        var writer = JSONWriter(notation: .tagged)
        // Peers keep integers of any size.
        writer.tagsLargeNumbers = false
        text += Array(#"{"_id":"#.utf8)
        writer.write(id.value, to: &text)
        text += Array(#","_rev":"#.utf8)
        writer.write(.string(revision.description), to: &text)
        if version.isDeleted { text += Array(#","_deleted":true"#.utf8) }
        if includesPath {
            text += Array(#","_revisions":{"start":\#(revision.generation),"ids":"#.utf8)
            let ids = [revision.id] + version.path.ancestors
            writer.write(.array(ids.map { .string($0.description) }), to: &text)
            text.append(UInt8(ascii: "}"))
        }
        if !attachments.isEmpty {
            text += Array(#","_attachments":"#.utf8)
            text += WireAttachment.json(attachments)
        }
        for member in version.content ?? DocumentObject() where !member.name.utf8.elementsEqual(idField.utf8) {
            text.append(UInt8(ascii: ","))
            JSONWriter().write(.string(member.name), to: &text)
            text.append(UInt8(ascii: ":"))
            writer.write(member.value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }
}
