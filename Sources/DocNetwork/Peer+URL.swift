#if Network
    public import DocSync

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    extension Peer {
        /// Creates a peer that is reached by HTTP: a database of CouchDB or PouchDB, or a collection that another store
        /// serves. Nothing is sent before a replication runs.
        ///
        /// - Parameters:
        ///   - url: the address of the database, such as `https://nas.local:6984/photos`, without a name and a password.
        ///   - credentials: how the peer knows the user. They are sent without TLS, too, so use `https` beyond this machine.
        ///   - authorities: a file with certificates (PEM) to trust in addition to the system's; `nil` for none.
        ///   - attemptLimit: the number of times that a request is sent before its failure ends the replication; `nil` for
        ///     any number, as a replication that waits for changes needs.
        /// - Throws: ``NetworkError`` if the address or the file cannot be used.
        public init(
            url: String, credentials: Credentials = .none, authorities: String? = nil, attemptLimit: Int? = 6
        ) throws {
            guard var parts = URLComponents(string: url, encodingInvalidCharacters: false),
                let slash = parts.percentEncodedPath.lastIndex(of: "/"),
                let database = Self.decoded(parts.percentEncodedPath[slash...]), !database.isEmpty
            else {
                throw NetworkError(
                    .invalidAddress, "The address of the peer names no database; write it as https://HOST/DATABASE.")
            }
            parts.percentEncodedPath = String(parts.percentEncodedPath[..<slash])
            var configuration = HTTPClientTransport.Configuration()
            configuration.tls.authorityFile = authorities
            let address = try PeerAddress(parsing: parts.string ?? url)
            self.init(
                try HTTPClientTransport(to: address, configuration: configuration), database: [database],
                credentials: credentials, attemptLimit: attemptLimit)
        }

        /// Returns the name in the last part of a valid path, which begins with a slash; `nil` if it is not UTF-8.
        private static func decoded(_ part: Substring) -> String? {
            var parts = URLComponents()
            parts.percentEncodedPath = String(part)
            return parts.path.hasPrefix("/") ? String(parts.path.dropFirst()) : nil
        }
    }
#endif
