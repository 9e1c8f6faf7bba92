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
        var average = AreaAverage(pixels, width: width, height: height)
        return average.run()
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

    private mutating func run() -> Pixels {
        let rowCount = width * pixels.channelCount
        // One more pixel at the end, to which the last column adds its rest of zero.
        var line = [UInt32](repeating: 0, count: rowCount + pixels.channelCount)
        var sums = [UInt64](repeating: 0, count: rowCount)
        var nextSums = sums
        var result: [UInt8] = []
        result.reserveCapacity(rowCount * height)
        let area = UInt64(pixels.width) * UInt64(pixels.height)
        for y in 0..<pixels.height {
            addRow(y, to: &line)
            let share = rows[y]
            for index in 0..<rowCount {
                let value = UInt64(line[index])
                sums[index] &+= value &* UInt64(share.weight)
                if share.rest > 0 { nextSums[index] &+= value &* UInt64(share.rest) }
            }
            let isComplete = y + 1 == pixels.height || rows[y + 1].index > share.index
            guard isComplete else { continue }
            for index in 0..<rowCount {
                result.append(UInt8(truncatingIfNeeded: (sums[index] &+ area / 2) / area))
                sums[index] = nextSums[index]
                nextSums[index] = 0
            }
        }
        return Pixels(width: width, height: height, channelCount: pixels.channelCount, bytes: result)
    }

    /// Sets `line` to the weighted sums of a row.
    private func addRow(_ y: Int, to line: inout [UInt32]) {
        let channelCount = pixels.channelCount
        let start = y * pixels.width * channelCount
        unsafe line.withUnsafeMutableBufferPointer { line in
            unsafe line.update(repeating: 0)
            unsafe pixels.bytes.withUnsafeBufferPointer { source in
                unsafe columns.withUnsafeBufferPointer { columns in
                    var from = start
                    for x in 0..<pixels.width {
                        let share = unsafe columns[x]
                        let to = share.index &* channelCount
                        for channel in 0..<channelCount {
                            let value = unsafe UInt32(source[from])
                            unsafe line[to &+ channel] &+= value &* share.weight
                            unsafe line[to &+ channelCount &+ channel] &+= value &* share.rest
                            from &+= 1
                        }
                    }
                }
            }
        }
    }
}
