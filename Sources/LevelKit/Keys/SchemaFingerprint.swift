/// A short hash of a schema's definition. Equal definitions have equal fingerprints, and different definitions very
/// probably have different ones.
///
/// The 64-bit FNV-1a hash of the definition's UTF-8 (Fowler, Noll and Vo; RFC 9923). Stored on disk, never change. It
/// protects against mistakes, not against malicious changes. Where that matters, the definitions themselves are
/// compared.
package struct SchemaFingerprint: Sendable, Hashable {
    /// The hash.
    package let bits: UInt64

    init(bits: UInt64) {
        self.bits = bits
    }

    /// Computes the fingerprint of a definition.
    init(of definition: String) {
        var bits: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in definition.utf8 {
            bits ^= UInt64(byte)
            bits &*= 0x100_0000_01b3
        }
        self.bits = bits
    }
}

extension SchemaFingerprint: CustomStringConvertible {
    /// Sixteen hexadecimal digits.
    package var description: String {
        hexadecimal(bits)
    }
}
