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

    /// The range that the options select. A range whose end comes before its start is told as a probable mistake.
    ///
    /// - Parameter view: The notation in which the keys of the database are typed.
    func keyRange(_ view: KeyView = KeyView(), _ options: GlobalOptions) throws -> KeyRange {
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
        let first = try (from ?? after).map { try view.key(of: $0) }
        let last = try (to ?? upto).map { try view.key(of: $0) }
        if let first, let last, last.lexicographicallyPrecedes(first) {
            options.note(
                "warning: the range is empty: \(from == nil ? "--after" : "--from") \(from ?? after ?? "") comes after "
                    + "\(to == nil ? "--upto" : "--to") \(to ?? upto ?? ""); exchange the two")
        }
        return KeyRange(
            lower: first.map { from == nil ? .excluded($0) : .included($0) } ?? .unbounded,
            upper: last.map { to == nil ? .included($0) : .excluded($0) } ?? .unbounded)
    }
}
