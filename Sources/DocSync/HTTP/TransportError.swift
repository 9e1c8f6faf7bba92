/// A failure of the connection to a peer. The peer's answers, whatever their status, are not failures of this kind.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failures.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The peer's name has no address, or nothing accepts connections there.
        case unreachable
        /// The peer has sent nothing for too long.
        case timedOut
        /// The connection ended before the message did.
        case cut
        /// The peer's certificate is not trusted, is for a different name, or has expired.
        case certificateRefused
        /// TLS failed for another reason, for example because the peer does not use it.
        case insecure
        /// The peer's answer is not HTTP.
        case malformed
        /// The proxy between this program and the peer refused the connection.
        case proxyRefused
        /// The task was canceled.
        case cancelled
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, the peer, and what to do next. It contains no password and no document content.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - peer: the peer as the user would recognize it, without a password.
    ///   - detail: what the network library says.
    package init(_ code: Code, peer: String, detail: String? = nil) {
        self.code = code
        let detail = detail.map { " (\($0))" } ?? ""
        message = code.sentence(peer, detail: detail)
    }

    /// The message.
    public var description: String { message }
}

extension TransportError {
    /// Whether the connection ended, or became silent, during an exchange.
    package var isInterruption: Bool { code == .cut || code == .timedOut }
}

extension TransportError.Code {
    fileprivate func sentence(_ peer: String, detail: String) -> String {
        switch self {
        case .unreachable: "Cannot connect to \(peer)\(detail); check the address, the port and the network."
        case .timedOut: "The connection to \(peer) timed out\(detail); check the network, or try again later."
        case .cut: "The connection to \(peer) was closed too early\(detail); try again."
        case .certificateRefused:
            "The certificate of \(peer) is not trusted\(detail); check the address and the certificate."
        case .insecure: "TLS with \(peer) failed\(detail); check that the address begins with https."
        case .malformed: "The answer of \(peer) is not HTTP\(detail); check the port."
        case .proxyRefused: "The proxy refused the connection to \(peer)\(detail); check the address of the proxy."
        case .cancelled: "The request to \(peer) was canceled\(detail); start it again."
        }
    }

    /// Whether the same request may succeed later without a change by a person.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .timedOut, .cut, .malformed, .proxyRefused: true
        case .certificateRefused, .insecure, .cancelled: false
        }
    }
}
