import ArgumentParser
import DocIndex
import LevelKit

/// Counts keys.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count keys. To count documents, use lkrepl find --count.",
        discussion: "Example: lkrepl count app.db --prefix user/")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Print a row that includes the bytes of keys and values.") var sizes = false

    func run() throws {
        try Session.with(database, options) { session in
            let run = try ScanRun(range: try range.keyRange(try view.view(of: session)), options: filter)
            var (count, keyByteCount, valueByteCount) = (0, 0, 0)
            try run.forEach(in: session) { key, value in
                count += 1
                keyByteCount += key.count
                valueByteCount += value.count
            }
            guard sizes else {
                let output = StandardOutput()
                try output.write("\(count)\n")
                return try output.flush()
            }
            let writer = try options.writer()
            try writer.write([
                "keys": .int(Int64(count)), "keyBytes": .int(Int64(keyByteCount)),
                "valueBytes": .int(Int64(valueByteCount)),
            ])
            try writer.finish()
        }
    }
}
