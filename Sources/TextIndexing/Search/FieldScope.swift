/// The fields in which a word is searched, and the weight of each occurrence there.
struct FieldScope {
    /// The fields as bits.
    let fields: UInt32
    let weights: [UInt32]
    /// Whether every field has weight 1.
    private let isEvenlyWeighted: Bool

    init(fields: UInt32, weights: [UInt32]) {
        self.fields = fields
        self.weights = weights
        isEvenlyWeighted = weights.allSatisfy { $0 == 1 }
    }

    /// Bounds for the frequency of a term that follow from the set of fields in which a document has it: at least one
    /// occurrence in each.
    struct Counts {
        /// The minimum weighted frequency in the searched fields.
        let least: UInt32
        /// The minimum weighted frequency in other fields; ``isOutside`` if the term is in none of the searched fields.
        let others: UInt32

        static let isOutside = UInt32.max

        /// Returns the maximum frequency in the searched fields, given the frequency in all fields.
        @inline(__always)
        func most(_ frequency: UInt32) -> UInt32 {
            // Keep the maximum at or above the minimum even if the index is corrupt.
            others == 0 ? frequency : max(least, frequency > others ? frequency - others : 0)
        }
    }

    /// Returns the bounds that follow from the set of fields, as bits, in which a document has a term.
    func counts(in set: UInt32) -> Counts {
        if set & fields == 0 { return Counts(least: 0, others: Counts.isOutside) }
        if !isEvenlyWeighted {
            let (least, others) = weighed(set)
            return Counts(least: least, others: min(others, Counts.isOutside - 1))
        }
        return Counts(least: UInt32((set & fields).nonzeroBitCount), others: UInt32((set & ~fields).nonzeroBitCount))
    }

    /// Returns the weights of one occurrence in each field of the set: in the searched fields, and in the others.
    private func weighed(_ set: UInt32) -> (UInt32, UInt32) {
        var least: UInt32 = 0
        var others: UInt32 = 0
        var rest = set
        while rest != 0 {
            let field = rest.trailingZeroBitCount
            rest &= rest - 1
            let weight = field < weights.count ? weights[field] : 1
            if fields >> UInt32(field) & 1 == 1 { least &+= weight } else { others &+= weight }
        }
        return (least, others)
    }
}
