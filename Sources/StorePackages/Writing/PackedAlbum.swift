internal import DocIndex
internal import Pictures

/// The renditions that are in a package so far.
struct PackedAlbum {
    private struct Entry {
        let path: String
        let specification: String
        let width: Int
        let height: Int
    }

    private var entries: [Attachment.Digest: [Entry]] = [:]

    /// Notes a rendition. The smallest of an attachment comes first.
    mutating func add(_ specification: String, _ header: JPEGHeader?, of digest: Attachment.Digest) {
        entries[digest, default: []].append(
            Entry(
                path: EntryName.rendition(specification, digest).path, specification: specification,
                width: header?.width ?? 0, height: header?.height ?? 0))
    }

    /// Returns the name of the specification of the largest rendition of an attachment; `nil` if it has none.
    func largest(of digest: Attachment.Digest) -> String? { entries[digest]?.last?.specification }

    /// Returns the smallest and the largest rendition of an attachment; `nil` if it has none.
    func picture(of digest: Attachment.Digest) -> GalleryPage.Picture? {
        guard let all = entries[digest], let small = all.first, let large = all.last else { return nil }
        let size = small.width > 0 && small.height > 0 ? (small.width, small.height) : nil
        return GalleryPage.Picture(small: small.path, size: size, large: large.path)
    }
}
