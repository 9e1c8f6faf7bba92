/// The costs of the parts of a plan, in nanoseconds.
///
/// Only the ratios matter. `querybench --calibrate` measures most of them. On a busy two-core machine with 118,357
/// pictures it measured 3,400 for a seek, 270 for an entry, 410 for an entry backward, 670 for a document in a scan,
/// 1,500 to 2,000 for a document by row, 310 for a sort key and 24 for a comparison. These are within a factor of two
/// of the values below, which come from prototypes and are still in use.
struct CostModel: Sendable {
    /// Seeking to the first entry of a range.
    var seek = 2500.0
    /// Moving to the next or the previous entry.
    var entryForward = 170.0
    var entryBackward = 300.0
    /// Moving to the next document of a scan.
    var documentInScan = 330.0
    /// Fetching a document by row, with rows in ascending order or in any order.
    var documentByRisingRow = 1800.0
    var documentByRow = 3000.0
    /// Evaluating a condition on an encoded body.
    var condition = 250.0
    /// Evaluating a condition on an entry.
    var entryCondition = 150.0
    /// Adding a row to a set or testing for one.
    var setMember = 25.0
    /// Computing the sort key of a document, and comparing two sort keys.
    var sortKey = 500.0
    var comparison = 25.0

    /// Looking up the answer for a row in a column, and deciding the condition for a distinct value.
    var columnCell = 3.0
    var columnValue = 60.0

    /// Looking up the terms of a search, reading a posting, and scoring a posting that may be among the best.
    var search = 20_000.0
    var posting = 15.0
    var scoredPosting = 6.0

    /// The maximum number of documents stepped over instead of seeking.
    static let stepLimit: UInt64 = 8
    /// The share of documents assumed to satisfy a condition about which nothing is known.
    static let unknownSelectivity = 1.0 / 3

    /// Returns the cost of one of `rowCount` documents fetched in ascending order of rows. If rows lie close together,
    /// the documents between them are stepped over.
    func document(of rowCount: Double, among documentCount: Double) -> Double {
        let gap = documentCount / max(rowCount, 1)
        return gap <= Double(Self.stepLimit)
            ? min(documentByRisingRow, documentInScan + gap * 150) : documentByRisingRow
    }

    /// Returns the cost of sorting `count` documents and keeping the first `limit`.
    func sort(_ count: Double, keeping limit: Double) -> Double {
        // The exponent is the binary logarithm, rounded down.
        count * (sortKey + comparison * Double(max(2, min(count, limit)).exponent))
    }

    /// Returns whether to look up the `rowCount` known rows one by one in an access, because reading all of its entries
    /// would take longer.
    static func probes(_ access: Plan.Access, for rowCount: Int, estimate: Int) -> Bool {
        guard case .ranges(let scan) = access, scan.hasRisingRows, scan.ranges.count == 1, scan.filters.isEmpty else {
            return false
        }
        return rowCount < estimate / 12
    }
}
