internal import LevelKit

/// The record of an attachment, under the key `A digest`.
///
/// It exists from the moment the content is stored until a garbage collection deletes both. A document can refer to
/// a digest only if the record exists.
struct AttachmentRecord: Sendable, Hashable {
    /// Where the content is.
    enum Place: Sendable, Hashable {
        /// In a file of the directory `attachments`, named by the digest.
        case file
        /// In the database, under the key `B number`.
        case database(number: UInt64)
    }

    /// When the last reference disappeared, or the content was stored and not referenced yet.
    struct Release: Sendable, Hashable {
        /// Milliseconds since 1970.
        let time: UInt64
        /// The number of the commit.
        let sequence: UInt64
    }

    /// The use of the content.
    enum Use: Sendable, Hashable {
        /// The number of references in documents, at least 1. A document that contains a reference twice counts twice.
        case referenced(count: UInt64)
        /// No document refers to the content.
        case released(Release)
    }

    var use: Use
    let byteCount: Int64
    let place: Place

    /// The number of references in documents.
    var count: UInt64 {
        if case .referenced(let count) = use { count } else { 0 }
    }

    /// A varint with the count; for 0, varints with the time and the commit of the release; a varint with the size; and
    /// a varint that is 0 for a file, or the number of the content.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(count, to: &bytes)
        if case .released(let release) = use {
            Varint.append(release.time, to: &bytes)
            Varint.append(release.sequence, to: &bytes)
        }
        Varint.append(UInt64(max(0, byteCount)), to: &bytes)
        switch place {
        case .file: Varint.append(0, to: &bytes)
        case .database(let number): Varint.append(number, to: &bytes)
        }
        return bytes
    }

    init(use: Use, byteCount: Int64, place: Place) {
        self.use = use
        self.byteCount = byteCount
        self.place = place
    }

    /// Decodes a record; `nil` for malformed bytes.
    init?(_ bytes: Span<UInt8>) {
        var offset = 0
        guard let count = Varint.read(bytes, &offset) else { return nil }
        if count > 0 {
            use = .referenced(count: count)
        } else {
            guard let time = Varint.read(bytes, &offset), let sequence = Varint.read(bytes, &offset) else { return nil }
            use = .released(Release(time: time, sequence: sequence))
        }
        guard let byteCount = Varint.read(bytes, &offset), let byteCount = Int64(exactly: byteCount),
            let number = Varint.read(bytes, &offset), offset == bytes.count
        else { return nil }
        self.byteCount = byteCount
        place = number == 0 ? .file : .database(number: number)
    }

    /// Returns the record of an attachment; `nil` if its content is not stored.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` for a damaged record.
    static func read(_ digest: Attachment.Digest, in reader: some KeyValueReader) throws -> AttachmentRecord? {
        guard let bytes = try reader.value(forKey: StoreKey.attachment(digest)) else { return nil }
        guard let record = AttachmentRecord(bytes.span) else { throw damaged(digest) }
        return record
    }

    /// Calls `body` for each attachment in the order of digests, until it returns `false`.
    ///
    /// - Parameter first: the digest after which to begin; `nil` for the first one.
    /// - Throws: ``DocIndexError`` with `corruption` for a damaged record; what `body` throws.
    static func forEach(
        after first: Attachment.Digest? = nil, in reader: some KeyValueReader,
        _ body: (Attachment.Digest, AttachmentRecord) throws -> Bool
    ) throws {
        var range = KeyRange.prefix([StoreKey.attachments.rawValue])
        range.lower = .excluded(first.map(StoreKey.attachment) ?? StoreKey.nextContentKey)
        var cursor = try reader.cursor(in: range, cache: .bypass)
        var cancellation = CancellationCheck()
        while try cursor.advance() {
            try cancellation.step()
            guard let digest = StoreKey.digest(in: cursor.key) else {
                throw DocIndexError(
                    .corruption, "the key of an attachment cannot be read; run verify and rebuild the store")
            }
            guard let record = AttachmentRecord(cursor.value) else { throw damaged(digest) }
            if try !body(digest, record) { return }
        }
    }

    static func damaged(_ digest: Attachment.Digest) -> DocIndexError {
        DocIndexError(
            .corruption, "the record of the attachment \(digest) is damaged; run verify and rebuild the store")
    }

    /// Changes the count.
    ///
    /// - Parameter release: the release to note if no reference is left.
    /// - Returns: `false` if the count would become negative or overflow, because it is wrong.
    mutating func change(by delta: Int64, _ release: Release) -> Bool {
        let old = count
        let new =
            delta < 0
            ? old.subtractingReportingOverflow(delta.magnitude)
            : old.addingReportingOverflow(
                delta.magnitude)
        guard !new.overflow else { return false }
        if new.partialValue > 0 {
            use = .referenced(count: new.partialValue)
        } else if old > 0 {
            use = .released(release)
        }
        return true
    }
}
