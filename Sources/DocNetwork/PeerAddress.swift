#if Network
    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// The address of a peer: scheme, host, port, and the path before the path of each request.
    package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
        /// Whether the scheme is `https`.
        package let isSecure: Bool
        /// The name or the IP address, without the brackets of IPv6.
        package let host: String
        package let port: Int
        /// The path before the path of each request, percent-encoded, without a slash at its end; often empty.
        package let path: String

        /// Reads an address such as `https://example.org:6984/couch`.
        ///
        /// - Throws: ``NetworkError`` with the code `invalidAddress`, including if the address contains a user name or
        ///   a password, because addresses are shown and stored.
        package init(parsing text: String) throws(NetworkError) {
            guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
                let scheme = parts.scheme?.lowercased()
            else {
                throw Self.error("is not a URL; write it as https://HOST:PORT/PATH")
            }
            guard scheme == "http" || scheme == "https" else { throw Self.error("begins with neither http nor https") }
            guard parts.user == nil, parts.password == nil else {
                throw Self.error("contains a user name or a password; give them separately")
            }
            guard parts.query == nil, parts.fragment == nil else { throw Self.error("contains ? or #; remove it") }
            guard let name = parts.host, !name.isEmpty else { throw Self.error("has no host") }
            let port = parts.port ?? (scheme == "https" ? 443 : 80)
            guard (1...65535).contains(port) else { throw Self.error("has the port \(port); ports are 1 to 65535") }
            var path = Substring(parts.percentEncodedPath)
            while path.last == "/" { path.removeLast() }
            isSecure = scheme == "https"
            host = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
            self.port = port
            self.path = String(path)
        }

        /// The address as a URL, without the default port of the scheme.
        package var description: String {
            let name = host.contains(":") ? "[\(host)]" : host
            let number = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
            return "\(isSecure ? "https" : "http")://\(name)\(number)\(path)"
        }

        /// The error does not repeat the address, which could contain a password.
        private static func error(_ problem: String) -> NetworkError {
            NetworkError(.invalidAddress, "The address of the peer \(problem).")
        }
    }
#endif
