import ArgumentParser
import LevelKit

/// The options that select a range of keys.
struct RangeOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Select keys that begin with this.") var prefix: String?
    @Option(name: .long, parsing: .unconditional, help: "Select keys from this one on.") var from: String?
    @Option(name: .long, parsing: .unconditional, help: "Select keys after this one.") var after: String?
    @Option(name: .long, parsing: .unconditional, help: "Select keys before this one.") var to: String?
    @Option(name: .long, parsing: .unconditional, help: "Select keys up to and including this one.") var upto: String?

    /// Whether any bound was given.
    var isGiven: Bool { [prefix, from, after, to, upto].contains { $0 != nil } }

    /// The range that the options select.
    ///
    /// - Parameter view: The notation in which the keys of the database are typed.
    func keyRange(_ view: KeyView = KeyView()) throws -> KeyRange {
        if let prefix {
            guard from == nil, after == nil, to == nil, upto == nil else {
                throw CommandError(
                    .usage, "--prefix cannot be combined with other bounds", hint: "omit the other bounds")
            }
            return .prefix(try view.key(of: prefix))
        }
        guard from == nil || after == nil, to == nil || upto == nil else {
            throw CommandError(.usage, "a range can have only one lower and one upper bound")
        }
        var range = KeyRange.all
        if let from { range.lower = .included(try view.key(of: from)) }
        if let after { range.lower = .excluded(try view.key(of: after)) }
        if let to { range.upper = .excluded(try view.key(of: to)) }
        if let upto { range.upper = .included(try view.key(of: upto)) }
        return range
    }
}
