import LevelKit

/// Lists the pairs of a range: the common part of `scan` and `keys`.
struct PairListing {
    /// The parts of a pair to print.
    enum Content {
        case pairs, keys, sizes
    }

    let content: Content
    let options: GlobalOptions
    let view: ViewOptions
    let range: RangeOptions
    let filter: FilterOptions

    /// Prints the pairs of a database.
    func run(on database: String) throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let run = try ScanRun(range: try range.keyRange(view, options), options: filter)
            let writer = try PairWriter(options, view: view, meaning: try KeyMeaning(of: session))
            try run.forEach(in: session) { key, value in
                switch content {
                case .pairs: try writer.write(key: key, value: value)
                case .keys: try writer.write(key: key)
                case .sizes: try writer.write(key: key.copied(), valueByteCount: value.count)
                }
            }
            try writer.finish()
        }
    }
}
