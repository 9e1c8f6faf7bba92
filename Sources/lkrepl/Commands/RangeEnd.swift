import LevelKit

/// The pair at one end of a range: the common part of `first` and `last`.
struct RangeEnd {
    let isLast: Bool
    let options: GlobalOptions
    let view: ViewOptions
    let range: RangeOptions

    /// Prints the pair.
    ///
    /// - Throws: ``CommandError`` with `no` if the range is empty.
    func run(on database: String) throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let writer = try PairWriter(options, view: view, meaning: try KeyMeaning(of: session))
            var cursor = try session.reader.cursor(
                in: try range.keyRange(view, options), direction: isLast ? .descending : .ascending, cache: .bypass)
            guard try cursor.advance() else {
                throw CommandError(
                    .no, "\(session.path) has no key" + (range.isGiven ? " in the range" : ""))
            }
            try writer.write(key: cursor.key, value: cursor.value)
            try writer.finish()
        }
    }
}
