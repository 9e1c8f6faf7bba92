/// What the parts of a plan cost, in nanoseconds, all of them in this one table.
///
/// The ratios are what matters. `querybench --calibrate` measures most of them in place. On a busy machine of two cores it gave,
/// over 118,357 pictures: a seek 3,400, an entry 270, one backward 410, a document in a scan 670, by a row 1,500 to 2,000, a sort
/// key 310, a comparison 24: within a factor of two of these, which come from prototypes and are still in use.
struct CostModel: Sendable {
    /// To the first entry of a range.
    var seek = 2500.0
    /// To the next entry, and to the one before.
    var entryForward = 170.0
    var entryBackward = 300.0
    /// To the next document of a scan.
    var documentInScan = 330.0
    /// A document by its row, where rows rise, and where they do not.
    var documentByRisingRow = 1800.0
    var documentByRow = 3000.0
    /// Asking a condition of an encoded body.
    var condition = 250.0
    /// Asking a condition of an entry.
    var entryCondition = 150.0
    /// Adding a row to a set, and asking a set for one.
    var setMember = 25.0
    /// The key by which a document is sorted, and its place among the others.
    var sortKey = 500.0
    var comparison = 25.0

    /// Looking up the terms of a search; reading a posting, and scoring one that may be among the best.
    var search = 20_000.0
    var posting = 15.0
    var scoredPosting = 6.0

    /// A document that satisfies the condition for one part in so many that do not, where nothing is known.
    static let unknownSelectivity = 1.0 / 3

    /// A document of so many rows that rise. Where they lie close to each other, what is between them is stepped over.
    func document(of rowCount: Double, among documentCount: Double) -> Double {
        let gap = documentCount / max(rowCount, 1)
        return gap <= Double(RowFetcher.stepLimit)
            ? min(documentByRisingRow, documentInScan + gap * 150) : documentByRisingRow
    }

    /// Sorting so many rows, of which the first are kept.
    func sort(_ count: Double, keeping limit: Double) -> Double {
        // The exponent is the logarithm, rounded down.
        count * (sortKey + comparison * Double(max(2, min(count, limit)).exponent))
    }
}
