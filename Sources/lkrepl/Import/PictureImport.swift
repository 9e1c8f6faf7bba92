import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The parts of an import of pictures around reading them: it finds unchanged pictures, reports skipped files, and
/// deletes the documents of deleted pictures.
struct PictureImport {
    let listing: PictureListing
    let collection: DocumentCollection
    let options: GlobalOptions
    /// The member that refers to the content of a picture; `nil` if pictures are not attached.
    let attachedMember: String?
    /// The attached files of the store.
    let attachments: DocumentStore.Attachments

    /// The ID of the picture's document, or the one that it would get.
    func id(of path: String) throws -> String {
        try listing.root.ids(of: path).first { try collection.contains(.string($0)) } ?? path
    }

    /// The pictures that must be read.
    ///
    /// The mode `merge` leaves out pictures whose size and modification time match their document. The mode `skip`
    /// leaves out all pictures that have a document.
    ///
    /// - Parameter isIdentified: whether the ids of the collection are the paths of the pictures.
    func changedFiles(_ mode: LoadMode, isIdentified: Bool) throws -> [PictureFile] {
        guard isIdentified, mode == .merge || mode == .skip else { return listing.files }
        return try listing.files.filter { file in
            try Interruption.check()
            guard let document = try collection.document(.string(try id(of: file.path))) else { return true }
            return mode == .merge && !isUnchanged(file, document.content)
        }
    }

    /// Whether a picture matches the size and modification time in its document, and is attached to it if requested.
    private func isUnchanged(_ file: PictureFile, _ document: DocumentObject) -> Bool {
        if let attachedMember {
            // An attachment that was lost is stored again.
            guard let attachment = document[attachedMember]?.attachmentValue, attachment.byteCount == file.byteCount,
                (try? attachments.check(attachment.digest, readsContent: false)) != nil
            else { return false }
        }
        guard case .int(file.byteCount)? = document["System:FileSize"],
            case .date(let date)? = document["System:FileModifyDate"], date.offsetMinutes != nil
        else { return false }
        return date.milliseconds == file.seconds * 1000
    }

    // MARK: - Reporting

    /// Reports the skipped files: counts in one line, and with `-v` each file.
    func reportSkipped() {
        for path in listing.leftOut {
            options.note(
                "import: cannot read \(path): no permission, or its name contains a line feed or is not UTF-8")
        }
        guard let text = listing.skippedText else { return }
        let count = listing.skipped.count
        options.note(
            "import: skipped \(HumanNumber.counted(count, "other file")): \(text)"
                + (options.verbose ? "" : "; -v lists them"))
        for file in listing.skipped.sorted(by: { $0.path < $1.path }) {
            options.detail("import: skipped \(file.path)")
        }
    }

    // MARK: - Pruning

    /// A document whose picture has a different name now: the documents have the same attached file.
    struct Renamed {
        let old: DocumentID
        let new: DocumentID
    }

    /// The IDs of documents of pictures below the directory whose files no longer exist, and of those that are kept:
    /// people added something to them, such as a rating, and the same picture exists under another name.
    ///
    /// - Throws: ``CommandError`` if the directory contains no pictures, like the mount point of an unmounted disk.
    func goneIDs() throws -> (gone: [DocumentID], renamed: [Renamed]) {
        guard !listing.files.isEmpty else {
            throw CommandError(
                .noInput, "\(listing.root.path) contains no pictures, so nothing is pruned",
                hint: "if the directory is on another disk, mount that disk; doc del deletes single documents")
        }
        var gone: [(id: DocumentID, digest: Attachment.Digest?)] = []
        var others: [Attachment.Digest: DocumentID] = [:]
        for range in listing.root.idRanges {
            try collection.forEach(in: range) { document in
                try Interruption.check()
                guard case .string(let id) = document.id, let path = listing.root.file(of: id) else { return }
                let digest = attachedMember.flatMap { document.content[$0]?.attachmentValue?.digest }
                if Self.isGone(path) {
                    gone.append((document.id, hasAdditions(document.content) ? digest : nil))
                } else if let digest {
                    others[digest] = document.id
                }
            }
        }
        let renamed = gone.compactMap { item in
            item.digest.flatMap { others[$0] }.map { Renamed(old: item.id, new: $0) }
        }
        let kept = Set(renamed.map(\.old))
        return (gone.map(\.id).filter { !kept.contains($0) }, renamed)
    }

    /// Whether a document has members that do not come from the picture. Those of exiftool are `Group:Tag`.
    private func hasAdditions(_ content: DocumentObject) -> Bool {
        content.contains { member in
            !member.name.contains(":") && member.name != attachedMember && member.name != PictureSource.pathTag
                && member.name != collection.definition.idField
        }
    }

    /// Whether no file exists at a path. A file that cannot be examined may still exist.
    private static func isGone(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }

    /// Deletes the documents of deleted pictures in batches; returns their number.
    func prune(_ store: DocumentStore) throws -> Int {
        let (gone, renamed) = try goneIDs()
        if !renamed.isEmpty {
            options.note(
                "import: kept \(HumanNumber.counted(renamed.count, "document")) of renamed pictures; copy what you "
                    + "added to the new documents, and delete the old ones with doc del"
                    + (options.verbose ? "" : "; -v lists them")
            )
            for item in renamed { options.detail("import: \(item.old) is now \(item.new)") }
        }
        if !gone.isEmpty {
            let documents = HumanNumber.counted(
                gone.count, "document whose picture no longer exists", "documents whose pictures no longer exist")
            try options.confirmAtTerminal("delete \(documents)")
        }
        var rest = gone[...]
        while !rest.isEmpty {
            try Interruption.check()
            let part = rest.prefix(500)
            try store.write { transaction in
                for id in part { try transaction.delete(id, in: collection.name) }
            }
            rest = rest.dropFirst(part.count)
        }
        for id in gone { options.detail("import: pruned \(id)") }
        return gone.count
    }
}
