internal import LevelKit

/// Attachments that are stored together: their files share the flushes of the disk, and their records one batch.
struct ContentGroup {
    let store: DocumentStore
    let contents: [NewContent]

    /// An attachment of the group, with what is known about it before it is stored.
    private struct Entry {
        let digest: Attachment.Digest
        let content: NewContent
        /// Where the bytes are written in the database; `nil` for a file, or if they need not be written.
        var number: UInt64?
    }

    /// Stores the attachments. When this returns, the files are on the disk, and then the records are written.
    ///
    /// - Returns: for each attachment the reference to it, or why it is not stored. A failure of the disk concerns all.
    func results() -> [Result<Attachment, any Error>] {
        do {
            // Others can publish meanwhile.
            for content in contents { try content.waitUntilWritten() }
            return try store.contentGate.withLock { try storeWithGate() }
        } catch {
            return contents.map { _ in .failure(error) }
        }
    }

    /// Called with the gate held, so the records cannot disappear.
    private func storeWithGate() throws -> [Result<Attachment, any Error>] {
        var entries: [Entry] = []
        var digests: Set<Attachment.Digest> = []
        var publications: [ContentPublication] = []
        let results = contents.map { content -> Result<Attachment, any Error> in
            Result {
                let attachment = try content.attachment()
                if digests.contains(attachment.digest) {
                    content.discard()
                } else {
                    let (entry, publication) = try prepared(content, attachment.digest)
                    entries.append(entry)
                    digests.insert(attachment.digest)
                    if let publication { publications.append(publication) }
                }
                return attachment
            }
        }
        try store.files.publish(publications)
        if !entries.isEmpty { try write(entries) }
        return results
    }

    /// Compares an attachment with what is stored.
    private func prepared(
        _ content: NewContent, _ digest: Attachment.Digest
    ) throws -> (entry: Entry, publication: ContentPublication?) {
        let known = try AttachmentRecord.read(digest, in: store.database)
        if let known, known.byteCount != content.byteCount { throw AttachmentRecord.damaged(digest) }
        var entry = Entry(digest: digest, content: content)
        switch known?.place {
        case .database(let number):
            let stored = try store.database.value(forKey: StoreKey.content(number))
            // A damaged attachment is replaced.
            if stored != content.inlineBytes { entry.number = number }
            return (entry, nil)
        case nil where !content.hasFile: return (entry, nil)
        case .file, nil:
            let file = try content.finishedFile()
            return (entry, ContentPublication(file, as: digest.description, hasRecord: known != nil))
        }
    }

    /// Writes the records, and the attachments that are in the database.
    private func write(_ entries: [Entry]) throws {
        try store.withWriter { state in
            try state.load(from: store.database)
            let batch = WriteBatch()
            let release = AttachmentRecord.Release(time: StoreClock.now, sequence: state.sequence)
            var nextNumber: UInt64?
            for entry in entries {
                let (digest, content) = (entry.digest, entry.content)
                var place = AttachmentRecord.Place.file
                var number = entry.number
                var record = try AttachmentRecord.read(digest, in: store.database)
                if record == nil, !content.hasFile {
                    let new = try nextNumber ?? Self.nextNumber(in: store.database)
                    nextNumber = new + 1
                    number = new
                    place = .database(number: new)
                }
                // A known attachment is referenced, or its time until deletion starts over.
                if record?.count == 0 { record?.use = .released(release) }
                let written =
                    record ?? AttachmentRecord(use: .released(release), byteCount: content.byteCount, place: place)
                if let number { try batch.put(content.inlineBytes, forKey: StoreKey.content(number)) }
                try batch.put(written.encoded, forKey: StoreKey.attachment(digest))
            }
            if let nextNumber {
                var next: [UInt8] = []
                Varint.append(nextNumber, to: &next)
                try batch.put(next, forKey: StoreKey.nextContentKey)
            }
            try store.writeAttachments(batch)
        }
    }

    /// Returns the number of the next attachment in the database.
    private static func nextNumber(in database: Database) throws -> UInt64 {
        guard let bytes = try database.value(forKey: StoreKey.nextContentKey) else { return 1 }
        guard let number = DocumentStore.Attachments.nextNumber(bytes) else {
            throw DocIndexError(
                .corruption, "the number of the next attachment is unreadable; run verify and rebuild the store")
        }
        return number
    }
}
