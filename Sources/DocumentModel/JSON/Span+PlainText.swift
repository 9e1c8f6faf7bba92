extension Span<UInt8> {
    /// Returns the position of the first byte from `start` on that must be escaped in a JSON string (a quote, a
    /// backslash or a control character), or the end of the span; and whether all bytes before it are ASCII.
    ///
    /// - Complexity: O(*n*), eight bytes at a time.
    @inline(__always)
    func endOfPlainText(from start: Int) -> (end: Int, isASCII: Bool) {
        // In `stop`, the high bit of a byte marks the end of plain text. Borrows can set false bits only above a true
        // one, and only the lowest bit is used.
        // S. E. Anderson, Bit Twiddling Hacks, "Determine if a word has a byte less than n" and "… equal to n".
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        precondition(start >= 0, "The start lies before the span.")
        var position = start
        var nonASCII: UInt64 = 0
        while position &+ 8 <= count {
            // In bounds: the loop condition, and `position` only grows.
            let loaded = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let word = UInt64(littleEndian: loaded)
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let quoteStop = (quote &- ones) & ~quote
            let backslashStop = (backslash &- ones) & ~backslash
            let controlStop = (word &- ones &* 0x20) & ~word
            let stop = (quoteStop | backslashStop | controlStop) & highs
            if stop != 0 {
                let before = (stop & (0 &- stop)) &- 1
                nonASCII |= word & highs & before
                return (position &+ stop.trailingZeroBitCount / 8, nonASCII == 0)
            }
            nonASCII |= word & highs
            position &+= 8
        }
        while position < count {
            let byte = self[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            nonASCII |= UInt64(byte & 0x80)
            position &+= 1
        }
        return (position, nonASCII == 0)
    }
}
