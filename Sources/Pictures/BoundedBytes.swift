/// A part of a file, whose numbers are read with a byte order. Offsets count from the beginning of the part.
///
/// Every read is checked: what is not entirely in the part is `nil`. So forged offsets and lengths cost nothing.
struct BoundedBytes {
    let bytes: [UInt8]
    /// The range of the part in the file.
    let range: Range<Int>
    var isBigEndian = true

    /// The number of bytes.
    var count: Int { range.count }

    /// Returns the range in the file of bytes at an offset; `nil` if they are not in the part.
    func range(_ offset: Int, count byteCount: Int) -> Range<Int>? {
        guard offset >= 0, byteCount >= 0, offset <= count, byteCount <= count - offset else { return nil }
        return range.lowerBound + offset..<range.lowerBound + offset + byteCount
    }

    /// Returns the number in one to four bytes at an offset.
    func number(_ offset: Int, byteCount: Int) -> Int? {
        guard let range = range(offset, count: byteCount) else { return nil }
        var number = 0
        for index in 0..<byteCount {
            let byte = bytes[isBigEndian ? range.lowerBound + index : range.upperBound - 1 - index]
            number = number << 8 | Int(byte)
        }
        return number
    }

    /// Returns whether the bytes at an offset are those of a text.
    func has(_ text: String, at offset: Int) -> Bool {
        guard let range = range(offset, count: text.utf8.count) else { return false }
        return bytes[range].elementsEqual(text.utf8)
    }
}
