import LevelKit

/// Cuts a range into pieces that LevelDB merges in a moment each.
///
/// A compaction cannot be stopped, and one of a large database takes minutes. Pieces end where tables end, so that hardly
/// any table is merged twice.
struct CompactionPieces {
    /// A table, as far as it is of interest here.
    struct Table {
        var largest: [UInt8]
        var byteCount: UInt64
    }

    /// The bounds of one compaction; `nil` for no bound. Both keys belong to it.
    struct Bounds: Equatable {
        var lower: [UInt8]?
        var upper: [UInt8]?
    }

    /// How much a piece may hold: less than LevelDB merges in a second on a slow disk.
    static let pieceByteCount: UInt64 = 16 << 20

    /// The pieces in order, which together are the range; at least one.
    let bounds: [Bounds]

    init(of range: KeyRange, tables: [Table]) {
        let lower = Self.key(range.lower)
        let upper = Self.key(range.upper)
        let ends = tables.filter { table in
            (lower.map { $0.lexicographicallyPrecedes(table.largest) } ?? true)
                && (upper.map { table.largest.lexicographicallyPrecedes($0) } ?? true)
        }.sorted { $0.largest.lexicographicallyPrecedes($1.largest) }
        var pieces: [Bounds] = []
        var start = lower
        var byteCount: UInt64 = 0
        for table in ends {
            byteCount += table.byteCount
            guard byteCount >= Self.pieceByteCount else { continue }
            pieces.append(Bounds(lower: start, upper: table.largest))
            // The next key behind it: what lies between the two belongs to no key.
            start = table.largest + [0]
            byteCount = 0
        }
        pieces.append(Bounds(lower: start, upper: upper))
        bounds = pieces
    }

    /// A key that a range ends at; a compaction takes whole blocks, so whether the key belongs to it does not matter.
    private static func key(_ bound: KeyBound) -> [UInt8]? {
        switch bound {
        case .unbounded: nil
        case .included(let key), .excluded(let key): key
        }
    }
}
