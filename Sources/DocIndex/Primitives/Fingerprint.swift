/// The first 16 bytes of a SHA-256: bytes with the same fingerprint are the same bytes, whoever chose them.
///
/// A set of fingerprints has a known size, however long the bytes are.
package struct Fingerprint: Sendable, Hashable {
    private let first: UInt64
    private let second: UInt64

    /// Computes the fingerprint of bytes.
    package init(of bytes: [UInt8]) {
        var hash = SHA256Hash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        let digest = hash.digest
        first = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        second = digest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
