internal import Dispatch
internal import LevelKit
internal import Synchronization

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
    /// The number of bytes that the file has from an earlier reception. They are appended again, to be hashed.
    private var keptByteCount: Int64 = 0

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

    /// Continues an attachment. The bytes that it has are appended first, to be hashed.
    package init(
        continuing partial: PartialContent, for store: DocumentStore, type: String, name: String?, byteCount: UInt64
    ) throws {
        try self.init(for: store, type: type, name: name, byteCount: byteCount)
        file = partial.file
        keptByteCount = partial.byteCount
    }

    /// The digest of the bytes so far.
    package var digest: Attachment.Digest? { Attachment.Digest(hash.digest.span) }

    /// Adds bytes.
    package mutating func append(_ part: [UInt8]) throws {
        if byteCount < keptByteCount {
            let kept = part.prefix(Int(clamping: keptByteCount - byteCount))
            byteCount += Int64(kept.count)
            unsafe kept.withUnsafeBytes { unsafe hash.update($0) }
            if kept.count < part.count { try append(Array(part.dropFirst(kept.count))) }
            return
        }
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

    /// Lets the system start to write the rest of the content to the disk.
    func startWriting() throws { try file?.startWriting() }

    /// Waits until the system has written the content, so that the flush of its file does not have to.
    func waitUntilWritten() throws { try file?.waitUntilWritten() }

    /// Stores the content.
    package func finish() throws -> Attachment {
        guard let result = ContentGroup(store: store, contents: [self]).results().first else { throw Self.undigested }
        return try result.get()
    }

    /// Returns the reference to the content, which need not be stored yet.
    package func attachment() throws -> Attachment {
        guard let digest, let attachment = Attachment(digest: digest, byteCount: byteCount, type: type, name: name)
        else { throw Self.undigested }
        return attachment
    }

    private static var undigested: DocIndexError {
        DocIndexError(.invalidDocument, "the content has no SHA-256 digest; store it again")
    }
}

extension NewContent {
    /// Whether the content is in a file.
    var hasFile: Bool { file != nil }

    /// The number of bytes in memory.
    package var memoryByteCount: Int { bytes.count }

    /// The content, if it is in memory.
    var inlineBytes: [UInt8] { bytes }

    /// Returns the file with the content. Writes it if the content is in memory.
    func finishedFile() throws -> NewContentFile {
        if let file { return file }
        let file = try store.files.newFile(byteCount: UInt64(byteCount))
        try file.write(bytes, isLast: true)
        return file
    }

    /// Deletes the file, because the content is stored already.
    func discard() { file?.discard() }
}
