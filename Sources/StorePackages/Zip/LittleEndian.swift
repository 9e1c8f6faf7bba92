/// The numbers of zip files: unsigned, the lowest byte first.
extension [UInt8] {
    mutating func append(number value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Returns the number at an offset; `nil` if the array ends before its last byte.
    func number<Value: FixedWidthInteger & UnsignedInteger>(at offset: Int, as type: Value.Type) -> Value? {
        let count = Value.bitWidth / 8
        guard offset >= 0, offset <= self.count, self.count - offset >= count else { return nil }
        return self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Value($1) }
    }
}
