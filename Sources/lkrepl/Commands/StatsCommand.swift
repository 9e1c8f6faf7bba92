import ArgumentParser
import DocIndex
import LevelKit
import StorePackages

/// Prints counts and sizes.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show counts and sizes.",
        discussion: """
            Example: lkrepl stats photos.store
            Values are plain numbers; names that mention bytes are sizes in bytes. For a package, shows what it contains.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try Session.with(database, options) { session in
            let writer = try options.writer()
            let write = { (what: String, value: DocumentValue) in
                try writer.write(["what": .string(what), "value": value])
            }
            try write("path", .string(session.path))
            if let package = session.package {
                for (what, value) in Self.rows(of: package) { try write(what, value) }
                return try writer.finish()
            }
            let size = FileDescriptor.directoryByteCount(session.path)
            try write("bytes on disk", .int(Int64(size.bytes)))
            try write("files", .int(Int64(size.files)))
            if try session.isDocumentStore() {
                for collection in try session.collections() {
                    try write("documents in \(collection.name)", .int(Int64(try collection.count())))
                    for index in try collection.indexSizes() {
                        try write(
                            "bytes of index \(collection.name).\(index.name), in tables",
                            .int(Int64(clamping: index.byteCount)))
                    }
                }
            }
            if try session.isDocumentStore() {
                let census = try session.attachments().census()
                if census.count > 0 {
                    try write("attached files", .int(Int64(census.count)))
                    try write("bytes of attached files", .int(census.byteCount))
                    try write("attached files outside the database", .int(Int64(census.fileCount)))
                    try write("attached files without a reference", .int(Int64(census.unreferencedCount)))
                    try write("bytes of attached files without a reference", .int(census.unreferencedByteCount))
                }
            }
            if try session.isDocumentStore(),
                try session.collections().contains(where: { $0.definition.history != nil })
            {
                try write(
                    "bytes of history, in tables", .int(Int64(clamping: try session.store().historyByteCount())))
            }
            let statistics = try session.database.statistics()
            try write("bytes in tables", .int(Int64(clamping: statistics.tableByteCount)))
            for level in statistics.levels where level.tableCount > 0 {
                try write("tables at level \(level.number)", .int(Int64(level.tableCount)))
            }
            try write("bytes in memory", .int(Int64(clamping: statistics.approximateMemoryByteCount)))
            try writer.finish()
        }
    }

    /// The manifest of a package, and the number and sizes of its files.
    private static func rows(of package: Package) -> [(String, DocumentValue)] {
        let manifest = package.manifest
        let contents = package.contents
        var rows: [(String, DocumentValue)] = [
            ("bytes of the package", .int(Int64(clamping: package.byteCount))), ("title", .string(manifest.title)),
            ("documents in \(manifest.collection)", .int(Int64(manifest.documentCount))),
        ]
        if let condition = manifest.condition { rows.append(("condition", .string(condition))) }
        if let changes = manifest.changes {
            rows.append(("changed after commit", .int(Int64(clamping: changes.since))))
            rows.append(("last commit", .int(Int64(clamping: changes.through))))
            rows.append(("deletions", .int(Int64(manifest.deletionCount))))
        }
        rows.append(("places removed", .bool(manifest.isWithoutPlaces)))
        for (what, part) in [
            ("originals", contents.originals), ("renditions", contents.renditions),
            ("pictures under names", contents.namedPictures),
        ] where part.count > 0 {
            rows.append((what, .int(Int64(part.count))))
            rows.append(("bytes of \(what)", .int(Int64(clamping: part.byteCount))))
        }
        return rows
    }
}
