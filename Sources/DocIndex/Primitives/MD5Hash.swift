#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// MD5 over bytes that arrive in parts, for peers that name attachments by it. It protects against accidents only.
///
/// Some systems exclude MD5 (OpenSSL in FIPS mode); there is no digest then.
package struct MD5Hash: Sendable {
    #if canImport(CryptoKit)
        private var state = Insecure.MD5()
    #else
        private var state = OpenSSLState(.md5)
    #endif

    /// Starts a hash of no bytes.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
        #if canImport(CryptoKit)
            unsafe bytes.withUnsafeBytes { unsafe state.update(bufferPointer: $0) }
        #else
            if !isKnownUniquelyReferenced(&state) { state = state.map(OpenSSLState.init(copying:)) }
            unsafe bytes.withUnsafeBytes { unsafe state?.update($0) }
        #endif
    }

    /// The 16 bytes of the hash of everything added so far; `nil` if the system has no MD5.
    package var digest: [UInt8]? {
        #if canImport(CryptoKit)
            Array(state.finalize())
        #else
            state.map { OpenSSLState(copying: $0).finish(byteCount: 16) }
        #endif
    }
}
