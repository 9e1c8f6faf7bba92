import ArgumentParser
import DocIndex
import LevelKit

/// Estimates the size of ranges without reading them.
struct ApproxSizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approx-size",
        abstract: "Print approximately how many bytes the tables hold for a range or for prefixes.",
        discussion: """
            Example: lkrepl approx-size app.db user/ photo/
            Recent writes may not be in a table yet; they are not counted.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "Prefixes. Default: the range of the options, or all keys.") var prefixes: [String] = []

    func run() throws {
        guard prefixes.isEmpty || !range.isGiven else {
            throw CommandError(.usage, "specify prefixes or a range, not both")
        }
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let writer = try options.writer()
            let mode = try options.outputMode()
            if prefixes.isEmpty {
                let bytes = try session.database.approximateByteCount(in: range.keyRange(view, options))
                try writer.write(["bytes": .int(Int64(clamping: bytes))])
            }
            for text in prefixes {
                let prefix = try RawArgument.bytes(text)
                var row = DocumentObject()
                if mode == .table || mode == .line {
                    row["prefix"] = .string(ByteNotation.print(prefix))
                } else {
                    DumpRecord.append(prefix, name: "prefix", to: &row)
                }
                row["bytes"] = .int(Int64(clamping: try session.database.approximateByteCount(in: .prefix(prefix))))
                try writer.write(row)
            }
            try writer.finish()
        }
    }
}
