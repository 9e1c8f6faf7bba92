internal import DocIndex

/// Attachments of the documents of a collection.
extension ServedDatabase {
    /// Returns a version as it travels, with its attachments as stubs.
    func listed(_ id: DocumentID, _ version: DocumentRevision) throws -> WireDocument {
        guard let content = version.content,
            !AttachmentReferences(of: content).list.isEmpty
                || content.position(ofName: DocumentAttachments.member) != nil
        else { return WireDocument(id, version) }
        let (rest, entries) = try OutgoingAttachments.stubs(
            of: content, generation: version.path.revision.generation,
            digests: AttachmentDigests(of: collection).known)
        return WireDocument(
            id, DocumentRevision(version.path, isDeleted: version.isDeleted, content: rest), attachments: entries)
    }

    /// Returns versions with the contents of their attachments.
    func multipart(
        _ id: DocumentID, _ versions: [DocumentRevision], _ wanted: [Revision]
    ) async throws -> SyncResponse {
        let body = MultipartBody("mixed", try await store.run { _ in try parts(id, versions, wanted) })
        return SyncResponse(status: 200, fields: ["Content-Type": body.contentType], body: body.body)
    }

    /// Returns the parts of a message with versions of a document. Called where reads may block.
    func parts(
        _ id: DocumentID, _ versions: [DocumentRevision], _ wanted: [Revision]
    ) throws -> [MultipartBody.Part] {
        let parts = try versions.map { version -> MultipartBody.Part in
            // Everything follows. A peer that got a stub it cannot use would ask for the document again.
            let outgoing = try OutgoingAttachments(
                of: version.content ?? DocumentObject(), generation: version.path.revision.generation,
                of: store.store, inlineLimit: -1, digests: AttachmentDigests(of: collection).known)
            let content = version.content == nil ? nil : outgoing.content
            var text: [UInt8] = []
            WireDocument(
                id, DocumentRevision(version.path, isDeleted: version.isDeleted, content: content),
                attachments: outgoing.entries
            ).write(to: &text, idField: idField)
            guard !outgoing.following.isEmpty else {
                return MultipartBody.Part(["Content-Type": "application/json"], .bytes(text))
            }
            let message = try AttachmentUpload.message(text, outgoing.following, of: store.store)
            return MultipartBody.Part(["Content-Type": message.contentType], message.body)
        }
        let missing = wanted.filter { revision in !versions.contains { $0.path.revisions.contains(revision) } }
        return parts
            + missing.map { revision in
                let text = DocumentValue.object(["missing": .string(revision.description)]).json
                return MultipartBody.Part(
                    ["Content-Type": #"application/json; error="true""#], .bytes(Array(text.utf8)))
            }
    }

    /// Returns the content of an attachment.
    func content(
        _ name: String, of id: DocumentID, _ request: SyncRequest, _ target: Target
    ) async throws -> SyncResponse {
        let revisions = try target["rev"].map { text -> [Revision] in
            guard let revision = Revision(text) else {
                throw ServerError(400, "bad_request", "rev is not a revision")
            }
            return [revision]
        }
        let collection = collection
        let response = try await store.run { store -> SyncResponse? in
            let reader = try collection.revisionReader(isShown: true)
            guard let content = try versions(revisions, of: id, isLatest: false, reader).first?.content,
                let named = try DocumentAttachments(of: content).list.first(where: {
                    $0.name.utf8.elementsEqual(name.utf8)
                })
            else { return nil }
            return try AttachmentResponse.make(for: named.attachment, of: store, to: request)
        }
        guard let response else { throw ServerError(404, "not_found", "Document is missing attachment") }
        return response
    }

    /// Returns a version that arrived, with its references.
    func arrival(_ document: WireDocument, _ text: [UInt8]) async throws -> VersionWriter.Arrival {
        guard document.hasContents else {
            return VersionWriter.Arrival(document, listed: [document.version.path.revision])
        }
        do {
            return try await arrival(document, ReceivedDocument(text, AttachmentReceiver(into: server.contents)))
        } catch let error as AttachmentError {
            throw DocumentError(error, id: VersionWriter.text(document.id))
        }
    }

    /// Returns a version with its references, whose attachments have been received or are here.
    func arrival(
        _ document: WireDocument, _ received: ReceivedDocument
    ) async throws -> VersionWriter.Arrival {
        guard document.hasContents else {
            return VersionWriter.Arrival(document, listed: [document.version.path.revision])
        }
        let (collection, field, contents) = (collection, idField, received.contents)
        var document = document
        let path = document.version.path
        let version = document.version
        let entries = document.attachments
        let id = document.id
        do {
            document.version = try await store.run { store in
                let reader = try collection.revisionReader(isShown: false)
                var ancestor: StoredAncestor?
                if let (revision, content) = try reader.closestContent(on: path, of: id),
                    let attachments = try? DocumentAttachments(of: content)
                {
                    ancestor = StoredAncestor(generation: revision.generation, attachments)
                }
                let arriving = ArrivingAttachments(version.content ?? DocumentObject(), entries, received: contents)
                var content = try arriving.document(
                    contents, in: store, ancestor: ancestor, digests: AttachmentDigests(of: collection).known)
                if content[field] == nil { content[field] = id.value }
                return DocumentRevision(path, isDeleted: version.isDeleted, content: content)
            }
        } catch let error as AttachmentError where error.code == .missing {
            throw ServerError(412, "missing_stub", error.message)
        } catch let error as AttachmentError {
            throw DocumentError(error, id: VersionWriter.text(id), revision: path.revision.description)
        }
        document.attachments = []
        var arrival = VersionWriter.Arrival(document, listed: [path.revision])
        arrival.digests = received.digests
        return arrival
    }
}

extension RevisionReader {
    /// Returns stored versions.
    ///
    /// - Parameter isLatest: whether a later version stands for an earlier one, which is not stored any more.
    func stored(_ revisions: [Revision]?, of id: DocumentID, isLatest: Bool) throws -> [DocumentRevision] {
        let versions = try stored(revisions, of: id)
        guard !isLatest, let revisions else { return versions }
        return versions.filter { revisions.contains($0.path.revision) }
    }
}

extension Target {
    /// Whether the client accepts later versions instead of the requested ones.
    var isLatest: Bool { self["latest"] == "true" }
}
