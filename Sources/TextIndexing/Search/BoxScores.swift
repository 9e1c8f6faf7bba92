/// The constants that put the documents of a search box into tiers.
///
/// Let M be the largest possible sum of the BM25 scores of all words, and E a power of two above it, all in units of
/// ``BM25/unit``. With up to four words, a document gets 16 E for each word and for the phrase, and 3 E, 2 E, E or 0
/// for the form of each word. So the number of words decides first, the forms second, and BM25 last: four words in
/// their best forms get 12 E, and their BM25 scores are below E.
///
/// With more words, each word adds a part of its largest possible BM25 score instead of the constants (compare BM25+: Lv
/// and Zhai, "Lower-Bounding Term Frequency Normalization", 2011), times a factor for the form. The part is (4 / n)² for
/// n words: people who type a few words mean each of them, but in a long question, how often a document contains the
/// words says more than how many of them it contains. A document with all words gets 4 E more, and one with the phrase
/// another 4 E.
struct BoxScores {
    /// The factor for all BM25 scores; below 1 only if the sums might not fit in an integer.
    let scale: Double
    /// The constant of each form of each word.
    private(set) var constants: [[Int64]] = []
    /// The additional score of a document with all words.
    let complete: Int64
    /// The further score of a document with the phrase.
    let phrase: Int64

    /// The largest number of words in a search for which all words count the same.
    static let evenWordCount = 4
    private static let factors = [0.25, 0.5, 0.75, 1]
    /// The largest sum of BM25 scores, in scores: far above that of real queries.
    private static let scoreLimit = 256.0
    /// The largest sum of all boxes of a query. Fits in an integer together with ``BM25/boostLimit``.
    private static let totalLimit = 4096.0

    /// - Parameters:
    ///   - box: the box.
    ///   - boxCount: the number of boxes in the query.
    ///   - bounds: the largest possible BM25 score of each form of each word, in units.
    init(_ box: ResolvedBox, boxCount: Int, bounds: [[Double]]) {
        let most = bounds.reduce(0) { $0 + ($1.max() ?? 0) }
        let limit = min(Self.scoreLimit, Self.totalLimit / Double(max(1, boxCount))) * BM25.unit
        scale = most > limit ? limit / most : 1
        let total = Int64(most * scale) + Int64(box.words.count) + 1
        let step = Int64(1) << Int64(64 - total.leadingZeroBitCount)
        let isEven = box.words.count <= Self.evenWordCount
        complete = isEven ? 0 : 4 * step
        phrase = isEven ? 16 * step : 4 * step
        let ratio = Double(Self.evenWordCount) / Double(max(1, box.words.count))
        let part = scale * ratio * ratio
        for (word, bounds) in zip(box.words, bounds) {
            constants.append(
                zip(word.levels, bounds).map { level, bound in
                    isEven ? 16 * step + Int64(level) * step : Int64(bound * part * Self.factors[level])
                })
        }
    }
}

extension ResolvedBox.Word {
    /// The quality of each of the ``forms``, from 3 for the word as typed to 0.
    var levels: [Int] {
        (whole != nil ? [3, 2] : [3]) + (prefix != nil ? [1] : []) + (slip != nil ? [0] : [])
    }
}
