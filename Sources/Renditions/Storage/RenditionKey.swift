internal import DocIndex

/// A rendition of an attachment.
struct RenditionKey: Sendable, Hashable {
    let digest: Attachment.Digest
    let specification: RenditionSpecification

    init(_ digest: Attachment.Digest, _ specification: RenditionSpecification) {
        self.digest = digest
        self.specification = specification
    }
}
