/// One field of a CSV or TSV record.
enum DelimitedField: Hashable, Sendable {
    case null
    case text(String)
    /// A number, true or false: written as it is, never guarded.
    case literal(String)
    case bytes([UInt8])
}
