import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What an import of pictures does beside reading them: finds those that are in the collection already, tells what it
/// passes over, and deletes documents whose pictures are gone.
struct PictureImport {
    let listing: PictureListing
    let collection: DocumentCollection
    let options: GlobalOptions

    /// The id under which a picture is in the collection, or would be.
    func id(of path: String) throws -> String {
        try listing.root.ids(of: path).first { try collection.contains(.string($0)) } ?? path
    }

    /// The pictures that must be read.
    ///
    /// Passes over those whose size and time of change are those that the collection has of them, in the mode `merge`, and
    /// all that are in the collection in the mode `skip`.
    ///
    /// - Parameter isIdentified: whether the ids of the collection are the paths of the pictures.
    func changedFiles(_ mode: LoadMode, isIdentified: Bool) throws -> [PictureFile] {
        guard isIdentified, mode == .merge || mode == .skip else { return listing.files }
        return try listing.files.filter { file in
            try Interruption.check()
            guard let document = try collection.document(.string(try id(of: file.path))) else { return true }
            return mode == .merge && !Self.isUnchanged(file, document.content)
        }
    }

    /// Whether a picture is as exiftool found it.
    private static func isUnchanged(_ file: PictureFile, _ document: DocumentObject) -> Bool {
        guard case .int(file.byteCount)? = document["System:FileSize"],
            case .date(let date)? = document["System:FileModifyDate"], date.offsetMinutes != nil
        else { return false }
        return date.milliseconds == file.seconds * 1000
    }

    // MARK: - Telling

    /// Tells what is passed over: one line, and with `-v` each of them.
    func tellPassedOver() {
        for path in listing.leftOut {
            options.note(
                "import: left out \(path), which cannot be read: no access, or a name with a line end or bytes that are not "
                    + "UTF-8")
        }
        guard let text = listing.passedOverText else { return }
        let count = listing.passedOver.count
        options.note(
            "import: passed over \(HumanNumber.grouped(count)) " + (count == 1 ? "file that is" : "files that are")
                + " no picture by name: \(text)" + (options.verbose ? "" : "; -v lists them"))
        for file in listing.passedOver.sorted(by: { $0.path < $1.path }) {
            options.detail("import: passed over \(file.path)")
        }
    }

    // MARK: - Pruning

    /// The documents of pictures below the directory whose files are gone.
    ///
    /// - Throws: ``CommandFailure`` where the directory has no picture at all, as the place of a disk that is not mounted.
    func goneIDs() throws -> [DocumentID] {
        guard !listing.files.isEmpty else {
            throw CommandFailure(
                .noInput, "\(listing.root.path) has no picture at all, so nothing is pruned",
                hint: "mount its disk if it is on another one; doc del deletes documents one by one")
        }
        var gone: [DocumentID] = []
        for range in listing.root.idRanges {
            try collection.forEach(in: range) { document in
                try Interruption.check()
                guard case .string(let id) = document.id, let path = listing.root.file(of: id), Self.isGone(path) else {
                    return
                }
                gone.append(document.id)
            }
        }
        return gone
    }

    /// Whether there is nothing at a path. What cannot be looked at may still be there.
    private static func isGone(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }

    /// Deletes documents, some at a time; returns how many there were.
    func prune(_ store: DocumentStore) throws -> Int {
        let gone = try goneIDs()
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
