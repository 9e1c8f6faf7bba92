import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Metadata for the files of pictures.
extension ExportCommand {
    /// The documents to write, and the state of the command.
    struct PictureExport {
        let collection: DocumentCollection
        let query: Query
        let options: Query.Options
        let metadata: PictureMetadata
        /// The directory of pictures with relative names; `nil` to leave the names as they are.
        let directory: String?
        let progress: ProgressReporter

        /// Calls `body` with each document and the name of its file.
        ///
        /// - Returns: The number of documents without a file name.
        fileprivate func forEachPicture(_ body: (_ file: String, Document) throws -> Void) throws -> Int {
            var (count, nameless) = (0, 0)
            OpenOutputs.current?.doneWork = { HumanNumber.counted(count, "document") }
            _ = try collection.forEach(matching: query, options: options) { document in
                count += 1
                try Interruption.check(HumanNumber.counted(count, "document"))
                progress.advance(done: count)
                guard let file = PictureMetadata.file(of: document.content) else {
                    nameless += 1
                    return true
                }
                try body(directory.map { file.hasPrefix("/") ? file : "\($0)/\(file)" } ?? file, document)
                return true
            }
            return nameless
        }
    }

    /// The mapping of `--map` options.
    func metadata() throws -> PictureMetadata {
        PictureMetadata(
            mapping: try map.map { argument in
                let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(argument))
                guard let split = text.firstIndex(of: "="), split > text.startIndex,
                    text[text.index(after: split)...].contains(":")
                else {
                    throw CommandError(
                        .usage, "--map takes FIELD=TAG, not \(text)", hint: "for example --map note=XMP-dc:Description")
                }
                return (try FieldPath(parsing: String(text[..<split])), String(text[text.index(after: split)...]))
            })
    }

    /// Writes the JSON that `exiftool -json=FILE` reads.
    func writeExifTool(_ export: PictureExport, to output: StandardOutput) throws -> Int {
        var count = 0
        let nameless = try export.forEachPicture { file, document in
            guard let object = export.metadata.exifToolObject(file: file, document.content) else { return }
            var line = Array((count == 0 ? "[" : ",\n").utf8)
            // Dates and bytes do not occur: exiftool reads plain JSON.
            DocumentValue.object(object).writeJSON(to: &line, JSONWriter(notation: .plain))
            try output.write(line)
            count += 1
        }
        try output.write(count == 0 ? "[]\n" : "]\n")
        try output.flush()
        tellNameless(nameless)
        return count
    }

    /// Writes an XMP sidecar for each picture.
    func writeSidecars(_ export: PictureExport, to directory: String) throws -> Int {
        let names = try SidecarNames(export, in: directory)
        try ContentFiles.makeDirectory(directory)
        if !force, let existing = names.paths.values.sorted().first(where: { FileDescriptor.exists($0) }) {
            throw CommandError(
                .cannotCreate, "\(existing) already exists; nothing was written",
                hint: "choose another directory, or add --force to replace sidecars, with all that other programs "
                    + "wrote into them")
        }
        var count = 0
        let nameless = try export.forEachPicture { _, document in
            let entries = export.metadata.sidecarEntries(of: document.content)
            guard !entries.isEmpty, let path = names.paths[document.id] else { return }
            try NewFile.write(path, replacing: force) { output in
                try output.write(XMPSidecar.text(entries))
                try output.flush()
            }
            count += 1
        }
        tellNameless(nameless)
        return count
    }

    private func tellNameless(_ count: Int) {
        guard count > 0 else { return }
        options.note(
            "export: \(HumanNumber.counted(count, "document was", "documents were")) left out, because "
                + "neither \(PictureSource.pathTag) nor file contains a file name")
    }
}

/// The paths of the sidecars of pictures.
private struct SidecarNames {
    /// The path of each document's sidecar.
    private(set) var paths: [DocumentID: String] = [:]

    /// `IMG_1.xmp` for `IMG_1.jpg`. If several pictures would have the same sidecar, such as a raw file and its JPEG,
    /// they get `IMG_1.jpg.xmp`.
    ///
    /// - Throws: ``CommandError`` if they still have the same name, because they are in different directories.
    init(_ export: ExportCommand.PictureExport, in directory: String) throws {
        var files: [(id: DocumentID, name: String, stem: String)] = []
        var uses: [String: Int] = [:]
        _ = try export.forEachPicture { file, document in
            guard !export.metadata.sidecarEntries(of: document.content).isEmpty else { return }
            let name = file.split(separator: "/").last.map(String.init) ?? file
            let stem = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? String(name[..<$0]) : nil } ?? name
            uses[stem, default: 0] += 1
            files.append((document.id, name, stem))
        }
        var owners: [String: DocumentID] = [:]
        for file in files {
            let name = (uses[file.stem] == 1 ? file.stem : file.name) + ".xmp"
            if let other = owners[name] {
                throw CommandError(
                    .usage,
                    "the documents \(other) and \(file.id) would both have the sidecar \(name); nothing was written",
                    hint: "export the pictures of each directory separately")
            }
            owners[name] = file.id
            paths[file.id] = "\(directory)/\(name)"
        }
    }
}
