#if Server
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
    internal import NIOCore
    internal import NIOPosix
    #if Network
        internal import NIOSSL
    #endif

    /// An address, a file or a setting that makes a client or a server impossible. Failures of a connection are a
    /// `TransportError`.
    public struct NetworkError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The kinds of errors.
        public enum Code: String, Sendable, Hashable, CaseIterable {
            /// The address cannot be read.
            case invalidAddress
            /// A certificate or a key cannot be read.
            case unreadableFile
            /// The server would be reachable from other machines without TLS.
            case unprotected
            /// The server cannot listen on its address.
            case cannotListen
        }

        /// The kind of error.
        public let code: Code
        /// A description of the fault, and what to do next. It contains no password.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        /// The message.
        public var description: String { message }
    }

    extension NetworkError: LocalizedError {
        /// The message.
        public var errorDescription: String? { message }
    }

    extension Duration {
        /// The duration for NIO, from zero to 30 years.
        var timeAmount: TimeAmount {
            let seconds = min(max(components.seconds, 0), 1 << 30)
            return .nanoseconds(max(0, seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
        }
    }

    /// The text of an error of a system call or of TLS, without anything that the user typed.
    enum NetworkReason {
        static func text(of error: any Error) -> String {
            switch error {
            case let error as IOError: systemMessage(error.errnoCode)
            case let error as NIOConnectionError: text(of: error)
            case let error as ChannelError: text(of: error)
            default: tlsText(ofAny: error) ?? String(describing: type(of: error))
            }
        }

        private static func text(of error: NIOConnectionError) -> String {
            if let failure = error.connectionErrors.last { return text(of: failure.error) }
            return "the name \(error.host) has no address"
        }

        private static func text(of error: ChannelError) -> String {
            if case .connectTimeout = error { return "no answer to the attempt to connect" }
            return "\(error)"
        }

        #if Network
            /// Returns what an error of TLS says; `nil` for any other error.
            private static func tlsText(ofAny error: any Error) -> String? {
                switch error {
                case NIOSSLError.handshakeFailed(let reason): tlsText(of: reason)
                case let error as BoringSSLError: tlsText(of: error)
                case let error as NIOSSLExtraError: error.description
                default: nil
                }
            }

            /// Returns the reason in words that BoringSSL keeps in its error stack, such as "certificate verify failed".
            static func tlsText(of error: BoringSSLError) -> String {
                guard case .sslError(let stack) = error, let first = stack.first else { return "\(error)" }
                let reason = "\(first)".split(separator: ":").dropFirst(4).first.map(String.init) ?? "\(first)"
                return reason.lowercased().replacing("_", with: " ")
            }
        #else
            /// There is no TLS.
            private static func tlsText(ofAny error: any Error) -> String? { nil }
        #endif

        /// Returns what the C library says about an error number.
        static func systemMessage(_ code: CInt) -> String {
            switch code {
            case ECONNREFUSED: "connection refused"
            case ECONNRESET: "connection reset"
            case EPIPE: "broken pipe"
            case EHOSTUNREACH, ENETUNREACH: "no route to the host"
            case ETIMEDOUT: "no answer"
            case EADDRINUSE: "the port is in use"
            case EADDRNOTAVAIL: "the address does not belong to this machine"
            case EACCES: "permission denied"
            case EMFILE, ENFILE: "too many open files"
            default: "system error \(code)"
            }
        }
    }
#endif
