#if Network
    internal import NIOCore
    internal import NIOSSL

    extension HTTPServer {
        /// The files of a server's TLS, all in PEM format.
        package struct TLS: Sendable, Hashable {
            /// The server's certificate and its chain.
            package var certificateFile: String
            /// The key of the certificate, without a passphrase.
            package var keyFile: String
            /// If set, only clients with a certificate of these authorities are accepted.
            package var clientAuthorityFile: String?

            package init(certificateFile: String, keyFile: String, clientAuthorityFile: String? = nil) {
                self.certificateFile = certificateFile
                self.keyFile = keyFile
                self.clientAuthorityFile = clientAuthorityFile
            }

            /// Reads the files. Returns what makes the handler that encrypts a connection.
            func encryption() throws(NetworkError) -> @Sendable () -> any ChannelHandler {
                var tls = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try TLSFiles.certificates(certificateFile).map { .certificate($0) },
                    privateKey: .privateKey(try TLSFiles.key(keyFile)))
                tls.minimumTLSVersion = .tlsv12
                // How long a connection waits for the client to agree that it closes.
                tls.shutdownTimeout = .seconds(1)
                if let clientAuthorityFile {
                    tls.trustRoots = .certificates(try TLSFiles.certificates(clientAuthorityFile))
                    tls.certificateVerification = .noHostnameVerification
                }
                let context = try TLSFiles.context(tls)
                return { NIOSSLServerHandler(context: context) }
            }
        }
    }
#endif
