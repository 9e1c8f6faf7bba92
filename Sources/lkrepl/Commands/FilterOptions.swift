import ArgumentParser

/// The options that choose among the keys of a range.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "Keys that this pattern matches whole: * is anything, ? one character, [a-z] one of several.")
    var match: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys in which this regular expression matches something.")
    var regex: String?
    @Flag(name: .long, help: "The keys that --match or --regex would leave out.") var invert = false
    @Option(name: .long, parsing: .unconditional, help: "How many at most.") var limit: Int?
    @Option(name: .long, parsing: .unconditional, help: "How many to pass over first.") var offset: Int?
    @Flag(name: .long, help: "The largest key first.") var reverse = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The pairs after this write, as far as they are still on disk.",
            discussion: "Writes are counted from the first of the database on; versions prints their numbers."))
    var snapshot: UInt64?

    func validate() throws {
        guard snapshot == nil || !reverse else { throw ValidationError("--snapshot goes forward only") }
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
        guard offset ?? 0 >= 0 else { throw ValidationError("--offset must be 0 or more") }
        guard match == nil || regex == nil else { throw ValidationError("--match and --regex exclude each other") }
        guard !invert || match != nil || regex != nil else {
            throw ValidationError("--invert needs --match or --regex")
        }
    }

    /// What decides on each key.
    func filter() throws -> KeyFilter {
        if let match {
            return KeyFilter(.glob(try GlobPattern(ArgumentOrigin.current.text(of: match))), isInverted: invert)
        }
        if let regex { return KeyFilter(try .regex(ArgumentOrigin.current.text(of: regex)), isInverted: invert) }
        return KeyFilter(.all, isInverted: false)
    }
}
