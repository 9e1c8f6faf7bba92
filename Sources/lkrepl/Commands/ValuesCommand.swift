import ArgumentParser
import DocIndex
import LevelKit

/// Prints values in key order.
struct ValuesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "values", abstract: "Print values in key order.",
        discussion: "Example: lkrepl values app.db --prefix user/")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Print the size of each value in bytes instead of the value.") var sizes = false

    func run() throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let run = try ScanRun(range: try range.keyRange(view, options), options: filter)
            let mode = try options.outputMode()
            let isForPeople = mode == .table || mode == .line
            let writer = try options.writer(
                columns: mode == .csv || mode == .tsv ? [sizes ? "valueBytes" : "value"] : nil)
            try run.forEach(in: session) { key, value in
                if sizes { return try writer.write(["valueBytes": .int(Int64(value.count))]) }
                if mode == .raw0 || mode == .hexdump {
                    return try writer.write(key: key.copied(), value: value.copied())
                }
                var row = DocumentObject()
                if isForPeople {
                    row["value"] = .string(view.text(ofValue: value.copied()))
                } else if mode == .csv || mode == .tsv {
                    row["value"] = ResultWriter.textOrBytes(value.copied())
                } else {
                    DumpRecord.append(value.copied(), name: "v", to: &row)
                }
                try writer.write(row)
            }
            try writer.finish()
        }
    }
}
