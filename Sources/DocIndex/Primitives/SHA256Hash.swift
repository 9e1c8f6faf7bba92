#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CCrypto
#endif

/// SHA-256 over bytes that arrive in parts, computed by the system's library: CryptoKit on Apple's systems, OpenSSL's
/// libcrypto on others.
///
/// A copy continues independently of the original. Starting a hash traps if the configuration of OpenSSL
/// (`openssl.cnf`) excludes SHA-256; no input causes a trap.
package struct SHA256Hash: Sendable {
    #if canImport(CryptoKit)
        private var state = SHA256()
    #else
        private var state = OpenSSLState.started(.sha256)
    #endif

    /// Starts a hash of no bytes.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            unsafe state.update(bufferPointer: bytes)
        #else
            if !isKnownUniquelyReferenced(&state) { state = OpenSSLState(copying: state) }
            unsafe state.update(bytes)
        #endif
    }

    /// The 32 bytes of the hash of everything added so far. More bytes can be added afterwards.
    package var digest: [UInt8] {
        #if canImport(CryptoKit)
            Array(state.finalize())
        #else
            OpenSSLState(copying: state).finish(byteCount: 32)
        #endif
    }
}

#if !canImport(CryptoKit)
    /// A running computation of OpenSSL (`EVP_MD_CTX`). ``SHA256Hash`` copies it before it changes a shared one.
    @safe final class OpenSSLState: @unchecked Sendable {
        enum Algorithm { case sha256, md5 }

        private let context: OpaquePointer

        /// Starts a computation; `nil` if the configuration of OpenSSL excludes the algorithm.
        init?(_ algorithm: Algorithm) {
            unsafe context = Self.newContext()
            let isStarted =
                switch algorithm {
                case .sha256: unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
                case .md5: unsafe EVP_DigestInit_ex(context, EVP_md5(), nil)
                }
            if isStarted != 1 { return nil }
        }

        /// Starts a computation that must be possible.
        static func started(_ algorithm: Algorithm) -> OpenSSLState {
            guard let state = OpenSSLState(algorithm) else {
                preconditionFailure("OpenSSL cannot compute SHA-256; check the file that OPENSSL_CONF names.")
            }
            return state
        }

        init(copying other: OpenSSLState) {
            unsafe context = Self.newContext()
            Self.check(unsafe EVP_MD_CTX_copy_ex(context, other.context))
        }

        deinit { unsafe EVP_MD_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            Self.check(unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
        }

        /// Returns the digest. Nothing can be added afterwards.
        func finish(byteCount: Int) -> [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
                unsafe Self.check(EVP_DigestFinal_ex(context, digest.baseAddress, nil))
                count = byteCount
            }
        }

        private static func newContext() -> OpaquePointer {
            guard let context = unsafe EVP_MD_CTX_new() else { fatalError("OpenSSL is out of memory.") }
            return unsafe context
        }

        private static func check(_ result: Int32) {
            precondition(result == 1, "OpenSSL cannot compute a digest; check the file that OPENSSL_CONF names.")
        }
    }
#endif
