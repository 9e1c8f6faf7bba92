import ArgumentParser
import DocIndex
import LevelKit

/// Prints the largest pairs.
struct BigkeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bigkeys", abstract: "Print the largest pairs, and how the sizes are distributed.",
        discussion: """
            Example: lkrepl bigkeys app.db --top 5
            The rows are the largest pairs, largest first. The distribution is printed on standard error; --histogram \
            prints it as rows instead.
            """)

    /// The size by which pairs are ordered.
    enum Measure: String, ExpressibleByArgument, CaseIterable {
        case value, key, total
    }

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Option(name: .long, parsing: .unconditional, help: "Print this many pairs.") var top = 20
    @Option(name: .long, help: "Order by the size of the value, of the key, or total.") var by = Measure.value
    @Flag(name: .long, help: "Print the distribution as rows instead of the pairs.") var histogram = false

    func validate() throws {
        guard (1...100_000).contains(top) else { throw ValidationError("--top must be from 1 to 100000") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            var sizes = SizeDistribution(topCount: top)
            var cursor = try session.reader.cursor(in: try range.keyRange(view, options), cache: .bypass)
            while try cursor.advance() {
                try Interruption.check(HumanNumber.counted(sizes.count, "key"))
                let (keyCount, valueCount) = (cursor.key.count, cursor.value.count)
                let measure =
                    switch by {
                    case .value: valueCount
                    case .key: keyCount
                    case .total: keyCount + valueCount
                    }
                if sizes.add(measure) { sizes.keep(measure, key: cursor.key.copied(), valueByteCount: valueCount) }
            }
            if histogram { return try write(sizes) }
            let writer = try PairWriter(options, view: view, meaning: try KeyMeaning(of: session))
            for pair in sizes.largest { try writer.write(key: pair.key, valueByteCount: pair.valueByteCount) }
            try writer.finish()
            for line in sizes.lines { options.note(line) }
        }
    }

    private func write(_ sizes: SizeDistribution) throws {
        let writer = try options.writer()
        for bucket in sizes.buckets {
            try writer.write([
                "from": .int(Int64(bucket.range.lowerBound)), "to": .int(Int64(bucket.range.upperBound)),
                "keys": .int(Int64(bucket.count)), "bytes": .int(Int64(bucket.byteCount)),
            ])
        }
        try writer.finish()
    }
}
