/// Why stored bytes cannot be read; a clause about a record or block, such as `it ends within a number`.
package struct FormatFault: Error, Hashable {
    /// The clause.
    package let reason: String

    /// A fault with its clause.
    package init(_ reason: String) { self.reason = reason }
}
