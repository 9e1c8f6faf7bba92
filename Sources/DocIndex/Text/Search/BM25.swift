internal import Foundation

/// The weight of terms (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009):
/// `idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length))` with `k1` 1.2, `b` 0.75 and
/// `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`, which is Lucene's.
///
/// `N`, `df` and the average are exact, documents that died excluded. The length of a document is that of its norm
/// (``TextNorm``). What a term adds is cut to a multiple of 2⁻⁴⁰: sums of whole numbers do not depend on the order in which
/// they are added, so that a search which skips what cannot win finds the same as one that looks at everything.
@safe final class BM25: @unchecked Sendable {
    // Unchecked: written once, before anybody else has it.
    static let k1 = 1.2
    static let b = 0.75
    /// What a score of one is as a whole number.
    static let unit = 1_099_511_627_776.0
    /// How often the terms of a query may count, all together: of four thousand million documents the rarest term weighs less
    /// than 55, and 55 · 10⁵ units are below 2⁶³.
    static let boostLimit = 1e5

    /// `k1 · (1 - b + b · length / average length)` for each norm.
    let factors: UnsafeMutablePointer<Double>
    let statistics: IndexStatistics
    private let documentCount: Double

    init(_ statistics: IndexStatistics) {
        self.statistics = statistics
        documentCount = Double(statistics.documents)
        // Every document has a word at least, whatever a damaged index says.
        let average = statistics.documents > 0 ? max(1, Double(statistics.words) / documentCount) : 1
        unsafe factors = .allocate(capacity: 256)
        for code in 0..<256 {
            unsafe (factors + code).initialize(
                to: Self.k1 * (1 - Self.b + Self.b * Double(TextNorm.lengths[code]) / average))
        }
    }

    deinit { unsafe factors.deallocate() }

    /// The weight of a term: what it adds at most, in units.
    func weight(documentFrequency: Int, boost: Double) -> Double {
        let df = Double(documentFrequency)
        // Not below zero, whatever a damaged index says.
        return log(1 + max(0, documentCount - df + 0.5) / (df + 0.5)) * (Self.k1 + 1) * boost * Self.unit
    }

    /// What a term adds to the score of a document.
    @inline(__always)
    func contribution(_ weight: Double, frequency: UInt32, norm: UInt8) -> Int64 {
        let tf = Double(frequency)
        return unsafe Int64(weight * tf / (tf + factors[Int(norm)]))
    }
}

/// Finds the pair of frequency and norm that scores most, without a score for each: which it is does not depend on the
/// weight of the term.
struct BestImpact {
    private(set) var impact = TermImpact(frequency: 0, norm: 0)
    /// Whether another pair comes so near that, rounded, it may score more.
    private(set) var isUnsure = false
    private var factor = 1.0

    @inline(__always)
    mutating func offer(frequency: UInt32, norm: UInt8, _ scorer: BM25) {
        let factor = unsafe scorer.factors[Int(norm)]
        let (known, offered) = (Double(impact.frequency), Double(frequency))
        // `tf / (tf + factor)` rises as `factor / tf` falls; both sides are multiplied by both frequencies.
        let gain = self.factor * offered - factor * known
        // What two scores must differ by, as a part of them, to differ after they were rounded.
        let least = Self.precision * (known * offered + self.factor * offered)
        if gain < -least { return }
        if gain <= least, impact.frequency > 0 {
            if impact.frequency != frequency || impact.norm != norm { isUnsure = true }
            return
        }
        // One that was near the one before may be as near to this one.
        if gain > 3 * least { isUnsure = false }
        impact = TermImpact(frequency: frequency, norm: norm)
        self.factor = factor
    }

    private static let precision = 1e-14
}
