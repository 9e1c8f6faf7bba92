import DocIndex

/// The line of a pair in its common form: key and value are ASCII without characters that JSON escapes.
///
/// A dump of a million short pairs spends most of its time here; building strings and objects would take four fifths of
/// it. Other pairs take the general path, with the same result.
enum PairLine {
    private static let keyBegin: StaticString = "{\"k\":\""
    private static let between: StaticString = "\",\"v\":\""
    private static let end: StaticString = "\"}"

    /// Appends the line of a pair and a newline. Returns false, without appending, if the pair does not have the common
    /// form.
    static func append(key: Span<UInt8>, value: Span<UInt8>, to output: inout [UInt8]) -> Bool {
        guard key.plainASCIICount(from: 0) == key.count, value.plainASCIICount(from: 0) == value.count else {
            return false
        }
        append(keyBegin, to: &output)
        unsafe key.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
        append(between, to: &output)
        unsafe value.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
        append(end, to: &output)
        output.append(0x0a)
        return true
    }

    /// Appends the line of a key alone, as in listings of keys. Returns false, without appending, if the key does not
    /// have the common form.
    static func append(key: Span<UInt8>, to output: inout [UInt8]) -> Bool {
        guard key.plainASCIICount(from: 0) == key.count else { return false }
        append(keyBegin, to: &output)
        unsafe key.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
        append(end, to: &output)
        output.append(0x0a)
        return true
    }

    /// The ranges of key and value in a line; `nil` if it does not have the common form.
    static func parse(_ line: Span<UInt8>) -> (key: Range<Int>, value: Range<Int>)? {
        guard line.starts(with: keyBegin) else { return nil }
        let keyStart = keyBegin.utf8CodeUnitCount
        let keyEnd = keyStart + line.plainASCIICount(from: keyStart)
        guard keyEnd < line.count, line.extracting(keyEnd..<line.count).starts(with: between) else { return nil }
        let valueStart = keyEnd + between.utf8CodeUnitCount
        let valueEnd = valueStart + line.plainASCIICount(from: valueStart)
        guard valueEnd + end.utf8CodeUnitCount == line.count,
            line.extracting(valueEnd..<line.count).starts(with: end)
        else { return nil }
        return (keyStart..<keyEnd, valueStart..<valueEnd)
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension Span<UInt8> {
    /// The number of bytes from `start` on that are ASCII and unescaped in a JSON string.
    ///
    /// - Complexity: O(*n*), eight bytes at a time.
    func plainASCIICount(from start: Int) -> Int {
        // The high bit of a byte of `stop` is set where the text ends; borrows can set false bits only after a true
        // one. S. E. Anderson, Bit Twiddling Hacks, "Determine if a word has a byte less than n".
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        precondition(start >= 0, "the start is negative")
        var position = start
        while position &+ 8 <= count {
            let loaded = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let word = UInt64(littleEndian: loaded)
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let stop =
                (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | (word &- ones &* 0x20) | word)
                & highs
            if stop != 0 { return position &+ stop.trailingZeroBitCount / 8 &- start }
            position &+= 8
        }
        while position < count {
            let byte = self[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            position &+= 1
        }
        return position &- start
    }
}
