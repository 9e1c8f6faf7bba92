/// A sorted run: entries in the order of their sort keys, read one after another.
protocol SortedRun: AnyObject {
    /// The sort key of the current entry, encoded.
    var sortKey: [UInt8] { get }
    var isAtEnd: Bool { get }
}

/// Merges sorted runs, one sort key at a time.
///
/// Rows with equal keys must come in the order of rows, but runs need not have them in that order, and several runs can
/// have entries with the same key. The cursor therefore returns all runs that are at the next key. The caller reads the
/// entries with this key from them, which moves these runs to their next keys.
///
/// For example, with the runs `b c c` and `a c`: key `a` in the second run, `b` in the first, then `c` in both.
struct MergeCursor<Run: SortedRun> {
    /// A place between two entries: after a row with a sort key.
    struct Position {
        let sortKey: [UInt8]
        let row: UInt64
    }

    /// The entries with the next sort key.
    struct Step {
        let sortKey: [UInt8]
        /// The runs whose current entry has this key.
        let runs: [Run]
        /// Only rows after this one are wanted; 0 for all.
        let startRow: UInt64
    }

    let runs: [Run]
    let isDescending: Bool
    /// The place after which the entries start; `nil` to start with the first entry. The runs must start at its key.
    let start: Position?

    /// Returns the next sort key and the runs that have it; `nil` at the end.
    ///
    /// - Complexity: O(*n*) in the number of runs.
    func next() -> Step? {
        var next: [UInt8]?
        for run in runs where !run.isAtEnd {
            guard let first = next else {
                next = run.sortKey
                continue
            }
            if run.sortKey != first, Self.precedes(run.sortKey, first) != isDescending { next = run.sortKey }
        }
        guard let next else { return nil }
        return Step(
            sortKey: next, runs: runs.filter { !$0.isAtEnd && $0.sortKey == next },
            startRow: start?.sortKey == next ? start?.row ?? 0 : 0)
    }

    /// Compares two keys. One may be a prefix of the other. The added byte is between the bytes with which longer
    /// strings continue in ascending and in descending order.
    private static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        (a + [0x80]).lexicographicallyPrecedes(b + [0x80])
    }
}
