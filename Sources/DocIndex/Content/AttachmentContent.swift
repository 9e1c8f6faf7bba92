internal import LevelKit

/// The open content of an attachment.
struct AttachmentContent: Sendable {
    private enum Source: Sendable {
        case bytes([UInt8])
        case file(ContentReader)
        /// Not in the store.
        case external(any ExternalContents)
    }

    let digest: Attachment.Digest
    let byteCount: Int64
    private let source: Source

    /// The number of bytes that are read at once: few enough for the allocator to use the same memory for each part.
    /// Larger ones would get new pages from the system each time, which costs as much as hashing them.
    static let partByteCount = 64 << 10

    /// Opens the content, whose size is checked.
    ///
    /// - Throws: ``DocIndexError``: `attachmentMissing` if it is not stored; `attachmentDamaged` if it has another
    ///   size than its record or than `expected`; `LevelError`.
    init(
        _ digest: Attachment.Digest, byteCount expected: Int64? = nil, of store: DocumentStore, in reader: Snapshot
    ) throws {
        guard let record = try AttachmentRecord.read(digest, in: reader) else { throw Self.missing(digest) }
        self.digest = digest
        byteCount = record.byteCount
        let found: UInt64
        switch record.place {
        case .database(let number):
            guard let bytes = try reader.value(forKey: StoreKey.content(number)) else {
                throw Self.missing(digest, "the record \(number) of its content is not in the database")
            }
            source = .bytes(bytes)
            found = UInt64(bytes.count)
        case .file:
            if let external = store.externalContents {
                guard let size = external.byteCount(of: digest) else { throw Self.elsewhere(digest, external.name) }
                source = .external(external)
                found = UInt64(max(0, size))
                break
            }
            let name = digest.description
            guard let file = try store.files.open(name) else {
                if store.files.isReplaced { throw Self.replaced(digest, store.path) }
                throw Self.missing(digest, "the file \(store.files.file(name)) does not exist")
            }
            source = .file(file)
            found = file.byteCount
        }
        guard found == UInt64(byteCount) else {
            throw Self.damaged(digest, "\(place) has \(found) bytes instead of \(byteCount)")
        }
        if let expected, expected != byteCount {
            throw Self.damaged(
                digest, "the reference states \(expected) bytes, and the stored content has \(byteCount)")
        }
    }

    /// The place of the content, for messages.
    private var place: String {
        switch source {
        case .bytes: "its record"
        case .file(let file): file.path
        case .external(let contents): contents.name
        }
    }

    /// Calls `body` with the parts of a range, in order. If the range is the whole content, its digest is checked
    /// before the last part is passed.
    ///
    /// - Parameter body: returns whether to continue.
    func forEachPart(in range: Range<Int64>, _ body: ([UInt8]) throws -> Bool) throws {
        var parts = AttachmentParts(self, range)
        while let part = try parts.next() {
            if try !body(part) { return }
        }
    }

    /// Reads bytes of the content.
    ///
    /// - Throws: ``DocIndexError`` with `attachmentDamaged` if the content ends before them.
    func read(_ range: Range<Int64>) throws -> [UInt8] {
        switch source {
        case .bytes(let bytes): return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .file(let file):
            let part = try file.read(at: UInt64(range.lowerBound), byteCount: range.count)
            guard part.count == range.count else {
                throw Self.damaged(digest, "\(place) was shortened while being read")
            }
            return part
        case .external(let contents):
            let part = try contents.read(digest, in: range)
            guard part.count == range.count else {
                throw Self.damaged(digest, "\(place) was shortened while being read")
            }
            return part
        }
    }

    /// Reads the whole content, and checks its digest.
    func wholeBytes() throws -> [UInt8] {
        var hash = SHA256Hash()
        let bytes: [UInt8]
        switch source {
        case .bytes(let stored):
            bytes = stored
            unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        case .file(let file):
            // Hashed part by part, while each is in the processor's cache.
            bytes = try unsafe file.readAll(partByteCount: Self.partByteCount) { unsafe hash.update($0) }
            guard bytes.count == byteCount else {
                throw Self.damaged(digest, "\(place) was shortened while being read")
            }
        case .external:
            var whole: [UInt8] = []
            try forEachPart(in: 0..<byteCount) { part in
                whole += part
                return true
            }
            return whole
        }
        try check(hash)
        return bytes
    }

    /// Calls `body` with the whole content in memory, or mapped into memory. Its digest is not checked.
    func withMapping<R>(_ body: (RawSpan) throws -> R) throws -> R {
        switch source {
        case .bytes(let bytes): try Self.lend(bytes, to: body)
        case .file(let file): try file.withMapping(body)
        case .external(let contents):
            if let result = try contents.withMapping(of: digest, body) {
                result
            } else {
                throw Self.elsewhere(digest, contents.name)
            }
        }
    }

    private static func lend<R>(_ bytes: [UInt8], to body: (RawSpan) throws -> R) throws -> R {
        try unsafe body(bytes.span.bytes)
    }

    /// Throws if the hash of the whole content is not its digest.
    func check(_ hash: SHA256Hash) throws {
        let found = Attachment.Digest(hash.digest.span)
        guard found == digest else {
            throw Self.damaged(digest, "the SHA-256 of \(place) is \(found?.description ?? "unknown")")
        }
    }

    static func missing(_ digest: Attachment.Digest, _ reason: String? = nil) -> DocIndexError {
        DocIndexError(
            .attachmentMissing,
            "the content of the attachment \(digest) is not stored\(reason.map { ": \($0)" } ?? ""); add it again, or "
                + "restore a backup")
    }

    private static func elsewhere(_ digest: Attachment.Digest, _ place: String) -> DocIndexError {
        DocIndexError(
            .attachmentElsewhere,
            "the content of the attachment \(digest) is not in \(place), which was packed without originals; ask for a "
                + "package with originals")
    }

    private static func replaced(_ digest: Attachment.Digest, _ path: String) -> DocIndexError {
        DocIndexError(
            .attachmentMissing,
            "the content of the attachment \(digest) was deleted when the store at \(path) was replaced, after this "
                + "process had opened it; close the store and open it again")
    }

    static func damaged(_ digest: Attachment.Digest, _ reason: String) -> DocIndexError {
        DocIndexError(
            .attachmentDamaged,
            "the content of the attachment \(digest) is damaged: \(reason); add it again, or restore a backup")
    }
}

/// Reads a range of an attachment part by part.
struct AttachmentParts: Sendable {
    private let content: AttachmentContent
    private let range: Range<Int64>
    private var position: Int64
    private var hash: SHA256Hash?
    private var isFinished = false

    init(_ content: AttachmentContent, _ range: Range<Int64>) {
        self.content = content
        self.range = range.clamped(to: 0..<content.byteCount)
        position = self.range.lowerBound
        hash = range.lowerBound <= 0 && range.upperBound >= content.byteCount ? SHA256Hash() : nil
    }

    /// Returns the next part; `nil` at the end. The last part of the whole content is returned only if the digest is
    /// right.
    mutating func next() throws -> [UInt8]? {
        guard position < range.upperBound else {
            // Empty content has no last part.
            if !isFinished, let hash { try content.check(hash) }
            isFinished = true
            return nil
        }
        let end = min(range.upperBound, position + Int64(AttachmentContent.partByteCount))
        let part = try content.read(position..<end)
        if hash != nil {
            unsafe part.withUnsafeBytes { unsafe hash?.update($0) }
            if end == range.upperBound, let hash {
                try content.check(hash)
                isFinished = true
            }
        }
        position = end
        return part
    }
}
