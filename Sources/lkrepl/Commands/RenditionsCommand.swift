import ArgumentParser
import DocIndex
import LevelKit
import Renditions

/// The commands for thumbnails and previews of attached pictures.
struct RenditionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renditions", abstract: "Make, list and delete thumbnails and previews of attached pictures.",
        subcommands: [Make.self, List.self, Drop.self])

    /// Makes renditions.
    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Make missing thumbnails and previews of attached pictures.",
            discussion: """
                Example: lkrepl renditions make --write photos.store photos
                They are stored in the directory renditions of the store, which can be deleted at any time and is not \
                part of dumps and copies. After an interruption, run it again to make the rest. JPEG files need no other \
                program; vipsthumbnail reads other formats, exiftool the previews in raw files. Each picture that \
                cannot be read is a row with the reason. Attached files that are not pictures are skipped. Without a \
                collection, renditions of pictures that no document refers to are deleted.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection. Default: all.") var collection: String?
        @Option(name: .long, help: "Make these: thumbnail (256 pixels), preview (2048 pixels), full.")
        var sizes = "thumbnail,preview"

        func run() throws {
            try options.requireWrite("renditions make")
            let sizes = try RenditionsCommand.specifications(sizes)
            try Session.with(database, options) { session in
                let store = try session.store()
                let originals = try originals(session)
                let writer = try options.writer(columns: ["sha256", "name", "size", "reason", "message"])
                let progress = try options.reporter("renditions make", unit: .items("pictures"))
                defer { progress.finish() }
                let batches = RenditionBatches(of: store, sizes)
                defer { batches.close() }
                var summary = RenditionBatches.Summary()
                for start in stride(from: 0, to: originals.count, by: RenditionBatches.pictureCount) {
                    let done = "\(HumanNumber.grouped(start)) of \(HumanNumber.grouped(originals.count)) pictures"
                    try Interruption.check(done)
                    let batch = Array(originals[start..<min(originals.count, start + RenditionBatches.pictureCount)])
                    do {
                        for failure in try batches.make(batch, &summary) { try writer.write(failure) }
                    } catch is CancellationError {
                        throw Interruption.failure(done)
                    }
                    progress.advance(done: start + batch.count, total: originals.count)
                }
                progress.finish()
                try writer.finish(tellsOfNothing: false)
                let removedCount = collection == nil ? batches.removeAll(except: originals) : 0
                if removedCount > 0 {
                    options.note(
                        "renditions make: deleted \(HumanNumber.counted(removedCount, "rendition")) of pictures that "
                            + "no document refers to")
                }
                options.note(
                    originals.isEmpty
                        ? "renditions make: there are no attached files; attach add adds them"
                        : "renditions make: \(summary.text)")
                if let text = Self.text(batches.evictions(summary)) { options.note("renditions make: \(text)") }
            }
        }

        /// `3 of them were deleted again, …`; `nil` if none were deleted.
        static func text(_ evictions: RenditionBatches.Evictions) -> String? {
            var parts: [String] = []
            if evictions.ownCount > 0 {
                parts.append("\(HumanNumber.grouped(evictions.ownCount)) of them were deleted again")
            }
            if evictions.earlierCount > 0 {
                parts.append("\(HumanNumber.grouped(evictions.earlierCount)) stored earlier were deleted")
            }
            guard !parts.isEmpty else { return nil }
            return parts.joined(separator: ", ")
                + ", the least recently used first: all of one size may take 1 GiB up to "
                + "\(RenditionStore.Options.smallEdge) pixels, and 8 GiB above that"
        }

        /// The attached files of the collection or of all, each once.
        private func originals(_ session: Session) throws -> [Attachment] {
            var seen: Set<Attachment.Digest> = []
            var originals: [Attachment] = []
            for collection in try collection.map({ [try session.collection($0)] }) ?? session.collections() {
                try collection.forEach { document in
                    try Interruption.check()
                    document.content.forEachAttachment { attachment in
                        if seen.insert(attachment.digest).inserted { originals.append(attachment) }
                    }
                }
            }
            return originals
        }
    }

    /// Lists what is stored.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show how many thumbnails and previews are stored, and their size.",
            discussion: """
                Example: lkrepl renditions list photos.store
                Prints one row per size. renditions make creates what is missing.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String

        func run() throws {
            try Session.with(database, options) { session in
                let writer = try options.writer(columns: ["size", "pictures", "bytes"])
                let renditions = RenditionStore(of: try session.store())
                for totals in renditions.totals() {
                    try writer.write([
                        "size": .string(totals.name), "pictures": .int(Int64(totals.count)),
                        "bytes": .int(totals.byteCount),
                    ])
                }
                try writer.finish()
            }
        }
    }

    /// Deletes everything.
    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Delete all thumbnails and previews. They can be made again.",
            discussion: """
                Example: lkrepl renditions drop --write photos.store
                Originals are not touched. Programs make renditions again when they show pictures, and renditions make \
                makes all of them.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and delete nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("renditions drop") }
            try Session.with(database, options) { session in
                let renditions = RenditionStore(of: try session.store())
                let totals = renditions.totals()
                if !dryRun {
                    renditions.removeAll()
                    let path = session.path + "/" + DerivedDirectory.name
                    guard renditions.totals().isEmpty else { throw RenditionsCommand.unwritable(path) }
                }
                options.note("renditions drop: \(Self.text(totals, dryRun))")
            }
        }

        private static func text(_ totals: [RenditionStore.Totals], _ dryRun: Bool) -> String {
            let count = totals.reduce(0) { $0 + $1.count }
            guard count > 0 else { return "there are none" }
            let size = HumanNumber.byteCount(Int(clamping: totals.reduce(0) { $0 + $1.byteCount }))
            return "\(dryRun ? "would delete" : "deleted") \(HumanNumber.counted(count, "rendition")) (\(size))"
        }
    }

    /// The error for a directory that cannot be changed.
    static func unwritable(_ path: String) -> CommandError {
        CommandError(
            .inputOutput, "cannot change \(path)",
            hint: "check its permissions and the free space; if it does not belong to the store, delete it")
    }

    /// Reads a list of names.
    static func specifications(_ text: String) throws -> [RenditionSpecification] {
        let known = [RenditionSpecification.thumbnail, .preview, .full]
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let specification = known.first(where: { $0.name == name }) else {
                throw CommandError(
                    .usage, "unknown size \"\(name)\"", hint: "use \(known.map(\.name).joined(separator: ", "))")
            }
            return specification
        }
    }
}
