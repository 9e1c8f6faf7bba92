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
                let bytes = try Self.byteCount(of: try range.keyRange(view, options), in: session.database)
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
                row["bytes"] = .int(Int64(clamping: try Self.byteCount(of: .prefix(prefix), in: session.database)))
                try writer.write(row)
            }
            try writer.finish()
        }
    }

    /// The approximate number of bytes that tables hold for a range.
    static func byteCount(of range: KeyRange, in database: Database) throws -> UInt64 {
        let lower: [UInt8] =
            switch range.lower {
            case .unbounded: []
            case .included(let key): key
            case .excluded(let key): key + [0]
            }
        let upper: [UInt8]
        switch range.upper {
        case .excluded(let key): upper = key
        case .included(let key): upper = key + [0]
        case .unbounded:
            var cursor = try database.cursor(in: range, direction: .descending, cache: .bypass)
            guard try cursor.advance() else { return 0 }
            upper = cursor.key.copied() + [0]
        }
        guard lower.lexicographicallyPrecedes(upper) else { return 0 }
        return try database.approximateByteCount(from: lower, to: upper)
    }
}
