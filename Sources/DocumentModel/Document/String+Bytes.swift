/// Comparison of strings by their UTF-8 bytes.
///
/// Swift's `==` and `Hasher` treat canonically equivalent strings as equal: "é" written with one scalar equals "é"
/// written with two. Names and values of documents are stored byte for byte, so they are compared byte for byte.
///
/// Names have no type of their own with a bytewise `==`: programs give and receive names as strings, so each call would
/// convert them, and the strings themselves could still be compared by mistake.
extension String {
    /// Returns whether both strings have the same UTF-8 bytes.
    ///
    /// - Complexity: O(1) if the lengths differ, else O(*n*).
    package func hasSameBytes(as other: String) -> Bool {
        // The count is available immediately, but the span of a short string has to be created.
        guard self.utf8.count == other.utf8.count else { return false }
        return hasSameBytes(as: other.utf8Span.span)
    }

    /// Returns whether the UTF-8 bytes of this string are `bytes`. Inlined: most calls compare lengths only.
    ///
    /// - Complexity: O(1) if the lengths differ, else O(*n*).
    @inline(__always)
    func hasSameBytes(as bytes: Span<UInt8>) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8Span.span.hasSameBytes(as: bytes)
    }

    /// Feeds the UTF-8 bytes into `hasher`, so that strings with different bytes hash differently.
    ///
    /// - Complexity: O(*n*).
    package func hashBytes(into hasher: inout Hasher) {
        let bytes = self.utf8Span.span
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // The length distinguishes ("ab", "c") from ("a", "bc") in compound values.
        hasher.combine(bytes.count)
    }

    /// Returns whether the UTF-8 bytes of this string come before those of `other`.
    ///
    /// - Complexity: O(*n*).
    func precedesInBytes(_ other: String) -> Bool {
        self.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Span<UInt8> {
    /// Returns whether both spans contain the same bytes.
    ///
    /// - Complexity: O(1) if the lengths differ, else O(*n*), eight bytes at a time.
    package func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let ours = unsafe bytes
        let theirs = unsafe other.bytes
        var position = 0
        while position &+ 8 <= count {
            // In bounds: the loop condition, and both have the same count.
            let a = unsafe ours.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let b = unsafe theirs.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            if a != b { return false }
            position &+= 8
        }
        while position < count {
            if self[position] != other[position] { return false }
            position &+= 1
        }
        return true
    }
}
