import ArgumentParser
import LevelKit

/// The options that name a range of keys.
struct RangeOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Keys that begin with this.") var prefix: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys from this one on.") var from: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys behind this one.") var after: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys before this one.") var to: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys up to this one, with it.") var upto: String?

    /// Whether any bound was given.
    var isGiven: Bool { [prefix, from, after, to, upto].contains { $0 != nil } }

    /// The range that the options name.
    ///
    /// - Parameter view: how the keys of the database are typed.
    func keyRange(_ view: KeyView = KeyView()) throws -> KeyRange {
        if let prefix {
            guard from == nil, after == nil, to == nil, upto == nil else {
                throw CommandFailure(.usage, "--prefix names a range by itself", hint: "leave out the other bounds")
            }
            return .prefix(try view.key(of: prefix))
        }
        guard from == nil || after == nil, to == nil || upto == nil else {
            throw CommandFailure(.usage, "a range has one lower and one upper bound")
        }
        var range = KeyRange.all
        if let from { range.lower = .included(try view.key(of: from)) }
        if let after { range.lower = .excluded(try view.key(of: after)) }
        if let to { range.upper = .excluded(try view.key(of: to)) }
        if let upto { range.upper = .included(try view.key(of: upto)) }
        return range
    }
}
