internal import DocIndex

/// The contents of the attachments of a package, read where they are in its file.
struct PackagedContents: ExternalContents {
    let package: Package

    var name: String { "the package \(package.path)" }

    func byteCount(of digest: Attachment.Digest) -> Int64? {
        package.byteCount(ofOriginal: digest).map { Int64(clamping: $0) }
    }

    func read(_ digest: Attachment.Digest, in range: Range<Int64>) throws -> [UInt8] {
        guard let start = UInt64(exactly: range.lowerBound) else { return [] }
        return try package.bytes(ofOriginal: digest, at: start, byteCount: range.count) ?? []
    }

    func withMapping<R>(of digest: Attachment.Digest, _ body: (RawSpan) throws -> R) throws -> R? {
        try package.withMapping(ofOriginal: digest, body)
    }

    func rendition(of digest: Attachment.Digest, named specification: String) throws -> [UInt8]? {
        try package.rendition(of: digest, named: specification)
    }
}
