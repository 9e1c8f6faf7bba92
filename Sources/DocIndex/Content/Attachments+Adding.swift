internal import LevelKit

extension DocumentStore.Attachments {
    /// Stores content in memory.
    ///
    /// Content in a file is on the disk when this returns. Everything else is written to the database like a buffered
    /// write, before the documents that refer to the content: whenever such a document survives a power failure, its
    /// content does too. If the same content is already stored, it is used, and repaired if it was damaged.
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

    /// Stores the content of a file, which is copied. The file itself is not changed.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - type: the media type; `nil` to derive it from the extension of the file name.
    ///   - name: the file name to record; `nil` for the last component of the path.
    ///   - progress: called after each part with the number of bytes so far. An error that it throws cancels the call.
    /// - Returns: the reference to put into documents.
    /// - Throws: `LevelError` with `io` if the file cannot be read or is not a regular file; the errors of
    ///   ``add(_:type:name:)``; `CancellationError` if the task is canceled.
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
        let content = try await receive(chunks: chunks, type: type, name: name)
        if let digest = content.digest { try check(digest) }
        return try await store.writes.run { try content.finish() }
    }

    /// Stores attachments that were received. Their files share the flushes of the disk, and their records one batch.
    ///
    /// - Returns: the references, in the order of the attachments.
    /// - Throws: the errors of ``add(_:type:name:)``. Some of the attachments may be stored then.
    package func add(_ contents: [NewContent]) throws -> [Attachment] {
        try ContentGroup(store: store, contents: contents).results().map { try $0.get() }
    }

    /// Receives content that arrives in parts, and does not store it yet; see ``ContentQueue``.
    ///
    /// - Parameters:
    ///   - chunks: the parts. Those of `partial` come first.
    ///   - partial: what an earlier reception has left; `nil` to begin.
    /// - Throws: like ``add(chunks:type:name:)``.
    package func receive<Chunks: AsyncSequence>(
        chunks: Chunks, type: String = Attachment.unknownType, name: String? = nil,
        continuing partial: PartialContent? = nil
    ) async throws -> NewContent where Chunks.Element == [UInt8] {
        var content =
            try partial.map {
                try NewContent(continuing: $0, for: store, type: type, name: name, byteCount: 0)
            } ?? NewContent(for: store, type: type, name: name, byteCount: 0)
        var held: [UInt8] = []
        for try await part in chunks {
            if held.isEmpty { held = part } else { held += part }
            if held.count < Self.receivedByteCount { continue }
            content = try await Self.append(held, to: content)
            held = []
        }
        if content.byteCount + Int64(held.count) <= Int64(Self.inlineByteCount) {
            // In memory, and faster than another thread would begin.
            try content.append(held)
            return content
        }
        return try await Self.append(held, to: content, isLast: true)
    }

    /// The number of received bytes that are written to a file at once.
    private static let receivedByteCount = 256 << 10

    private static func append(
        _ bytes: [UInt8], to content: NewContent, isLast: Bool = false
    ) async throws -> NewContent {
        try await BlockingExecutor.reads.run {
            var content = content
            try content.append(bytes)
            if isLast { try content.startWriting() }
            return content
        }
    }
}

extension DocumentStore.Attachments {
    /// Decodes the record with the number of the next attachment in the database; `nil` if it is missing or malformed.
    static func nextNumber(_ record: [UInt8]?) -> UInt64? {
        guard let record, let number = Varint.readAll(record), number.count == 1, 1..<UInt64.max >> 2 ~= number[0]
        else { return nil }
        return number[0]
    }
}
