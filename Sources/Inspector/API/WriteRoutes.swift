internal import DocIndex
internal import DocSync

/// Changes single documents, under conditions.
struct WriteRoutes: Sendable {
    private static let json = ["application/json"]
    private static let patch = ["application/merge-patch+json", "application/json"]

    let store: WritableStore
    let reading: StoreReading
    let request: SyncRequest
    let target: Target

    /// The methods that change a document.
    static let methods: [SyncRequest.Method] = [.put, SyncRequest.Method(rawValue: "PATCH"), .delete]

    /// Answers a request for a document.
    ///
    /// - Parameter text: the ID in the path; `nil` if it is a parameter.
    func answer(_ text: String?, of collection: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: text == nil ? ["kind", "id"] : ["kind"])
        let kind = try parameters.choice("kind", of: ["int", "string"])
        let ids = try DocumentAddress.candidates(text ?? target["id"] ?? "", kind: kind)
        let precondition = try WritePrecondition(request)
        switch request.method {
        case .put:
            let content = try await RequestBody.object(of: request, types: Self.json)
            return try await put(content, ids, in: collection, precondition)
        case .delete:
            try await delete(ids, in: collection, precondition)
            return SyncResponse(status: 204)
        default:
            let patch = try await RequestBody.object(of: request, types: Self.patch)
            return try await apply(patch, ids, in: collection, precondition)
        }
    }

    // MARK: - Changes

    private func put(
        _ content: DocumentObject, _ ids: [DocumentID], in name: String, _ precondition: WritePrecondition
    ) async throws -> SyncResponse {
        let found = try await current(ids, in: name)
        let wanted = content[found.idField].flatMap { DocumentID($0) }
        let id = found.document?.id ?? ids.first { $0 == wanted } ?? ids[0]
        var content = content
        if content[found.idField] == nil { content[found.idField] = id.value }
        guard content[found.idField] == id.value else {
            throw Problem(
                .refusedDocument, "The member \(found.idField) differs from the ID in the address; make them equal.",
                parameter: found.idField)
        }
        let condition = try precondition.condition(on: found.document, epoch: found.epoch)
        try await Self.writing { try await store.put(content, in: name, if: condition) }
        return try await response(id, in: name, status: found.document == nil ? 201 : 200)
    }

    private func apply(
        _ patch: DocumentObject, _ ids: [DocumentID], in name: String, _ precondition: WritePrecondition
    ) async throws -> SyncResponse {
        let found = try await current(ids, in: name)
        let condition = try precondition.condition(on: found.document, epoch: found.epoch)
        guard let id = found.document?.id else {
            throw Problem(.notFound, "There is no document to change; create it with PUT.")
        }
        try await Self.writing { try await store.patch(id, patch, in: name, if: condition) }
        return try await response(id, in: name, status: 200)
    }

    /// Deletes a document.
    func delete(_ ids: [DocumentID], in name: String, _ precondition: WritePrecondition) async throws {
        let found = try await current(ids, in: name)
        let condition = try precondition.condition(on: found.document, epoch: found.epoch)
        guard let id = found.document?.id else { throw Problem(.notFound, "There is no document to delete.") }
        try await Self.writing { try await store.delete(id, in: name, if: condition) }
    }

    /// Stores the whole document of a form.
    func replace(_ content: DocumentObject, _ ids: [DocumentID], in name: String, tag: String) async throws {
        _ = try await put(content, ids, in: name, WritePrecondition(match: tag))
    }

    private struct Current: Sendable {
        let idField: String
        let epoch: String
        let document: Document?
    }

    private func current(_ ids: [DocumentID], in name: String) async throws -> Current {
        let state = try await reading.state()
        return try await reading.run {
            let collection = try state.collection(name)
            return Current(
                idField: collection.definition.idField, epoch: state.epoch,
                document: try ids.lazy.compactMap { try collection.document($0) }.first)
        }
    }

    private func response(_ id: DocumentID, in name: String, status: Int) async throws -> SyncResponse {
        let state = try await reading.state()
        guard let document = try await reading.run({ try state.collection(name).document(id) }) else {
            throw Problem(.preconditionFailed, "The document was stored, and deleted by another writer.")
        }
        var response = JSONResponse.make(
            document.content, tag: WritePrecondition.tag(state.epoch, document.sequence))
        response.status = status
        return response
    }

    /// Runs a write, and says what refuses it.
    private static func writing(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DocIndexError {
            throw Problem(writing: error)
        }
    }
}
