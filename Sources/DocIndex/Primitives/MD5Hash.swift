#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CCrypto
#endif

/// MD5 over bytes that arrive in parts, for peers that name attachments by it. It protects against accidents only.
package struct MD5Hash: Sendable {
    #if canImport(CryptoKit)
        private var state = Insecure.MD5()
    #else
        private var state = MD5_CTX()
    #endif

    /// Starts a hash of no bytes.
    package init() {
        #if !canImport(CryptoKit)
            unsafe MD5_Init(&state)
        #endif
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
        #if canImport(CryptoKit)
            unsafe bytes.withUnsafeBytes { unsafe state.update(bufferPointer: $0) }
        #else
            unsafe bytes.withUnsafeBytes { unsafe _ = MD5_Update(&state, $0.baseAddress, $0.count) }
        #endif
    }

    /// The 16 bytes of the hash of everything added so far. More bytes can be added afterwards.
    package var digest: [UInt8] {
        #if canImport(CryptoKit)
            Array(state.finalize())
        #else
            var final = state
            return unsafe [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
                unsafe MD5_Final(digest.baseAddress, &final)
                count = 16
            }
        #endif
    }
}
