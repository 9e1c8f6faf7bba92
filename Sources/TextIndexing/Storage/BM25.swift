#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The BM25 scores of terms (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009):
/// `idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length))` with `k1` 1.2, `b` 0.75 and
/// Lucene's `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`.
///
/// `N`, `df` and the average are exact and exclude deleted documents. The length of a document is the approximation in
/// its norm (``TextNorm``). The contribution of a term is truncated to a multiple of 2⁻⁴⁰. Sums of integers do not
/// depend on the order of addition, so a search that skips documents returns the same result as one that scores all.
@safe package final class BM25: @unchecked Sendable {
    // Unchecked: written once, before it is shared.
    static let k1 = 1.2
    static let b = 0.75
    /// The integer that represents a score of 1.
    package static let unit = 1_099_511_627_776.0
    /// The maximum sum of the boosts of a query's terms. With four billion documents, the rarest term weighs less than
    /// 55, and 55 · 10⁵ units are less than 2⁶³.
    static let boostLimit = 1e5

    /// `k1 · (1 - b + b · length / average length)` for each norm.
    let factors: UnsafeMutablePointer<Double>
    let statistics: IndexStatistics
    private let documentCount: Double

    init(_ statistics: IndexStatistics) {
        self.statistics = statistics
        documentCount = Double(statistics.documents)
        // Every document has at least one word, even if a corrupt index says otherwise.
        let average = statistics.documents > 0 ? max(1, Double(statistics.words) / documentCount) : 1
        unsafe factors = .allocate(capacity: 256)
        for code in 0..<256 {
            unsafe (factors + code).initialize(
                to: Self.k1 * (1 - Self.b + Self.b * Double(TextNorm.lengths[code]) / average))
        }
    }

    deinit { unsafe factors.deallocate() }

    /// Returns the weight of a term: the upper bound of its contribution, in units.
    func weight(documentFrequency: Int, boost: Double) -> Double {
        let df = Double(documentFrequency)
        // Never negative, even if the index is corrupt.
        return log(1 + max(0, documentCount - df + 0.5) / (df + 0.5)) * (Self.k1 + 1) * boost * Self.unit
    }

    /// Returns the contribution of a term to the score of a document.
    @inline(__always)
    func contribution(_ weight: Double, frequency: UInt32, norm: UInt8) -> Int64 {
        let tf = Double(frequency)
        return unsafe Int64(weight * tf / (tf + factors[Int(norm)]))
    }
}

/// Finds the pair of frequency and norm with the highest score without computing each score. The result does not depend
/// on the weight of the term.
struct BestImpact {
    private(set) var impact = TermImpact(frequency: 0, norm: 0)
    /// Whether another pair is so close that, after rounding, it may have a higher score.
    private(set) var isUnsure = false
    private var factor = 1.0

    @inline(__always)
    mutating func offer(frequency: UInt32, norm: UInt8, _ bm25: BM25) {
        let factor = unsafe bm25.factors[Int(norm)]
        let (known, offered) = (Double(impact.frequency), Double(frequency))
        // `tf / (tf + factor)` increases as `factor / tf` decreases; both sides are multiplied by both frequencies.
        let gain = self.factor * offered - factor * known
        // The relative difference below which rounding may change the order of two scores.
        let least = Self.precision * (known * offered + self.factor * offered)
        if gain < -least { return }
        if gain <= least, impact.frequency > 0 {
            if impact.frequency != frequency || impact.norm != norm { isUnsure = true }
            return
        }
        // A pair close to the previous best may be close to this one too.
        if gain > 3 * least { isUnsure = false }
        impact = TermImpact(frequency: frequency, norm: norm)
        self.factor = factor
    }

    private static let precision = 1e-14
}
