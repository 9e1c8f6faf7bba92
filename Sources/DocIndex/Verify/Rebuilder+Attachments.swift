internal import LevelKit

extension Rebuilder {
    /// Makes the records of attachments agree with the documents and the stored content.
    ///
    /// An attachment that is found is kept, even if nothing refers to it. The record of an attachment that is stored
    /// nowhere is kept if a document or another version refers to it, so the document can be changed, the version can
    /// be chosen, and the content can be added again.
    mutating func rebuildAttachments() throws {
        for collection in catalog.collections { try references.addVersions(of: collection, in: database) }
        guard try hasAttachments || !references.isEmpty || hasFiles() else { return }
        hasAttachments = true
        var contents = try AttachmentSurvey(database, files: files)
        try number(&contents)
        var known: Set<Attachment.Digest> = []
        var cursor = try database.cursor(in: .prefix([StoreKey.attachments.rawValue]), cache: .bypass)
        while try cursor.advance() {
            if cursor.key.count == StoreKey.nextContentKey.count { continue }
            guard let digest = StoreKey.digest(in: cursor.key) else {
                report.repairCount += 1
                try setAside(cursor.key.copied(), cursor.value.copied())
                continue
            }
            known.insert(digest)
            try correct(digest, AttachmentRecord(cursor.value), isStored: true, contents)
            try write()
        }
        let found = references.digests.union(contents.contents.keys).union(try formerAttachments())
        for digest in found.subtracting(known).sorted() {
            try correct(digest, nil, isStored: false, contents)
            try write()
        }
        report.lostAttachments.sort()
        try write(always: true)
    }

    /// Gives the attachments without a number one, and corrects the number of the next attachment.
    private mutating func number(_ contents: inout AttachmentSurvey<Database>) throws {
        var next = contents.largestNumber + 1
        let stored = try database.value(forKey: StoreKey.nextContentKey)
        // A number that is far too large is damaged.
        if let number = DocumentStore.Attachments.nextNumber(stored), number <= next + Self.largestNumberGap {
            next = max(next, number)
        }
        for (digest, key) in contents.unnumbered {
            report.repairCount += 1
            if contents.contents[digest] == nil, let value = try database.value(forKey: key) {
                try batch.put(value, forKey: StoreKey.content(next))
                contents.assign(next, to: digest, byteCount: Int64(value.count))
                next += 1
            }
            try batch.delete(key)
            try write()
        }
        // The same bytes have a different number.
        for key in contents.duplicates {
            try remove(key)
            try write()
        }
        var encoded: [UInt8] = []
        Varint.append(next, to: &encoded)
        try correct(StoreKey.nextContentKey, to: encoded, isWrittenIfMissing: next > 1)
        try write(always: true)
    }

    /// More attachments than a store can delete.
    private static let largestNumberGap: UInt64 = 1 << 40

    private mutating func correct(
        _ digest: Attachment.Digest, _ stored: AttachmentRecord?, isStored: Bool,
        _ contents: AttachmentSurvey<Database>
    ) throws {
        let key = StoreKey.attachment(digest)
        let use = references[digest]
        guard let content = try contents.content(of: digest, stored) else {
            if let use {
                report.lostAttachments.append(digest)
                let record = AttachmentRecord(
                    use: .referenced(count: use.count), byteCount: use.byteCount, place: .file)
                try correct(key, to: record.encoded)
            } else if let version = references.versions[digest] {
                report.lostAttachments.append(digest)
                let release = AttachmentRecord.Release(time: StoreClock.now, sequence: sequence)
                let record = AttachmentRecord(use: .released(release), byteCount: version.byteCount, place: .file)
                if stored == nil { try correct(key, to: record.encoded) }
            } else if isStored {
                try remove(key)
            }
            return
        }
        if content.place == .file, stored?.place != .file { try files.makeDurable(digest.description) }
        var record = AttachmentRecord(
            use: .released(AttachmentRecord.Release(time: StoreClock.now, sequence: sequence)),
            byteCount: content.byteCount, place: content.place)
        if let use {
            record.use = .referenced(count: use.count)
        } else if case .released(let release)? = stored?.use, release.sequence <= sequence {
            record.use = .released(release)
        }
        try correct(key, to: record.encoded)
    }

    /// Returns the attachments that former versions of documents refer to.
    private func formerAttachments() throws -> Set<Attachment.Digest> {
        var former: Set<Attachment.Digest> = []
        guard catalog.stored.keepsHistory else { return former }
        var cursor = try database.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while try cursor.advance() {
            guard let key = StoreChange.Key(cursor.key, kind: .history),
                let collection = catalog.collection(numbered: key.collection),
                let record = HistoryRecord(cursor.value), case .stored(_, let start) = record.former
            else { continue }
            let value = cursor.value
            let document = try? RowReader.document(
                record: value.extracting(start..<value.count), row: key.row, collection: collection)
            document?.content.forEachAttachment { former.insert($0.digest) }
        }
        return former
    }

    /// Whether the store has files of attachments.
    private func hasFiles() throws -> Bool {
        var hasFiles = false
        do {
            try files.forEachFile { _ in hasFiles = true }
        } catch let error as LevelError where error.code == .io {
            // The directory cannot be read, so nothing in it can be adopted.
        }
        return hasFiles
    }
}
