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
    private let documentCount: Double

    init(_ statistics: IndexStatistics) {
        documentCount = Double(statistics.documents)
        let average = statistics.documents > 0 ? Double(statistics.words) / documentCount : 1
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
