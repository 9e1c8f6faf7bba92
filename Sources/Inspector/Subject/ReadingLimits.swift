/// How long requests may work and wait. Tests that are not about these limits raise them.
package struct ReadingLimits: Sendable {
    /// The longest time of a query, and of a command of the console.
    package var query = Duration.seconds(30)
    /// The longest time of an optional part of a page, such as a suggestion.
    package var extra = Duration.seconds(1)
    /// The longest time of an optional part of a page that is kept for later requests, such as facets.
    package var keptExtra = Duration.seconds(2)
    /// The longest time of a picture in another size.
    package var picture = Duration.seconds(15)
    /// How long a query, or a command of the console, waits for its turn.
    package var patience = Duration.seconds(2)

    package init() {}
}
