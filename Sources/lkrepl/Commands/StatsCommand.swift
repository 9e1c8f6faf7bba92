import ArgumentParser
import DocIndex
import LevelKit

/// Prints sizes.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print how much there is of everything.",
        discussion: "Example: lkrepl stats photos.store")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try Session.with(database) { session in
            let writer = try options.writer()
            try writer.write(["what": "path", "value": .string(session.database.path)])
            let size = FileDescriptor.directoryByteCount(session.database.path)
            try writer.write(["what": "bytes on disk", "value": .int(Int64(size.bytes))])
            try writer.write(["what": "files", "value": .int(Int64(size.files))])
            if try session.isDocumentStore() {
                for collection in try session.collections() {
                    try writer.write([
                        "what": .string("documents in \(collection.name)"),
                        "value": .int(Int64(try collection.count())),
                    ])
                    for index in try collection.indexSizes() {
                        try writer.write([
                            "what": .string("bytes of index \(collection.name).\(index.name), in tables"),
                            "value": .int(Int64(index.byteCount)),
                        ])
                    }
                }
            }
            for level in 0..<7 {
                let files = try session.database.property("leveldb.num-files-at-level\(level)").flatMap(Int64.init) ?? 0
                if files > 0 { try writer.write(["what": .string("tables at level \(level)"), "value": .int(files)]) }
            }
            try writer.finish()
        }
    }
}
