import DocIndex
import DocSync
import Foundation
import LevelKit

/// Where a peer is: a URL, or the path of another store.
enum PeerArgument {
    /// A database that is reached by HTTP.
    struct Web: Hashable {
        /// The address of the server, without a user's name.
        var server: String
        var isSecure: Bool
        var host: String
        var database: String
        var user: String?

        /// Whether the host is this machine.
        var isLocal: Bool { ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost") }
    }

    case web(Web)
    case store(String)

    /// Reads an address.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    init(_ text: String) throws {
        guard let scheme = text.range(of: "://") else {
            self = .store(text)
            return
        }
        let name = text[..<scheme.lowerBound].lowercased()
        guard name == "http" || name == "https" else {
            throw CommandError(
                .usage, "\(text) is not the address of a database", hint: "use http://HOST:PORT/DATABASE or https://…")
        }
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.query == nil,
            parts.fragment == nil
        else { throw CommandError(.usage, "the address is not a URL such as https://nas.local:6984/photos") }
        guard parts.password == nil else {
            throw CommandError(
                .usage, "a password in an address can be seen by others",
                hint: "set the environment variable LKREPL_PASSWORD instead")
        }
        var server = parts
        var path = parts.path.split(separator: "/").map(String.init)
        guard let database = path.popLast() else {
            throw CommandError(.usage, "the address names no database", hint: "add /DATABASE, such as /photos")
        }
        server.path = path.map { "/" + $0 }.joined()
        server.user = nil
        guard let address = server.string else {
            throw CommandError(.usage, "the address is not a URL such as https://nas.local:6984/photos")
        }
        self = .web(Web(server: address, isSecure: name == "https", host: host, database: database, user: parts.user))
    }

    /// Runs `body` with the peer, and closes the connection afterwards.
    func withPeer<R: Sendable>(
        for collection: String, _ options: PeerOptions, attemptLimit: Int?,
        _ body: @escaping @Sendable (Peer) async throws -> R
    ) throws -> R {
        switch self {
        case .store(let path):
            let store = try DocumentStore.open(at: path, schema: nil)
            defer { try? store.close() }
            let server = try SyncServer(store, options: SyncServer.Options(collections: [collection]))
            let peer = Peer(InProcessTransport(server), database: [collection], attemptLimit: attemptLimit)
            return try CommandTask.wait { try await body(peer) }
        case .web(let web):
            let credentials = try Self.credentials(web, options)
            return try NetworkPeers.with(web, options, credentials, attemptLimit: attemptLimit, body)
        }
    }

    private static func credentials(_ web: Web, _ options: PeerOptions) throws -> Credentials {
        let environment = ProcessInfo.processInfo.environment
        if let token = environment["LKREPL_TOKEN"], !token.isEmpty {
            try requireSecrecy(web, options)
            return .bearer { token }
        }
        guard let user = options.user ?? web.user else { return .none }
        let password = try PeerOptions.password(of: user)
        try requireSecrecy(web, options)
        return .basic { (user, password) }
    }

    private static func requireSecrecy(_ web: Web, _ options: PeerOptions) throws {
        guard web.isSecure || web.isLocal || options.insecurePassword else {
            throw CommandError(
                .usage, "without TLS, others on the network could read the password",
                hint: "use https://, or add --insecure-password in a network that you trust")
        }
    }
}
