/// A hash for short byte strings in a small hash table.
///
/// It multiplies and folds eight bytes at a time, like wyhash (Wang Yi, github.com/wangyi-fudan/wyhash). Hashes are
/// never stored: the seed differs between tables, so that crafted strings cannot cause collisions.
package struct SeededHash: Sendable {
    private let seed = UInt64.random(in: .min ... .max)

    package init() {}

    /// Returns the hash of a byte string.
    ///
    /// - Complexity: O(*n*).
    @inline(__always)
    package func hash(_ string: Span<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: string.count)
        let bytes = unsafe string.bytes
        var position = 0
        while position &+ 8 <= bytes.byteCount {
            // In bounds: the loop condition.
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            hash = Self.fold(hash ^ word)
            position &+= 8
        }
        var rest: UInt64 = 0
        while position < string.count {
            rest = rest << 8 | UInt64(string[position])
            position &+= 1
        }
        return Self.fold(hash ^ rest)
    }

    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return high ^ low
    }
}
