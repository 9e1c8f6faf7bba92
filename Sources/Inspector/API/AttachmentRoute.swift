internal import DocIndex
internal import DocSync
internal import Pictures

/// The contents of attachments, by digest, and pictures in other sizes. Pictures are served as what their first bytes
/// say; everything else is a download, because a browser must not run it as a page of this server.
struct AttachmentRoute: Sendable {
    /// A part of an attachment that a request asks for instead of its content.
    enum Form: String, CaseIterable {
        /// The small picture in a JPEG file.
        case embedded
        /// A small picture: made by a shell, or embedded, or the content.
        case thumbnail
        /// A picture for the whole window: made by a shell from a large photo, or the content.
        case preview
    }

    /// The size in bytes up to which a picture is used as its own thumbnail or preview.
    private static let smallByteLimit: Int64 = 4 << 20
    /// The size of a picture in bytes above which a preview is made. To compress a smaller one again costs quality.
    private static let previewByteLimit: Int64 = 1 << 20

    let reading: StoreReading
    let request: SyncRequest
    let target: Target

    private struct Content: Sendable {
        let stored: Attachment
        let kind: PictureKind?
    }

    func answer(_ text: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: ["rendition", "name"])
        let words = Form.allCases.map(\.rawValue)
        let form = try parameters.choice("rendition", of: words).flatMap { Form(rawValue: $0) }
        guard let digest = Attachment.Digest(text) else { throw Self.missing }
        let store = try await reading.state()
        let content = try await reading.run {
            guard let stored = try store.attachment(digest) else { throw Self.missing }
            do {
                let beginning = try store.beginning(of: stored, byteCount: PictureKind.signatureByteCount)
                return Content(stored: stored, kind: PictureKind(of: beginning))
            } catch let error as DocIndexError where error.code == .attachmentElsewhere && form != nil {
                // A package without originals contains pictures that were made from them.
                return Content(stored: stored, kind: nil)
            }
        }
        if let made = try await made(form, content) { return response(with: made) }
        var response = try await reading.run { [self] in
            if form == .embedded || form == .thumbnail {
                if let small = try embedded(in: content, of: store) { return small }
                guard content.kind != nil, content.stored.byteCount <= Self.smallByteLimit else {
                    throw Problem(.notFound, "The attachment contains no small picture.")
                }
            }
            return try whole(content, of: store, name: parameters["name"] ?? String(text.prefix(16)))
        }
        if form == .thumbnail || form == .preview, reading.services != nil {
            // The next request may have better luck.
            response.fields["Cache-Control"] = "no-cache"
        }
        return response
    }

    private static let missing = Problem(.notFound, "No attachment with this digest is stored.")

    /// A picture that a shell makes.
    private func made(_ form: Form?, _ content: Content) async throws -> [UInt8]? {
        switch form {
        case .thumbnail: return try await reading.picture(content.stored, .thumbnail)
        case .preview:
            // Previews are JPEG files. Pictures in other formats may be transparent or move.
            let needsPreview = content.kind == .jpeg && content.stored.byteCount > Self.previewByteLimit
            return needsPreview || content.kind == nil ? try await reading.picture(content.stored, .preview) : nil
        case .embedded, nil: return nil
        }
    }

    /// The picture that a camera embedded; `nil` if there is none.
    private func embedded(in content: Content, of store: ReadableStore) throws -> SyncResponse? {
        guard content.kind == .jpeg else { return nil }
        let bytes = try store.beginning(of: content.stored, byteCount: EmbeddedThumbnail.examinedByteCount)
        return EmbeddedThumbnail.range(in: bytes).map { response(with: Array(bytes[$0])) }
    }

    private func whole(_ content: Content, of store: ReadableStore, name: String) throws -> SyncResponse {
        let type = content.kind?.rawValue ?? Attachment.unknownType
        let stored = content.stored
        guard let typed = Attachment(digest: stored.digest, byteCount: stored.byteCount, type: type),
            var response = try store.response(with: typed, to: request)
        else { throw Self.missing }
        protect(&response)
        if content.kind == nil {
            response.fields["Content-Disposition"] = "attachment; filename*=UTF-8''" + PercentCoding.encoded(name)
        }
        return response
    }

    /// Returns the response with a small JPEG file, or says that the client has it.
    private func response(with picture: [UInt8]) -> SyncResponse {
        var hash = SHA256Hash()
        unsafe picture.withUnsafeBytes { unsafe hash.update($0) }
        let tag = "\"\(HexBytes.text(hash.digest))\""
        var response =
            JSONResponse.unchanged(request, tag: tag)
            ?? SyncResponse(
                status: 200, fields: ["Content-Type": PictureKind.jpeg.rawValue, "ETag": tag], body: .bytes(picture))
        protect(&response)
        return response
    }

    private func protect(_ response: inout SyncResponse) {
        response.fields["Cache-Control"] = "private, max-age=31536000, immutable"
        response.fields["Content-Security-Policy"] = "sandbox; default-src 'none'"
    }
}
