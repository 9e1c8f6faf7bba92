/// The fields in which a word is looked for, and what each occurrence there counts.
struct FieldScope {
    /// As bits.
    let fields: UInt32
    let weights: [UInt32]
    /// Whether every field weighs one.
    private let isEvenlyWeighted: Bool

    init(fields: UInt32, weights: [UInt32]) {
        self.fields = fields
        self.weights = weights
        isEvenlyWeighted = weights.allSatisfy { $0 == 1 }
    }

    /// What the set of fields in which a document has a term says of how often it counts: in each field it is once at least.
    struct Counts {
        /// What the term counts at least.
        let least: UInt32
        /// What it counts at least in fields that are not asked for; ``isOutside`` if it is in none that are.
        let others: UInt32

        static let isOutside = UInt32.max

        /// How often the term counts at most, if it counts so often in all fields.
        @inline(__always)
        func most(_ frequency: UInt32) -> UInt32 {
            // Not the other way round, whatever a damaged index says.
            others == 0 ? frequency : max(least, frequency > others ? frequency - others : 0)
        }
    }

    /// What follows from the fields in which a term is, as bits.
    func counts(in set: UInt32) -> Counts {
        if set & fields == 0 { return Counts(least: 0, others: Counts.isOutside) }
        if !isEvenlyWeighted {
            let (least, others) = weighed(set)
            return Counts(least: least, others: min(others, Counts.isOutside - 1))
        }
        return Counts(least: UInt32((set & fields).nonzeroBitCount), others: UInt32((set & ~fields).nonzeroBitCount))
    }

    /// What one occurrence in each field of a set counts: in those that count, and in the others.
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
