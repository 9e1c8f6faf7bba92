/// Returns bytes as lowercase hexadecimal digits, two per byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        text += byte < 16 ? "0" : ""
        text += String(byte, radix: 16)
    }
    return text
}

/// Returns an unsigned integer as lowercase hexadecimal digits, as many as its type has.
package func hexadecimal<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Value.bitWidth / 4 - digits.count) + digits
}
