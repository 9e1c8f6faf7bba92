import ArgumentParser
import DocIndex
import LevelKit
import StorePackages

/// Prints a hash of the content.
struct DigestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest", abstract: "Print a hash of the content, the same as in dumps.",
        discussion: """
            Example: lkrepl digest photos.store
            Databases with equal content have equal digests, whatever their files look like. The digest of a document \
            store covers its documents; with a range or --raw, the stored keys and values.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Hash stored keys and values, even of a document store.") var raw = false

    func run() throws {
        try Session.with(database, options) { session in
            let range = try range.keyRange(try view.view(of: session), options)
            let progress = try options.reporter("digest", unit: .items("records"))
            defer { progress.finish() }
            var digest = ContentDigest()
            var count = 0
            let isRaw = try raw || self.range.isGiven || !session.isDocumentStore()
            if isRaw {
                var cursor = try session.reader.cursor(in: range, cache: .bypass)
                while try cursor.advance() {
                    try Interruption.check(HumanNumber.counted(count, "record"))
                    digest.add(key: cursor.key, value: cursor.value)
                    count += 1
                    if count % 256 == 0 { progress.advance(done: count) }
                }
            } else {
                let collections = try session.store().snapshot().collections
                OpenOutputs.current?.doneWork = { HumanNumber.counted(count, "document") }
                let total = try collections.reduce(0) { $0 + (try $1.count()) }
                for collection in collections.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                    try collection.forEach { document in
                        try Interruption.check(HumanNumber.counted(count, "document"))
                        digest.add(collection: collection.name, id: document.id, content: document.content)
                        count += 1
                        progress.advance(done: count, total: total)
                    }
                }
            }
            progress.finish()
            let writer = try options.writer()
            try writer.write([
                "digest": .string(digest.hexadecimal()), "algorithm": .string(ContentDigest.name),
                "kind": isRaw ? "raw" : "docs", "records": .int(Int64(count)),
            ])
            try writer.finish()
        }
    }
}
