#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CCrypto
#endif

/// SHA-256 over bytes that arrive in parts, computed by the system's library: CryptoKit on Apple's systems, OpenSSL's
/// libcrypto on others.
///
/// A copy continues independently of the original. OpenSSL's function for this one algorithm needs neither memory nor
/// the library's configuration (`openssl.cnf`), whose reading takes longer than a short hash.
package struct SHA256Hash: Sendable {
    #if canImport(CryptoKit)
        private var state = SHA256()
    #else
        private var state = SHA256_CTX()
    #endif

    /// Starts a hash of no bytes.
    package init() {
        #if !canImport(CryptoKit)
            unsafe SHA256_Init(&state)
        #endif
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            unsafe state.update(bufferPointer: bytes)
        #else
            unsafe SHA256_Update(&state, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The 32 bytes of the hash of everything added so far. More bytes can be added afterwards.
    package var digest: [UInt8] {
        #if canImport(CryptoKit)
            Array(state.finalize())
        #else
            var final = state
            return unsafe [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                unsafe SHA256_Final(digest.baseAddress, &final)
                count = 32
            }
        #endif
    }
}
