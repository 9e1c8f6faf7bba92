#if Network
    internal import AsyncHTTPClient
    internal import DocSync
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOSSL

    /// The peer of a request, and what the errors of the network libraries mean for it.
    struct ExchangePeer: Sendable {
        let address: PeerAddress
        let hasProxy: Bool

        /// Returns an error about this peer.
        func error(_ code: TransportError.Code, detail: String? = nil) -> TransportError {
            TransportError(code, peer: address.description, detail: detail)
        }

        /// Returns what an error of a network library means.
        ///
        /// Texts of the HTTP client are not passed on, because some contain values of header fields.
        ///
        /// - Parameter isConnected: whether the head of the request was sent.
        func error(of error: any Error, isConnected: Bool) -> TransportError {
            switch error {
            case let error as TransportError: return error
            case is CancellationError: return self.error(.cancelled)
            case let error as HTTPClientError: return self.error(of: error, isConnected: isConnected)
            case let error as HTTPParserError: return self.error(of: error)
            case let error as NIOSSLError: return self.error(of: error, isConnected: isConnected)
            case is NIOSSLExtraError:
                return self.error(.certificateRefused, detail: "it is for a different name")
            case let error as BoringSSLError:
                return self.error(.insecure, detail: NetworkReason.tlsText(of: error))
            default:
                let code: TransportError.Code = isConnected ? .cut : hasProxy ? .proxyRefused : .unreachable
                return self.error(code, detail: NetworkReason.text(of: error))
            }
        }

        private func error(of error: HTTPClientError, isConnected: Bool) -> TransportError {
            switch error {
            case .cancelled, .alreadyShutdown: self.error(.cancelled)
            case .connectTimeout, .getConnectionFromPoolTimeout:
                self.error(hasProxy ? .proxyRefused : .unreachable, detail: "no answer to the attempt to connect")
            case .tlsHandshakeTimeout: self.error(.timedOut, detail: "TLS was not established")
            case .readTimeout, .writeTimeout, .deadlineExceeded: self.error(.timedOut)
            case .invalidProxyResponse: self.error(.proxyRefused, detail: "its answer is not the expected one")
            case .proxyAuthenticationRequired: self.error(.proxyRefused, detail: "it asks for a password")
            case .httpProxyHandshakeTimeout: self.error(.proxyRefused, detail: "it did not answer")
            case .remoteConnectionClosed where !isConnected && address.isSecure:
                self.error(.insecure, detail: "the peer closed the connection")
            case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: self.error(.cut)
            case .bodyLengthMismatch:
                self.error(.cut, detail: "the body of the request has a different length than declared")
            default: self.error(.malformed, detail: "the request is invalid")
            }
        }

        private func error(of error: HTTPParserError) -> TransportError {
            switch error {
            case .invalidEOFState, .closedConnection: self.error(.cut)
            default: self.error(.malformed, detail: "\(error)")
            }
        }

        private func error(of error: NIOSSLError, isConnected: Bool) -> TransportError {
            switch error {
            case .handshakeFailed(.sslError(let stack)) where stack.contains { "\($0)".contains("CERTIFICATE_VERIFY") }:
                return self.error(.certificateRefused)
            case .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel:
                return self.error(.certificateRefused)
            case .uncleanShutdown where isConnected: return self.error(.cut)
            default: return self.error(.insecure, detail: NetworkReason.text(of: error))
            }
        }
    }
#endif
