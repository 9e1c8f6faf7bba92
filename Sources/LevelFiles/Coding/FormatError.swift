/// The reason that stored bytes are invalid, as a clause about a record or block, such as `it ends within a number`.
package struct FormatError: Error, Hashable {
    /// The clause.
    package let reason: String

    /// Creates a fault with a clause.
    package init(_ reason: String) { self.reason = reason }
}
