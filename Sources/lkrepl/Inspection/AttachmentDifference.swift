import DocIndex

/// The attached files that documents of only one of two stores refer to.
struct AttachmentDifference {
    /// One difference.
    struct Item {
        let digest: Attachment.Digest
        let byteCount: Int64
        /// Whether the first store has the file; otherwise the second one has it.
        let isInFirst: Bool
    }

    let first: DocumentStore.Attachments
    let second: DocumentStore.Attachments

    /// Calls `body` with each difference: first the files of the first store, then those of the second one, each in the
    /// order of their digests.
    func forEach(_ body: (Item) throws -> Void) throws {
        for (one, other, isInFirst) in [(first, second, true), (second, first, false)] {
            try one.forEachContent { info in
                guard info.referenceCount > 0, try other.info(info.digest)?.referenceCount ?? 0 == 0 else { return }
                try body(Item(digest: info.digest, byteCount: info.byteCount, isInFirst: isInFirst))
            }
        }
    }
}
