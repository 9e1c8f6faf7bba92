/// Cells of the earth's surface: latitude and longitude in 32 bits each, with interleaved bits (G. M. Morton, 1966), so
/// that cells close to each other usually have numbers close to each other. A cell is less than a centimeter wide.
enum GeoCell {
    /// Returns the cell of a point. 180 degrees east counts as 180 degrees west.
    static func number(of point: GeoPoint) -> UInt64 {
        interleaved(
            row: coordinate(point.latitude, of: 180), column: coordinate(normalized(point.longitude), of: 360))
    }

    private static func normalized(_ longitude: Double) -> Double { longitude == 180 ? -180 : longitude }

    /// Returns a coordinate scaled to 32 bits; increases with the coordinate.
    private static func coordinate(_ degrees: Double, of span: Double) -> UInt32 {
        let scaled = ((degrees + span / 2) / span * 0x1p32).rounded(.down)
        return UInt32(min(max(scaled, 0), 0x1p32 - 1))
    }

    static func interleaved(row: UInt32, column: UInt32) -> UInt64 {
        spread(row) << 1 | spread(column)
    }

    /// Moves each bit *n* to position 2*n*.
    private static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff
        bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff
        bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    // MARK: - Ranges

    /// The maximum number of ranges that cover a box.
    static let rangeLimit = 16

    /// Returns at most ``rangeLimit`` ascending, disjoint ranges of cells that contain every point of a box, and some
    /// points near it.
    static func ranges(covering box: GeoBox) -> [ClosedRange<UInt64>] {
        let parts = box.parts
        let south = coordinate(box.south, of: 180)
        let north = coordinate(box.north, of: 180)
        var ranges: [ClosedRange<UInt64>] = []
        for part in parts {
            let target = Rectangle(
                rows: south...north, columns: coordinate(part.west, of: 360)...coordinate(part.east, of: 360))
            ranges += cover(target, limit: rangeLimit / parts.count)
        }
        return joined(ranges)
    }

    private struct Rectangle {
        let rows: ClosedRange<UInt32>
        let columns: ClosedRange<UInt32>
    }

    /// A square of consecutive cells: all cells with the same first `2 * level` bits.
    private struct Square {
        let row: UInt32
        let column: UInt32
        let level: Int

        private var last: UInt32 { level == 32 ? 0 : UInt32.max >> UInt32(level) }
        private var rows: ClosedRange<UInt32> { row...row | last }
        private var columns: ClosedRange<UInt32> { column...column | last }

        func overlaps(_ other: Rectangle) -> Bool {
            rows.overlaps(other.rows) && columns.overlaps(other.columns)
        }

        func lies(in other: Rectangle) -> Bool {
            other.rows.contains(row) && other.rows.contains(row | last) && other.columns.contains(column)
                && other.columns.contains(column | last)
        }

        var quarters: [Square] {
            let half = (last >> 1) + 1
            return [(row, column), (row, column | half), (row | half, column), (row | half, column | half)].map {
                Square(row: $0.0, column: $0.1, level: level + 1)
            }
        }

        var range: ClosedRange<UInt64> {
            interleaved(row: row, column: column)...interleaved(row: row | last, column: column | last)
        }
    }

    /// Subdivides squares that the target does not fill, the largest first, until the limit is reached.
    private static func cover(_ target: Rectangle, limit: Int) -> [ClosedRange<UInt64>] {
        var open = [Square(row: 0, column: 0, level: 0)]
        var done: [Square] = []
        while let square = open.first {
            open.removeFirst()
            if square.level == 32 || square.lies(in: target) {
                done.append(square)
                continue
            }
            let quarters = square.quarters.filter { $0.overlaps(target) }
            if done.count + open.count + quarters.count > limit {
                done.append(square)
            } else {
                open += quarters
            }
        }
        return done.map(\.range)
    }

    private static func joined(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound == 0 || last.upperBound >= range.lowerBound - 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
