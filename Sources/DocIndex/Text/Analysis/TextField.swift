/// A field of a text index: where its text is, and how its words are found.
struct TextField: Sendable {
    let path: FieldPath
    /// The number of occurrences that one occurrence of a word counts as.
    let weight: Int
    let analyzer: TextAnalyzer
}

extension [TextField] {
    /// The bits of all fields.
    var allBits: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(count)) - 1) }

    /// The distinct analyzers, each with the bits of the fields that use it.
    var analyzers: [(analyzer: TextAnalyzer, fields: UInt32)] {
        var analyzers: [(analyzer: TextAnalyzer, fields: UInt32)] = []
        for (field, definition) in enumerated() {
            let bit = UInt32(1) << UInt32(field)
            if let known = analyzers.firstIndex(where: { $0.analyzer == definition.analyzer }) {
                analyzers[known].fields |= bit
            } else {
                analyzers.append((definition.analyzer, bit))
            }
        }
        return analyzers
    }
}
