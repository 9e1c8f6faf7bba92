import ArgumentParser

/// The options that filter the keys of a range.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "Select keys that match this pattern: * is anything, ? one character, [a-z] one of a set.")
    var match: String?
    @Option(name: .long, parsing: .unconditional, help: "Select keys in which this regular expression matches.")
    var regex: String?
    @Flag(name: .long, help: "Select the keys that do not match --match or --regex.") var invert = false
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit: Int?
    @Option(name: .long, parsing: .unconditional, help: "Skip this many first.") var offset: Int?
    @Flag(name: .long, help: "Sort in descending order.") var reverse = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read the state after this write, as far as it is still on disk.",
            discussion: "Writes are numbered from the first one of the database; versions prints the numbers."))
    var snapshot: UInt64?

    func validate() throws {
        guard snapshot == nil || !reverse else { throw ValidationError("--snapshot and --reverse cannot be combined") }
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
        guard offset ?? 0 >= 0 else { throw ValidationError("--offset must be 0 or more") }
        guard match == nil || regex == nil else { throw ValidationError("--match and --regex cannot be combined") }
        guard !invert || match != nil || regex != nil else {
            throw ValidationError("--invert needs --match or --regex")
        }
    }

    /// Whether any option was given.
    var isGiven: Bool {
        match != nil || regex != nil || limit != nil || offset != nil || snapshot != nil || reverse
    }

    /// The filter for keys.
    func filter() throws -> KeyFilter {
        if let match {
            return KeyFilter(.glob(try GlobPattern(ArgumentOrigin.current.text(of: match))), isInverted: invert)
        }
        if let regex { return KeyFilter(try .regex(ArgumentOrigin.current.text(of: regex)), isInverted: invert) }
        return KeyFilter(.all, isInverted: false)
    }
}
