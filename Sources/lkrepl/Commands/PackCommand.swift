import ArgumentParser
import DocIndex
import LevelKit
import Renditions
import StorePackages

/// Packs documents with their pictures into one file.
struct PackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack", abstract: "Pack documents with their pictures into one file to pass on.",
        discussion: """
            Example: lkrepl pack photos.store photos 'rating >= 4' -o best.lkpack.zip
            The file is a zip file: whoever unzips it finds the gallery index.html. Every command that reads a store \
            also reads a package, and unpack adds its documents to a store. The package contains the documents, \
            thumbnails and previews, and with --originals the attached files themselves. The same content gives the \
            same bytes, and any change of the file is detected.
            --strip-places removes the fields of geo indexes and the place fields of EXIF, IPTC and XMP from the \
            documents, at any depth. Titles, captions and other free text stay. It cannot be combined with --originals, \
            whose metadata cannot be removed; thumbnails and previews have none.
            --since packs the documents that changed after a commit. Without a condition, deletions are included. With \
            one, changed documents that do not satisfy it are left out and counted. Revisions and former versions are not packed.
            """)

    /// The default of `renditions make` too.
    private static let usualRenditions = "thumbnail,preview"

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection, or an album such as @best.") var collection: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(name: .shortAndLong, help: "Write to this file.") var output: String
    @Flag(name: .long, help: "Overwrite an existing file.") var force = false
    @Flag(name: .long, help: "Include the attached files themselves, with all their metadata.") var originals = false
    @Option(name: .long, help: "Include these sizes of pictures: thumbnail, preview, full; or none.")
    var renditions = Self.usualRenditions
    @Flag(name: .long, help: "Also include each picture under its title, such as pictures/0001 Old bridge.jpg.")
    var names = false
    @Flag(name: .long, help: "Remove places from the documents.") var stripPlaces = false
    @Option(name: .long, help: "Include only documents that changed after this commit.") var since: UInt64?
    @Option(name: .long, help: "Set the title of the gallery. Default: the name of the album or the collection.")
    var title: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: "Sort by these fields, separated by commas; - before a field sorts it in descending order.")
    var sort: String?

    func validate() throws {
        guard !originals || !stripPlaces else {
            throw ValidationError(
                "--strip-places cannot be combined with --originals: the metadata of originals contains places")
        }
    }

    func run() throws {
        let file = try ArgumentOrigin.current.text(of: output)
        let sizes = renditions == "none" ? [] : try RenditionsCommand.specifications(renditions)
        var query = Query(
            try conditions.filter(words: condition),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0))) }
                ?? [])
        let shown = query.filter == .all ? nil : query.filter.description
        try Session.with(database, options) { session in
            guard since == nil || session.package == nil else {
                throw CommandError(
                    .usage, "\(database) is a package, which has no commits", hint: "omit --since, or name the store")
            }
            let store = try session.store()
            let source = try session.selection(collection)
            query = try source.query(query)
            try conditions.requireSound(query, in: source.collection)
            var packing = PackageWriter.Options()
            packing.title = try title.map { try ArgumentOrigin.current.text(of: $0) } ?? source.album?.name
            packing.includesOriginals = originals
            packing.renditions = sizes.map(\.name)
            packing.namesPictures = names
            // What was removed from a package is not in a copy of it either.
            packing.removesPlaces = stripPlaces || session.package?.manifest.isWithoutPlaces == true && !originals
            packing.since = since
            let writer = try PackageWriter(
                of: source.collection.name, in: store, query: query, condition: shown, options: packing,
                queryOptions: conditions.queryOptions)
            let start = ContinuousClock.now
            let renditions = PackedRenditions(of: store, sizes)
            let summary = try pack(writer, renditions, to: file)
            tell(summary, file, start, isOfStore: session.package == nil)
            if renditions.madeCount >= 20, session.package == nil, !options.write {
                options.note(
                    "pack: \(HumanNumber.counted(renditions.madeCount, "rendition")) were made for this package only; "
                        + "renditions make\(self.renditions == Self.usualRenditions ? "" : " --sizes \(self.renditions)") "
                        + "keeps them for the next one")
            }
            try conditions.warn(
                of: query, in: source.collection, foundSomething: summary.documentCount > 0, options)
        }
    }

    private func pack(
        _ writer: PackageWriter, _ renditions: PackedRenditions, to file: String
    ) throws -> PackageWriter.Summary {
        let progress = try options.reporter("pack", unit: .items("files"))
        defer { progress.finish() }
        defer { renditions.close() }
        return try NewFile.write(file, replacing: force) { output in
            output.terminalForm = .plain
            let summary = try writer.write(
                rendition: { try renditions.bytes(of: $0, named: $1) },
                progress: { done, total in
                    try Interruption.check(HumanNumber.counted(done, "file"))
                    progress.advance(done: done, total: total)
                },
                to: { part in
                    try Interruption.check()
                    try output.write(part)
                })
            try output.flush()
            return summary
        }
    }

    private func tell(
        _ summary: PackageWriter.Summary, _ file: String, _ start: ContinuousClock.Instant, isOfStore: Bool
    ) {
        var parts = [HumanNumber.counted(summary.documentCount, "document")]
        if summary.deletionCount > 0 { parts.append(HumanNumber.counted(summary.deletionCount, "deletion")) }
        if summary.originalCount > 0 { parts.append(HumanNumber.counted(summary.originalCount, "original")) }
        if summary.renditionCount > 0 { parts.append(HumanNumber.counted(summary.renditionCount, "rendition")) }
        let size = HumanNumber.byteCount(Int(clamping: summary.byteCount))
        options.note("pack: \(parts.joined(separator: ", ")), \(size) in \(file), \(start.secondsText)")
        if summary.unshownCount > 0 {
            options.note(
                "pack: \(AttachedFile.count(summary.unshownCount)) attached without a preview; renditions make says why"
            )
        }
        if summary.omittedDeletionCount > 0 {
            options.note(
                "pack: \(HumanNumber.counted(summary.omittedDeletionCount, "deletion is", "deletions are")) left out, "
                    + "because it is not known whether the deleted documents satisfied the condition")
        }
        if !summary.omittedIDs.isEmpty {
            let count = summary.omittedIDs.count
            options.note(
                "pack: \(HumanNumber.counted(count, "changed document is", "changed documents are")) left out, because "
                    + "\(count == 1 ? "it does" : "they do") not satisfy the condition"
                    + (options.verbose ? "" : "; -v names the first ones"))
            let ids = summary.omittedIDs.prefix(20).map { "\($0)" }.joined(separator: ", ")
            options.detail("pack: left out: \(VisibleText.singleLine(ids))")
        }
        if !summary.removedNames.isEmpty {
            let names = VisibleText.singleLine(summary.removedNames.prefix(20).joined(separator: ", "))
            let rest = summary.removedNames.count - 20
            options.note("pack: removed the members \(names)" + (rest > 0 ? " and \(rest) more" : ""))
        }
        if isOfStore { options.note("pack: --since \(summary.sequence) packs what changes from now on") }
    }
}
