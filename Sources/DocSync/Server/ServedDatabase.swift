internal import DocIndex

/// Answers the requests for one collection.
struct ServedDatabase: Sendable {
    let server: SyncServer
    let collection: DocumentCollection

    var idField: String { collection.definition.idField }
    var store: AsyncDocumentStore { server.store }

    func answer(_ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        let path = target.path.dropFirst()
        switch (request.method, path.first, path.count) {
        case (.get, nil, _), (.head, nil, _): return try await information()
        case (.get, "_local", 2): return try await localRecord(path[path.startIndex + 1])
        case (.put, "_local", 2): return try await setLocalRecord(path[path.startIndex + 1], request)
        case (.get, "_changes", 1), (.post, "_changes", 1): return try await changes(request, target)
        case (.post, "_revs_diff", 1): return try await difference(request)
        case (.post, "_bulk_get", 1): return try await documents(request, target)
        case (.post, "_bulk_docs", 1): return try await storeDocuments(request)
        case (.post, "_ensure_full_commit", 1):
            try await store.flush()
            return .json(["ok": true, "instance_start_time": .string(instance)], status: 201)
        case (.put, let name?, _) where name == "_design" || name.hasPrefix("_design/"):
            throw ServerError(403, "forbidden", "design documents are not replicated")
        case (_, let name?, _) where name.utf8.first == UInt8(ascii: "_"): throw ServerError.missing
        case (.get, let id?, 1), (.head, let id?, 1): return try await document(.string(id), request, target)
        case (.put, let id?, 1): return try await storeDocument(id, request, target)
        case (.get, let id?, 2...), (.head, let id?, 2...):
            return try await content(path.dropFirst().joined(separator: "/"), of: .string(id), request, target)
        case (.get, _, _): throw ServerError.missing
        default:
            throw ServerError(405, "method_not_allowed", "this server only takes part in replications")
        }
    }

    // MARK: - The database

    private var instance: String { store.store.epoch.description }

    private func information() async throws -> SyncResponse {
        let (count, sequence) = try await store.run { [collection] _ in (try collection.count(), try collection.show())
        }
        return .json([
            "db_name": .string(collection.name), "doc_count": .int(Int64(count)),
            "update_seq": .string(token(sequence)), "instance_start_time": .string(instance), "purge_seq": 0,
        ])
    }

    /// Returns a position as peers see it. A position of a copy of the store is not taken for one of this store.
    func token(_ sequence: UInt64) -> String { "\(sequence)-\(instance)" }

    /// Returns the position that a peer names; 0 for one of another store.
    func sequence(_ text: String?) throws -> UInt64 {
        // Some peers write the string as JSON.
        guard var text, text != "0", text != "\"0\"" else { return 0 }
        if text.count > 1, text.first == "\"", text.last == "\"" { text = String(text.dropFirst().dropLast()) }
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let sequence = UInt64(parts[0]) else {
            throw ServerError(400, "bad_request", "the value of since is not a position of this server")
        }
        return parts[1] == instance ? sequence : 0
    }

    // MARK: - Records of peers

    private static func recordName(_ name: String) throws -> String {
        guard (1...1024).contains(name.utf8.count) else {
            throw ServerError(400, "illegal_docid", "the name of a local document has 1 to 1024 bytes")
        }
        return "local/\(name)"
    }

    private func localRecord(_ name: String) async throws -> SyncResponse {
        let name = try Self.recordName(name)
        guard let text = try await store.run({ [collection] _ in try collection.localRecord(name) }) else {
            throw ServerError.missing
        }
        return .json(text: text)
    }

    private func setLocalRecord(_ name: String, _ request: SyncRequest) async throws -> SyncResponse {
        let key = try Self.recordName(name)
        let body = try await request.body.collected(limit: 1 << 20)
        guard case .object(var object)? = try? JSONParser().parse(body) else {
            throw ServerError(400, "bad_request", "the body is not a JSON object")
        }
        let revision = try await store.run { [collection] _ in
            guard let text = try collection.localRecord(key), case .object(let old)? = try? JSONParser().parse(text),
                case .string(let revision)? = old["_rev"], let number = Int64(revision.dropFirst(2))
            else { return Int64(1) }
            return number + 1
        }
        object["_id"] = .string("_local/\(name)")
        object["_rev"] = .string("0-\(revision)")
        let text = Array(DocumentValue.object(object).json.utf8)
        try await store.replicate(collection.name) { $0.setLocalRecord(key, to: text) }
        return .json(
            ["ok": true, "id": .string("_local/\(name)"), "rev": .string("0-\(revision)")], status: 201)
    }

    // MARK: - Reading documents

    private func difference(_ request: SyncRequest) async throws -> SyncResponse {
        let body = try await request.body.collected(limit: server.options.messageLimit)
        let revisions = try RevisionsDifference.revisions(in: body)
        let entries = try await store.run { [collection] _ in
            let reader = try collection.revisionReader(isShown: false)
            return try revisions.compactMap { id, revisions -> (String, RevisionsDifference.Entry)? in
                let (missing, ancestors) = try reader.missing(revisions, of: .string(id))
                if missing.isEmpty { return nil }
                return (id, RevisionsDifference.Entry(missing: missing, possibleAncestors: ancestors))
            }
        }
        return .json(text: RevisionsDifference.answer(entries))
    }

    private func documents(_ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        let body = try await request.body.collected(limit: server.options.messageLimit)
        guard case .object(let object)? = try? JSONParser().parse(body), case .array(let entries)? = object["docs"]
        else {
            throw ServerError(400, "bad_request", "the body has no array docs")
        }
        var wanted: [(id: String, revision: Revision?)] = []
        for entry in entries {
            guard case .object(let entry) = entry, case .string(let id)? = entry["id"] else {
                throw ServerError(400, "bad_request", "an element of docs has no id")
            }
            var revision: Revision?
            if case .string(let text)? = entry["rev"] { revision = Revision(text) }
            wanted.append((id, revision))
        }
        if target["attachments"] == "true", Self.acceptsParts(request) {
            let parts = DocumentParts(database: self, wanted: wanted, isLatest: target.isLatest)
            return SyncResponse(
                status: 200, fields: ["Content-Type": parts.contentType], body: .stream(parts.stream))
        }
        return SyncResponse(
            status: 200, fields: ["Content-Type": "application/json"],
            body: .stream(DocumentPages(database: self, wanted: wanted, isLatest: target.isLatest).stream))
    }

    /// Whether a client takes a message of several parts.
    private static func acceptsParts(_ request: SyncRequest) -> Bool {
        (request.fields["Accept"] ?? "").contains("multipart/")
    }

    private func document(
        _ id: DocumentID, _ request: SyncRequest, _ target: Target
    ) async throws -> SyncResponse {
        var revisions: [Revision]?
        let open = target["open_revs"]
        if let open, open != "all" {
            guard case .array(let values)? = try? JSONParser().parse(open) else {
                throw ServerError(400, "bad_request", "the value of open_revs is not an array of revisions")
            }
            revisions = values.compactMap { if case .string(let text) = $0 { Revision(text) } else { nil } }
        } else if let revision = target["rev"] {
            revisions = Revision(revision).map { [$0] } ?? []
        }
        let isLatest = target.isLatest
        let field = idField
        let versions = try await store.run { [self, revisions] _ in
            try self.versions(revisions, of: id, isLatest: isLatest, collection.revisionReader(isShown: true))
        }
        if open == nil {
            guard let version = versions.first, target["rev"] != nil || !version.isDeleted else {
                throw ServerError(404, "not_found", versions.isEmpty ? "missing" : "deleted")
            }
            var text: [UInt8] = []
            try listed(id, version).write(to: &text, idField: field, includesPath: target["revs"] == "true")
            return .json(text: text)
        }
        if Self.acceptsParts(request) {
            return try await multipart(id, versions, revisions ?? [])
        }
        var text: [UInt8] = [UInt8(ascii: "[")]
        for version in versions {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += Array(#"{"ok":"#.utf8)
            try listed(id, version).write(to: &text, idField: field)
            text.append(UInt8(ascii: "}"))
        }
        let missing = (revisions ?? []).filter { revision in
            !versions.contains { $0.path.revisions.contains(revision) }
        }
        for revision in missing {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            JSONWriter().write(["missing": .string(revision.description)], to: &text)
        }
        return .json(text: text + [UInt8(ascii: "]")])
    }

    /// Returns stored versions that can be sent.
    ///
    /// - Parameter isLatest: whether a later version stands for an earlier one, which is not stored any more.
    func versions(
        _ revisions: [Revision]?, of id: DocumentID, isLatest: Bool, _ reader: RevisionReader
    ) throws -> [DocumentRevision] {
        try reader.stored(revisions, of: id, isLatest: isLatest).filter { canSend(id, $0.content) }
    }

    /// Whether the protocol has a form for a document. Peers would take a reserved member for what it means to them, or
    /// end their replication, so the others are neither listed nor returned.
    private func canSend(_ id: DocumentID, _ content: DocumentObject?) -> Bool { problem(of: id, content) == nil }

    /// Returns whether the feed lists a document. Reports it if not, unless it is deleted.
    func lists(_ id: DocumentID, _ content: DocumentObject?) -> Bool {
        guard let problem = problem(of: id, content) else { return true }
        if content != nil { server.tellUnsent(id, problem, of: collection.name) }
        return false
    }

    private func problem(of id: DocumentID, _ content: DocumentObject?) -> DocumentError? {
        if let problem = WireDocument.problem(of: id, content, idField: idField) { return problem }
        guard let content, content.position(ofName: DocumentAttachments.member) != nil else { return nil }
        do throws(AttachmentError) {
            _ = try DocumentAttachments(of: content)
            return nil
        } catch {
            return DocumentError(error, id: VersionWriter.text(id))
        }
    }

    // MARK: - Storing documents

    private func storeDocuments(_ request: SyncRequest) async throws -> SyncResponse {
        try checkWritable()
        var reader = ArrivingDocuments(database: self)
        try await reader.read(request.body)
        guard reader.keepsRevisions else { throw Self.newEdit }
        let problems = try await reader.problems + store(reader.arrivals)
        return .json(
            .array(
                problems.map {
                    // PouchDB takes any other error for one of the whole request, and repeats it for ever.
                    [
                        "id": .string($0.id), "rev": .string($0.revision ?? ""), "error": "forbidden",
                        "reason": .string("\($0.code.rawValue): \($0.message)"),
                    ]
                }), status: 201)
    }

    private func storeDocument(_ id: String, _ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        try checkWritable()
        guard target["new_edits"] == "false" else { throw Self.newEdit }
        let type = MediaType(request.fields["Content-Type"] ?? "")
        let limit = server.options.documentLimit
        let received: ReceivedDocument
        do {
            let receiver = AttachmentReceiver(into: server.contents)
            received =
                type.isMultipart
                ? try await ReceivedDocument(type, request.body.chunks, documentLimit: limit, receiver)
                : try await ReceivedDocument(request.body.collected(limit: server.options.bodyLimit), receiver)
        } catch let error as AttachmentError {
            throw DocumentError(error, id: id)
        }
        let document = try document(received.text)
        guard document.id == .string(id) else {
            throw ServerError(400, "bad_request", "the ID in the document is not the one in the path")
        }
        if let problem = try await store([arrival(document, received)]).first { throw problem }
        return .json(
            ["ok": true, "id": .string(id), "rev": .string(document.version.path.revision.description)], status: 201)
    }

    /// Reads a document that arrived. The attachments in it do not count for its size.
    func document(_ text: [UInt8]) throws -> WireDocument {
        let document = try WireDocument(reading: text, idField: idField)
        guard text.count - document.containedByteCount <= server.options.documentLimit else {
            throw DocumentError(.tooLarge, id: VersionWriter.text(document.id), "document_too_large: \(document.id)")
        }
        return document
    }

    private func checkWritable() throws {
        guard server.options.isWritable else {
            throw ServerError(403, "forbidden", "this server lends its documents for reading only")
        }
    }

    static let newEdit = ServerError(
        403, "forbidden", "this server takes revisions of replicas only; add new_edits=false")

    /// Stores versions, and returns the problems of the others.
    private func store(_ arrivals: [VersionWriter.Arrival]) async throws -> [DocumentError] {
        try await VersionWriter(store: store, collection: collection.name).write(arrivals).problems
    }
}
