/// Short codes of vectors, from which the cosine of a vector and a query is estimated.
///
/// A vector is rotated: its numbers get fixed random signs, and the fast Walsh–Hadamard transform spreads each of them
/// over all coordinates (N. Ailon and B. Chazelle, "The Fast Johnson–Lindenstrauss Transform", 2009). The coordinates
/// then have similar distributions, whatever the model that computed the vectors. Each is rounded to one of the levels
/// -3, -1, 1 and 3, which takes two bits. The query is rotated too, but not rounded, so only one side of a product has
/// an error (H. Jégou, M. Douze and C. Schmid, "Product Quantization for Nearest Neighbor Search", 2011).
struct VectorCode: Sendable {
    /// The number of dimensions of the vectors.
    let dimensions: Int
    /// The number of coordinates: the smallest power of two that is not less than `dimensions` and 8.
    let width: Int
    private let signs: [Float]

    init(dimensions: Int) {
        self.dimensions = dimensions
        var width = 8
        while width < dimensions { width *= 2 }
        self.width = width
        var random = Signs()
        signs = (0..<dimensions).map { _ in random.next() }
    }

    /// The size of a code: two bits for each coordinate.
    var byteCount: Int { width / 4 }

    /// Returns the coordinates of a vector after the rotation. Their squares have the mean 1 if the length of the
    /// vector is 1.
    ///
    /// Only additions and subtractions in a fixed order, so the result has the same bits on every machine.
    private func rotated(_ vector: [Float]) -> [Float] {
        var coordinates = [Float](repeating: 0, count: width)
        for index in 0..<min(dimensions, vector.count) { coordinates[index] = vector[index] * signs[index] }
        var half = 1
        while half < width {
            for start in stride(from: 0, to: width, by: 2 * half) {
                for index in start..<start + half {
                    let (a, b) = (coordinates[index], coordinates[index + half])
                    coordinates[index] = a + b
                    coordinates[index + half] = a - b
                }
            }
            half *= 2
        }
        return coordinates
    }

    /// Returns the code of a vector of the length 1.
    ///
    /// The first half has a bit for each coordinate that is not negative; the least significant bit of a byte is first.
    /// The second half has a bit for each coordinate that is at least 1, or at least -1 and negative. Thus a coordinate
    /// is rounded to twice the sign of its first bit plus the sign of its second bit.
    func code(of vector: [Float]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: byteCount)
        for (index, coordinate) in rotated(vector).enumerated() {
            let bit = UInt8(1) << UInt8(index & 7)
            if coordinate >= 0 { code[index >> 3] |= bit }
            if coordinate >= 1 || coordinate < 0 && coordinate >= -1 { code[byteCount / 2 + index >> 3] |= bit }
        }
        return code
    }
}

// MARK: - Estimates

extension VectorCode {
    /// The products of a query with all values of each byte of a code, computed once for a query. A code then takes one
    /// lookup for each byte. Both halves of a code use the same sums, so they stay in the first cache of the processor.
    struct Table {
        /// 256 sums for each byte of a half, rounded to 16 bits.
        private let sums: [Int16]
        private let halfCount: Int

        fileprivate init(_ coordinates: [Float]) {
            halfCount = coordinates.count / 8
            var exact = [Float](repeating: 0, count: coordinates.count * 32)
            for byte in 0..<halfCount {
                for value in 0..<256 {
                    var sum: Float = 0
                    for bit in 0..<8 {
                        let coordinate = coordinates[8 * byte + bit]
                        sum += value >> bit & 1 == 1 ? coordinate : -coordinate
                    }
                    exact[256 * byte + value] = sum
                }
            }
            let largest = exact.reduce(0) { max($0, abs($1)) }
            let scale = largest > 0 && largest.isFinite ? 32767 / largest : 0
            sums = exact.map { Int16(($0 * scale).rounded()) }
        }

        /// Returns a number that is greater the more similar the vector of a code is to the query; `nil` if the code
        /// does not have the size of a code.
        @inline(__always)
        func estimate(_ code: Span<UInt8>) -> Int32? {
            guard code.count == 2 * halfCount, sums.count == 256 * halfCount else { return nil }
            var (first, second): (Int32, Int32) = (0, 0)
            // The counts were checked. Checks at each lookup would almost double the time.
            unsafe code.withUnsafeBufferPointer { code in
                unsafe sums.withUnsafeBufferPointer { sums in
                    for index in 0..<halfCount {
                        first &+= unsafe Int32(sums[256 &* index &+ Int(code[index])])
                        second &+= unsafe Int32(sums[256 &* index &+ Int(code[halfCount &+ index])])
                    }
                }
            }
            return 2 &* first &+ second
        }
    }

    /// Returns the table of a query.
    func table(of query: [Float]) -> Table { Table(rotated(query)) }
}

extension VectorCode {
    /// The fixed random signs: the lowest bits of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast Splittable
    /// Pseudorandom Number Generators", 2014) from the seed 0. Codes on disk depend on them.
    private struct Signs {
        private var state: UInt64 = 0

        mutating func next() -> Float {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            return (mixed ^ mixed >> 31) & 1 == 0 ? 1 : -1
        }
    }
}
