internal import Dispatch
internal import LevelKit
internal import Synchronization

extension DocumentStore.Attachments {
    /// Stores content in memory.
    ///
    /// Content in a file is on the disk when this returns. Everything else is written to the database like a buffered
    /// write, before the documents that refer to the content: whenever such a document survives a power failure, its
    /// content does too. If the same content is stored already, it is used, and repaired if it was damaged.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - type: the media type.
    ///   - name: the file name; `nil` if there is none.
    /// - Returns: the reference to put into documents.
    /// - Throws: ``DocIndexError``: `invalidDocument` for an empty or too long type or name; `nestedWrite` inside a
    ///   write of this store; `LevelError`, such as `io` or `readOnly`.
    public func add(
        _ bytes: [UInt8], type: String = Attachment.unknownType, name: String? = nil
    ) throws -> Attachment {
        var content = try NewContent(for: store, type: type, name: name, byteCount: UInt64(bytes.count))
        try content.append(bytes)
        return try content.finish()
    }

    /// Stores the content of a file, which is copied. The file itself stays as it is.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - type: the media type; `nil` to derive it from the extension of the file name.
    ///   - name: the file name to note; `nil` for the last component of the path.
    ///   - progress: called after each part with the number of bytes so far. An error that it throws cancels the call.
    /// - Returns: the reference to put into documents.
    /// - Throws: `LevelError` with `io` if the file cannot be read or is not a file; the errors of
    ///   ``add(_:type:name:)``; `CancellationError` if the task is cancelled.
    public func add(
        contentsOf path: String, type: String? = nil, name: String? = nil, _ progress: (Int64) throws -> Void = { _ in }
    ) throws -> Attachment {
        let source = try ContentReader(path: path)
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
        let fileName = name ?? last ?? path
        var content = try NewContent(
            for: store, type: type ?? MediaType.ofFile(named: fileName), name: fileName, byteCount: source.byteCount)
        while true {
            let part = try source.read(at: UInt64(content.byteCount), byteCount: AttachmentContent.partByteCount)
            if part.isEmpty { break }
            try CancellationCheck.now()
            try content.append(part)
            try progress(content.byteCount)
        }
        return try content.finish()
    }

    /// Stores content that arrives in parts, such as a download.
    ///
    /// - Parameters:
    ///   - chunks: the parts.
    ///   - type: the media type.
    ///   - name: the file name; `nil` if there is none.
    /// - Returns: the reference to put into documents.
    /// - Throws: what the sequence throws; the errors of ``add(_:type:name:)``. Nothing is stored then.
    public func add<Chunks: AsyncSequence>(
        chunks: Chunks, type: String = Attachment.unknownType, name: String? = nil
    ) async throws -> Attachment where Chunks.Element == [UInt8] {
        try await add(chunks: chunks, type: type, name: name) { _ in }
    }

    /// Stores content that arrives in parts, if it has the expected digest.
    ///
    /// - Parameters:
    ///   - check: called with the digest of all parts, before anything is stored. It throws to refuse the content.
    /// - Throws: like ``add(chunks:type:name:)``; what `check` throws.
    package func add<Chunks: AsyncSequence>(
        chunks: Chunks, type: String = Attachment.unknownType, name: String? = nil,
        checking check: (Attachment.Digest) throws -> Void
    ) async throws -> Attachment where Chunks.Element == [UInt8] {
        var content = try NewContent(for: store, type: type, name: name, byteCount: 0)
        for try await part in chunks {
            let received = content
            content = try await store.writes.run {
                var content = received
                try content.append(part)
                return content
            }
        }
        if let digest = content.digest { try check(digest) }
        let received = content
        return try await store.writes.run { try received.finish() }
    }
}

extension DocumentStore.Attachments {
    /// Decodes the record with the number of the next content in the database; `nil` if it is missing or malformed.
    static func nextNumber(_ record: [UInt8]?) -> UInt64? {
        guard let record, let number = Varint.readAll(record), number.count == 1, 1..<UInt64.max >> 2 ~= number[0]
        else { return nil }
        return number[0]
    }
}

/// Content that is being received: hashed, and kept in memory until it is too large for the database.
package struct NewContent: Sendable {
    private let store: DocumentStore
    private let type: String
    private let name: String?
    private var hash = SHA256Hash()
    /// The number of bytes so far.
    package private(set) var byteCount: Int64 = 0
    private var bytes: [UInt8] = []
    private var file: NewContentFile?
    private let expectedByteCount: UInt64

    /// - Parameter byteCount: the expected size; 0 if it is not known.
    package init(for store: DocumentStore, type: String, name: String?, byteCount: UInt64) throws {
        guard Attachment.isValid(type), name.map(Attachment.isValid) ?? true else {
            throw DocIndexError(
                .invalidDocument,
                "the type and the name of an attachment have 1 to \(Attachment.maximumNameByteCount) bytes each; give "
                    + "shorter ones, or no name")
        }
        // Before anything is written.
        if let refusal = store.database.refusal { throw refusal }
        try store.requireNoWriteHere()
        self.store = store
        self.type = type
        self.name = name
        expectedByteCount = byteCount
    }

    /// The digest of the bytes so far.
    package var digest: Attachment.Digest? { Attachment.Digest(hash.digest.span) }

    /// Adds bytes.
    package mutating func append(_ part: [UInt8]) throws {
        byteCount += Int64(part.count)
        if file == nil, byteCount > Int64(DocumentStore.Attachments.inlineByteCount) {
            let file = try store.files.newFile(byteCount: max(expectedByteCount, UInt64(byteCount)))
            if !bytes.isEmpty { try file.write(bytes) }
            bytes = []
            self.file = file
        }
        if let file {
            let isLast = UInt64(byteCount) == expectedByteCount
            if part.count >= Self.sharedByteCount {
                hash = try Self.write(part, isLast: isLast, to: file, hash)
            } else {
                // Before the hash, so that the disk is busy meanwhile.
                try file.write(part, isLast: isLast)
                unsafe part.withUnsafeBytes { unsafe hash.update($0) }
            }
            return
        }
        if bytes.isEmpty { bytes = part } else { bytes += part }
        unsafe part.withUnsafeBytes { unsafe hash.update($0) }
    }

    /// The size from which another thread computes the hash. Waking it costs as much as hashing some 50 KiB.
    private static let sharedByteCount = 256 << 10

    /// Writes bytes while another thread adds them to the hash.
    private static func write(
        _ bytes: [UInt8], isLast: Bool, to file: NewContentFile, _ hash: SHA256Hash
    ) throws -> SHA256Hash {
        let hashed = Mutex(hash)
        let failed = Mutex<LevelError?>(nil)
        DispatchQueue.concurrentPerform(iterations: 2) { step in
            if step == 0 {
                do throws(LevelError) {
                    try file.write(bytes, isLast: isLast)
                } catch {
                    failed.withLock { $0 = error }
                }
            } else {
                hashed.withLock { hash in unsafe bytes.withUnsafeBytes { unsafe hash.update($0) } }
            }
        }
        if let failure = failed.withLock({ $0 }) { throw failure }
        return hashed.withLock { $0 }
    }

    /// Stores the content.
    package func finish() throws -> Attachment {
        guard let digest,
            let attachment = Attachment(digest: digest, byteCount: byteCount, type: type, name: name)
        else { throw DocIndexError(.invalidDocument, "the content has no SHA-256 digest; store it again") }
        // Others can publish meanwhile.
        try file?.waitUntilWritten()
        try store.contentGate.withLock { try store(attachment) }
        return attachment
    }

    /// Called with the gate held, so the record cannot disappear.
    private func store(_ attachment: Attachment) throws {
        let known = try AttachmentRecord.read(attachment.digest, in: store.database)
        if let known, known.byteCount != byteCount { throw AttachmentRecord.damaged(attachment.digest) }
        var place: AttachmentRecord.Place?
        switch known?.place {
        case .file: try publish(attachment.digest, hasRecord: true)
        case .database(let number):
            if try store.database.value(forKey: StoreKey.content(number))?.count == Int(byteCount) { break }
            place = known?.place
        case nil:
            if file != nil { try publish(attachment.digest, hasRecord: false) }
        }
        try store.withWriter { state in
            try state.load(from: store.database)
            let batch = WriteBatch()
            let release = AttachmentRecord.Release(time: StoreClock.now, sequence: state.sequence)
            var record = AttachmentRecord(use: .released(release), byteCount: byteCount, place: .file)
            if let known = try AttachmentRecord.read(attachment.digest, in: store.database) {
                // The content is referenced, or its time until deletion starts over.
                record = known
                if known.count == 0 { record.use = .released(release) }
            } else if file == nil {
                let number = try Self.nextNumber(in: store.database)
                place = .database(number: number)
                record = AttachmentRecord(
                    use: .released(release), byteCount: byteCount, place: .database(number: number))
                var next: [UInt8] = []
                Varint.append(number + 1, to: &next)
                try batch.put(next, forKey: StoreKey.nextContentKey)
            }
            if case .database(let number) = place { try batch.put(bytes, forKey: StoreKey.content(number)) }
            try batch.put(record.encoded, forKey: StoreKey.attachment(attachment.digest))
            var catalog = store.currentCatalog
            if catalog.hasAttachments {
                try store.database.write(batch, durability: .buffered)
            } else {
                catalog.hasAttachments = true
                try store.save(catalog, with: batch)
            }
        }
    }

    private func publish(_ digest: Attachment.Digest, hasRecord: Bool) throws {
        var file = file
        if file == nil {
            file = try store.files.newFile(byteCount: UInt64(byteCount))
            try file?.write(bytes, isLast: true)
        }
        try file?.publish(as: digest.description, hasRecord: hasRecord)
    }

    /// Returns the number of the next content in the database.
    private static func nextNumber(in database: Database) throws -> UInt64 {
        guard let bytes = try database.value(forKey: StoreKey.nextContentKey) else { return 1 }
        guard let number = DocumentStore.Attachments.nextNumber(bytes) else {
            throw DocIndexError(
                .corruption, "the number of the next attachment is unreadable; run verify and rebuild the store")
        }
        return number
    }
}
