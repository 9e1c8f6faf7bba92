import DocIndex

/// Where `load` finds the contents of attachments that a dump does not contain: a directory made by
/// `dump --attachments`, or another store.
final class ContentOrigin {
    /// The path, for messages.
    let path: String
    /// The other store; `nil` for a directory.
    private let session: Session?

    /// - Throws: ``CommandError`` with `noInput` if the path is not a directory.
    init(_ path: String) throws {
        guard FileDescriptor.isDirectory(path) else {
            throw CommandError(
                .noInput, "\(path) is not a directory",
                hint: "--attachments-from takes a directory made by dump --attachments, or a store")
        }
        self.path = path
        session =
            FileDescriptor.exists(path + "/CURRENT")
            ? try Session(path: path, access: DatabaseAccess(isExclusive: false, isQuiet: true)) : nil
    }

    func close() throws { try session?.close() }

    /// Adds the content of an attachment to a store.
    ///
    /// - Returns: `false` if it is not here.
    /// - Throws: ``RecordError`` with `attachment` if it has a different size or digest than the reference states.
    func add(_ attachment: Attachment, to store: DocumentStore) throws -> Bool {
        var content = try NewContent(
            for: store, type: attachment.type, name: attachment.name, byteCount: UInt64(clamping: attachment.byteCount))
        if let session {
            let attachments = try session.attachments()
            guard try attachments.info(attachment.digest) != nil else { return false }
            do {
                try attachments.read(attachment) { try content.append($0) }
            } catch let error as DocIndexError where error.code == .attachmentDamaged {
                throw RecordError(.attachment, "\(path): \(error.message)")
            }
        } else {
            guard let file = try file(of: attachment) else { return false }
            try ContentFiles.read(file) { try content.append($0) }
            guard content.digest == attachment.digest else {
                throw RecordError(.attachment, "the content of \(file) does not match its name")
            }
        }
        _ = try content.finish()
        return true
    }

    /// The file with an attachment; `nil` if there is none. A file under the attachment's own name, as `export` writes
    /// it, may have different content.
    private func file(of attachment: Attachment) throws -> String? {
        let digest = attachment.digest
        let known = [ContentFiles(directory: path).path(of: digest), "\(path)/\(digest)"]
        if let file = known.first(where: { FileDescriptor.exists($0) }) { return file }
        guard let name = attachment.name.map(AttachedFileNames.safe), !name.isEmpty else { return nil }
        let file = "\(path)/\(name)"
        guard FileDescriptor.exists(file), !FileDescriptor.isLinkOrSpecial(file), !FileDescriptor.isDirectory(file),
            try ContentFiles.digest(ofFileAt: file) == digest
        else { return nil }
        return file
    }
}

extension DocumentLoadTarget {
    func add(_ part: ContentPart) throws {
        if part.index == 0 {
            let content = try NewContent(
                for: store, type: Attachment.unknownType, name: nil, byteCount: UInt64(clamping: part.byteCount))
            receivedContent = (part.digest, content)
        }
        guard var content = receivedContent?.content else { return }
        receivedContent = nil
        try content.append(part.bytes)
        guard part.isLast else {
            receivedContent = (part.digest, content)
            return
        }
        // The reader has already checked the digest; under another one, the content would never be found.
        guard content.digest == part.digest else {
            throw RecordError(.digest, "the content of the attachment \(part.digest) was changed").final
        }
        if try store.attachments.info(part.digest) == nil { addedContents.insert(part.digest) }
        _ = try content.finish()
    }

    func lose(_ digest: Attachment.Digest, _ fault: RecordError) {
        if receivedContent?.digest == digest { receivedContent = nil }
        damagedContents[digest] = fault
    }

    func removeSuperfluousContents() throws -> Int {
        let superfluous = try addedContents.filter { try store.attachments.info($0)?.referenceCount == 0 }
        addedContents = []
        guard !superfluous.isEmpty else { return 0 }
        do {
            return try store.attachments.collectGarbage(among: superfluous).digests.count
        } catch let error as DocIndexError where error.code == .attachmentsInUse || error.code == .corruption {
            StandardError.shared.write(
                "load: \(HumanNumber.grouped(superfluous.count)) attached files that no loaded document refers to remain "
                    + "in the store: \(error.message); attach gc deletes them later\n")
            return 0
        }
    }

    /// Adds the attachments that the documents of a batch need and the store lacks.
    func fetchContents(of batch: LoadBatch) throws {
        guard let contents else { return }
        for item in batch.items {
            for content in item.change.contents {
                try content.forEachAttachment { try fetchContent(of: $0, from: contents) }
            }
        }
    }

    private func fetchContent(of attachment: Attachment, from contents: ContentOrigin) throws {
        guard contentFaults[attachment.digest] == nil, try store.attachments.info(attachment.digest) == nil
        else { return }
        do {
            guard try !contents.add(attachment, to: store) else { return }
            contentFaults[attachment.digest] = RecordError(
                .attachment,
                "the content of the attachment \(attachment.digest) is neither in the input nor in " + contents.path)
        } catch let fault as RecordError {
            contentFaults[attachment.digest] = fault
        }
    }

    /// Throws a ``RecordError`` if the store lacks the content of an attachment.
    func requireContents(of content: DocumentObject) throws {
        try content.forEachAttachment { attachment in
            if let fault = contentFaults[attachment.digest] { throw fault }
            guard try store.attachments.info(attachment.digest) == nil else { return }
            if let fault = damagedContents[attachment.digest] { throw fault }
            throw RecordError(
                .attachment,
                "the content of the attachment \(attachment.digest) is neither in the input nor in the store",
                hint: "add it with --attachments-from, or omit the document with --on-error skip")
        }
    }
}
