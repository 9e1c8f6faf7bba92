import ArgumentParser
import DocIndex
import LevelKit

extension AttachCommand {
    /// Lists attached files.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List attached files: digest, size, type, name, references, place.",
            discussion: """
                Example: lkrepl attach list photos.store photos
                With a collection or a document, one row per reference, with the document's ID and the path. Without, \
                one row per attachment, including those that no document refers to; type and name are those of one \
                reference. references is the number in all documents of the store; place is database or file.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection. Default: all.") var collection: String?
        @Argument(help: "The document ID. Default: all.") var id: String?

        func run() throws {
            try Session.with(database, options) { session in
                let attachments = try session.attachments()
                let columns = ["sha256", "bytes", "type", "name", "references", "place"]
                guard let name = collection else {
                    let writer = try options.writer(columns: columns)
                    try listContents(session, attachments, writer)
                    return try writer.finish()
                }
                let collection = try session.collection(name)
                let writer = try options.writer(columns: ["id", "path"] + columns)
                func list(_ document: Document) throws {
                    try Interruption.check()
                    for file in AttachedFile.all(in: document.content) {
                        var row: DocumentObject = ["id": document.id.value, "path": .string(file.path)]
                        let info = try attachments.info(file.attachment.digest)
                        for member in Self.row(file.attachment, info) { row[member.name] = member.value }
                        try writer.write(row)
                    }
                }
                if let id {
                    try list(AttachCommand.document(id, in: collection))
                } else {
                    try collection.forEach { try list($0) }
                }
                try writer.finish()
            }
        }

        private func listContents(
            _ session: Session, _ attachments: DocumentStore.Attachments, _ writer: ResultWriter
        ) throws {
            // Types and names are in the documents.
            var references: [Attachment.Digest: Attachment] = [:]
            for collection in try session.collections() {
                try collection.forEach { document in
                    try Interruption.check()
                    document.content.forEachAttachment { attachment in
                        if references[attachment.digest] == nil { references[attachment.digest] = attachment }
                    }
                }
            }
            try attachments.forEachContent { info in
                guard let attachment = references[info.digest] else {
                    return try writer.write(Self.row(info))
                }
                try writer.write(Self.row(attachment, info))
            }
        }

        private static func row(_ attachment: Attachment, _ info: DocumentStore.Attachments.Info?) -> DocumentObject {
            var row = attachment.object
            row["references"] = .int(Int64(clamping: info?.referenceCount ?? 0))
            row["place"] = .string(info.map { $0.isFile ? "file" : "database" } ?? "missing")
            return row
        }

        private static func row(_ info: DocumentStore.Attachments.Info) -> DocumentObject {
            [
                "sha256": .string(info.digest.description), "bytes": .int(info.byteCount),
                "references": .int(Int64(clamping: info.referenceCount)),
                "place": info.isFile ? "file" : "database",
            ]
        }
    }

    /// Checks attached files.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check that each attached file is there. Exit code 65 for a problem.",
            discussion: """
                Example: lkrepl attach verify photos.store --full
                Checks the size of each attachment, and with --full its SHA-256 digest. Each problem is a row. \
                verify checks the documents and the counts of references.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Flag(name: .long, help: "Read each file and check its digest.") var full = false

        func run() throws {
            try Session.with(database, options) { session in
                let attachments = try session.attachments()
                let census = try attachments.census()
                let writer = try options.writer(columns: ["sha256", "bytes", "problem"])
                let progress = try options.reporter("attach verify", unit: .bytes)
                defer { progress.finish() }
                var done: Int64 = 0
                var problemCount = 0
                try attachments.forEachContent { info in
                    if let problem = try attachments.problem(of: info, readsContent: full) {
                        problemCount += 1
                        try writer.write([
                            "sha256": .string(info.digest.description), "bytes": .int(info.byteCount),
                            "problem": .string(problem),
                        ])
                    }
                    done += info.byteCount
                    progress.advance(done: Int(clamping: done), total: Int(clamping: census.byteCount))
                }
                progress.finish()
                try writer.finish(tellsOfNothing: false)
                let size = HumanNumber.byteCount(Int(clamping: census.byteCount))
                let what = "\(AttachCommand.count(census.count)) (\(size))"
                guard problemCount == 0 else {
                    throw CommandError(
                        .badData, "\(HumanNumber.counted(problemCount, "problem")) in \(what)",
                        hint: Remedy.ofLostContents)
                }
                options.note(
                    full
                        ? "attach verify: \(what) match their digests"
                        : "attach verify: \(what) have the right sizes; --full checks their digests")
            }
        }
    }

    /// Deletes attached files that no document refers to.
    struct Gc: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gc", abstract: "Delete attached files that no document has referred to for some time.",
            discussion: """
                Example: lkrepl attach gc --write --yes photos.store --older 30d
                Every document is read first, and nothing is deleted if a count of references is wrong. Files that \
                former versions of documents refer to are kept. An interrupted import leaves files that no document \
                refers to; running it again uses them, so they are kept for --older.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Option(name: .long, help: "Delete only files unreferenced for at least this long, such as 30d or 12h.")
        var older = AgeArgument(days: 7)
        @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and delete nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("attach gc") }
            try Session.with(database, options) { session in
                let store = try session.store()
                let progress = try options.reporter("attach gc", unit: .items("documents"))
                defer { progress.finish() }
                func collect(dryRun: Bool) throws -> DocumentStore.Attachments.Garbage {
                    try store.attachments.collectGarbage(olderThan: .seconds(older.seconds), dryRun: dryRun) { count in
                        try Interruption.check("\(HumanNumber.counted(count, "document")); nothing was deleted")
                        progress.advance(done: count)
                    }
                }
                let expected = try collect(dryRun: true)
                progress.finish()
                if dryRun || expected.digests.isEmpty && expected.orphanCount == 0 {
                    for digest in expected.digests { options.detail("attach gc: \(digest)") }
                    return options.note("attach gc: \(dryRun ? "would delete" : "deleted") \(Self.text(expected))")
                }
                try options.confirm("delete \(Self.text(expected))")
                let garbage = try collect(dryRun: false)
                progress.finish()
                for digest in garbage.digests { options.detail("attach gc: \(digest)") }
                options.note("attach gc: deleted \(Self.text(garbage))")
            }
        }

        private static func text(_ garbage: DocumentStore.Attachments.Garbage) -> String {
            let size = HumanNumber.byteCount(Int(clamping: garbage.byteCount))
            var text = "\(AttachCommand.count(garbage.digests.count)) (\(size))"
            if garbage.orphanCount > 0 {
                let size = HumanNumber.byteCount(Int(clamping: garbage.orphanByteCount))
                text += " and \(HumanNumber.counted(garbage.orphanCount, "incomplete file")) (\(size))"
            }
            if garbage.keptCount > 0 {
                text += "; kept \(HumanNumber.counted(garbage.keptCount, "unreferenced file"))"
            }
            return text
        }
    }
}
