/// Reduces a picture: each new pixel is the average of the area that it covers in the old picture, where pixels at the
/// border count by the covered part.
///
/// Everything is computed with whole numbers, so the result is the same on all machines.
struct AreaAverage {
    /// Returns a smaller picture. Sides that are not smaller than before are kept.
    ///
    /// - Complexity: O(*n*) in the number of pixels of the old picture.
    static func reduced(_ pixels: Pixels, width: Int, height: Int) -> Pixels {
        let width = max(1, min(width, pixels.width))
        let height = max(1, min(height, pixels.height))
        guard width < pixels.width || height < pixels.height else { return pixels }
        return AreaAverage(pixels, width: width, height: height).run()
    }

    /// The shares of an old row or column in new ones, in units of 1 / new count of an old pixel.
    private struct Share {
        /// The first new pixel.
        let index: Int
        let weight: UInt32
        /// What the next new pixel gets.
        let rest: UInt32
    }

    private let pixels: Pixels
    private let width: Int
    private let height: Int
    private let columns: [Share]
    private let rows: [Share]

    private init(_ pixels: Pixels, width: Int, height: Int) {
        self.pixels = pixels
        self.width = width
        self.height = height
        columns = Self.shares(old: pixels.width, new: width)
        rows = Self.shares(old: pixels.height, new: height)
    }

    /// Old pixel `i` covers the units from `i * new` to `(i + 1) * new`, and new pixel `k` those from `k * old` to
    /// `(k + 1) * old`. Since `new <= old`, an old pixel is in at most two new ones.
    private static func shares(old: Int, new: Int) -> [Share] {
        (0..<old).map { position in
            let start = position * new
            let end = start + new
            let index = start / old
            let border = (index + 1) * old
            guard end > border else { return Share(index: index, weight: UInt32(new), rest: 0) }
            return Share(index: index, weight: UInt32(border - start), rest: UInt32(end - border))
        }
    }

    private func run() -> Pixels {
        let rowCount = width * pixels.channelCount
        // One more pixel at the end, for the rest of the last column, which is zero.
        var line = [UInt32](repeating: 0, count: rowCount + pixels.channelCount)
        var sums = [UInt64](repeating: 0, count: rowCount)
        var nextSums = sums
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: rowCount * height) { result, count in
            for y in 0..<pixels.height {
                addRow(y, to: &line)
                let share = rows[y]
                Self.add(line, times: share.weight, to: &sums)
                if share.rest > 0 { Self.add(line, times: share.rest, to: &nextSums) }
                guard y + 1 == pixels.height || rows[y + 1].index > share.index else { continue }
                unsafe divide(&sums, into: UnsafeMutableBufferPointer(rebasing: result[count..<count + rowCount]))
                count += rowCount
                swap(&sums, &nextSums)
            }
        }
        return Pixels(width: width, height: height, channelCount: pixels.channelCount, bytes: bytes)
    }

    /// Adds a row with a weight.
    private static func add(_ line: [UInt32], times weight: UInt32, to sums: inout [UInt64]) {
        unsafe line.withUnsafeBufferPointer { line in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                for index in 0..<sums.count { unsafe sums[index] &+= UInt64(line[index]) &* UInt64(weight) }
            }
        }
    }

    /// Writes the rounded quotients of sums and the area, and sets the sums to zero.
    ///
    /// The quotient is estimated with the reciprocal, since a division costs several times as much as the rest: a sum is
    /// below 2^41 and the quotient at most 255, so the product fits into 64 bits, and the estimate is at most 1 too low.
    private func divide(_ sums: inout [UInt64], into result: UnsafeMutableBufferPointer<UInt8>) {
        let area = UInt64(pixels.width) * UInt64(pixels.height)
        let reciprocal = (UInt64(1) << 55) / area
        unsafe sums.withUnsafeMutableBufferPointer { sums in
            for index in 0..<sums.count {
                let sum = unsafe sums[index] &+ area / 2
                var quotient = (sum &* reciprocal) >> 55
                if (quotient &+ 1) &* area <= sum { quotient &+= 1 }
                unsafe result.initializeElement(at: index, to: UInt8(truncatingIfNeeded: quotient))
                unsafe sums[index] = 0
            }
        }
    }

    /// Sets `line` to the weighted sums of a row.
    private func addRow(_ y: Int, to line: inout [UInt32]) {
        let channelCount = pixels.channelCount
        let start = y * pixels.width * channelCount
        unsafe line.withUnsafeMutableBufferPointer { line in
            unsafe line.update(repeating: 0)
            unsafe pixels.bytes.withUnsafeBufferPointer { source in
                unsafe columns.withUnsafeBufferPointer { columns in
                    // The usual number, so that the compiler unrolls the loop over channels.
                    if channelCount == 3 {
                        unsafe Self.addRow(source, start, columns, 3, to: line)
                    } else {
                        unsafe Self.addRow(source, start, columns, channelCount, to: line)
                    }
                }
            }
        }
    }

    @inline(__always) private static func addRow(
        _ source: UnsafeBufferPointer<UInt8>, _ start: Int, _ columns: UnsafeBufferPointer<Share>, _ channelCount: Int,
        to line: UnsafeMutableBufferPointer<UInt32>
    ) {
        var from = start
        for x in 0..<columns.count {
            let share = unsafe columns[x]
            let to = share.index &* channelCount
            for channel in 0..<channelCount {
                let value = unsafe UInt32(source[from &+ channel])
                unsafe line[to &+ channel] &+= value &* share.weight
                unsafe line[to &+ channelCount &+ channel] &+= value &* share.rest
            }
            from &+= channelCount
        }
    }
}
