internal import DocIndex
internal import DocSync
internal import Pictures

/// The contents of attachments, by digest. Pictures are served as what their first bytes say; everything else is a
/// download, because a browser must not run it as a page of this server.
struct AttachmentRoute: Sendable {
    /// The largest picture that stands for its own small form, in bytes.
    private static let smallByteLimit: Int64 = 4 << 20
    private static let forever = "private, max-age=31536000, immutable"

    let reading: StoreReading
    let request: SyncRequest
    let target: Target

    func answer(_ text: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: ["rendition", "name"])
        let wantsSmall = try parameters.choice("rendition", of: ["embedded"]) != nil
        let missing = Problem(.notFound, "No attachment with this digest is stored.")
        guard let digest = Attachment.Digest(text) else { throw missing }
        let store = try await reading.state()
        return try await reading.run { [request] in
            guard let stored = try store.attachment(digest) else { throw missing }
            let kind = PictureKind(of: try store.beginning(of: stored, byteCount: PictureKind.signatureByteCount))
            if wantsSmall, let small = try Self.small(stored, kind, store) { return small }
            guard !wantsSmall || kind != nil && stored.byteCount <= Self.smallByteLimit else {
                throw Problem(.notFound, "The attachment contains no small picture.")
            }
            let type = kind?.rawValue ?? Attachment.unknownType
            guard let typed = Attachment(digest: digest, byteCount: stored.byteCount, type: type),
                var response = try store.response(with: typed, to: request)
            else { throw missing }
            response.fields["Cache-Control"] = Self.forever
            response.fields["Content-Security-Policy"] = "sandbox; default-src 'none'"
            if kind == nil {
                let name = parameters["name"] ?? String(text.prefix(16))
                response.fields["Content-Disposition"] = "attachment; filename*=UTF-8''" + PercentCoding.encoded(name)
            }
            return response
        }
    }

    /// The picture that a camera embedded; `nil` if there is none.
    private static func small(
        _ stored: Attachment, _ kind: PictureKind?, _ store: ReadableStore
    ) throws -> SyncResponse? {
        guard kind == .jpeg else { return nil }
        let bytes = try store.beginning(of: stored, byteCount: EmbeddedThumbnail.examinedByteCount)
        guard let range = EmbeddedThumbnail.range(in: bytes) else { return nil }
        return SyncResponse(
            status: 200,
            fields: [
                "Content-Type": PictureKind.jpeg.rawValue, "Cache-Control": forever,
                "Content-Security-Policy": "sandbox; default-src 'none'",
            ], body: .bytes(Array(bytes[range])))
    }
}
