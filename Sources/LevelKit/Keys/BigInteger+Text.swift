extension Tuple.BigInteger: CustomStringConvertible {
    /// The value in decimal digits, with a minus sign if it is negative.
    ///
    /// - Complexity: O(n²) in the bytes of the magnitude, at most 255.
    public var description: String {
        guard !magnitude.isEmpty else { return "0" }
        // Nine decimal digits at a time: a remainder below 10⁹, shifted by a byte, fits easily into 64 bits.
        let chunk: UInt64 = 1_000_000_000
        var rest = magnitude[...]
        var text = ""
        while !rest.isEmpty {
            var remainder: UInt64 = 0
            for index in rest.indices {
                let value = remainder << 8 | UInt64(rest[index])
                rest[index] = UInt8(truncatingIfNeeded: value / chunk)
                remainder = value % chunk
            }
            rest = rest.drop { $0 == 0 }
            let digits = String(remainder)
            let padding = rest.isEmpty ? 0 : 9 - digits.count
            text = String(repeating: "0", count: padding) + digits + text
        }
        return isNegative ? "-" + text : text
    }
}
