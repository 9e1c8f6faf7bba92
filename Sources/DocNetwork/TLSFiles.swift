#if Network
    internal import NIOSSL

    /// Reads certificates and keys.
    enum TLSFiles {
        /// Returns the certificates of a PEM file, at least one.
        static func certificates(_ path: String) throws(NetworkError) -> [NIOSSLCertificate] {
            do {
                let certificates = try NIOSSLCertificate.fromPEMFile(path)
                if !certificates.isEmpty { return certificates }
            } catch {}
            throw NetworkError(
                .unreadableFile, "\(path) cannot be read as certificates; name a readable file in PEM format.")
        }

        /// Returns the private key of a PEM file without a passphrase.
        static func key(_ path: String) throws(NetworkError) -> NIOSSLPrivateKey {
            do {
                return try NIOSSLPrivateKey(file: path, format: .pem) { setter in setter([UInt8]()) }
            } catch {
                throw NetworkError(
                    .unreadableFile,
                    "\(path) cannot be read as a private key; name a readable file in PEM format without a passphrase.")
            }
        }

        /// Checks that a configuration can be used, for example that the key belongs to the certificate.
        static func context(_ configuration: TLSConfiguration) throws(NetworkError) -> NIOSSLContext {
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw NetworkError(
                    .unreadableFile,
                    "The certificate and its key cannot be used together (\(NetworkReason.text(of: error))); check both files."
                )
            }
        }
    }
#endif
