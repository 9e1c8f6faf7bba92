import LevelKit

/// Splits a range into pieces that LevelDB compacts in a moment each.
///
/// A compaction cannot be interrupted, and that of a large database takes minutes. Pieces end at table boundaries, so
/// that few tables are compacted twice.
struct CompactionPieces {
    /// The properties of a table that matter here.
    struct Table {
        var largest: [UInt8]
        var byteCount: UInt64
    }

    /// The bounds of one compaction, inclusive; `nil` for no bound.
    struct Bounds: Equatable {
        var lower: [UInt8]?
        var upper: [UInt8]?

        /// The keys between the bounds.
        var range: KeyRange {
            KeyRange(
                lower: lower.map(KeyBound.included) ?? .unbounded, upper: upper.map(KeyBound.included) ?? .unbounded)
        }
    }

    /// The size of a piece: less than LevelDB merges in a second on a slow disk.
    static let pieceByteCount: UInt64 = 16 << 20

    /// The pieces in order, which together cover the range; at least one.
    let bounds: [Bounds]

    init(of range: KeyRange, tables: [Table]) {
        // Whether the ends are included does not matter, since a compaction processes whole table files.
        let lower = range.lower.key
        let upper = range.upper.key
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
            // The immediate successor: no key lies between the two.
            start = table.largest + [0]
            byteCount = 0
        }
        pieces.append(Bounds(lower: start, upper: upper))
        bounds = pieces
    }
}
