import ArgumentParser
import DocIndex
import DocSync
import LevelKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        guard let scheme = text.firstRange(of: "://") else {
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
        else { throw CommandError(.usage, "the address is not a URL; write one such as https://nas.local:6984/photos") }
        guard parts.password == nil else {
            throw CommandError(
                .usage, "the address contains a password, which other users can see",
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
            throw CommandError(.usage, "the address is not a URL; write one such as https://nas.local:6984/photos")
        }
        self = .web(Web(server: address, isSecure: name == "https", host: host, database: database, user: parts.user))
    }

    /// Runs `body` with the peer, and closes the connection afterwards.
    ///
    /// - Parameter creates: whether to create a store that does not exist, with the schema of the collection's store.
    func withPeer<R: Sendable>(
        for collection: DocumentCollection, _ connection: PeerOptions, _ options: GlobalOptions, creates: Bool,
        attemptLimit: Int?, _ body: @escaping @Sendable (Peer) async throws -> R
    ) throws -> R {
        switch self {
        case .store(let path):
            if creates { try Self.createStore(at: path, like: collection.store, options) }
            return try Self.withStore(at: path, beside: collection.store, options) { store in
                guard store.collections.contains(where: { $0.name == collection.name }) else {
                    let names = store.collections.map(\.name).joined(separator: ", ")
                    throw CommandError(
                        .usage, "the peer \(path) has no collection named \(collection.name); it has \(names)",
                        hint: "both stores need this collection; add it to the peer with migrate")
                }
                let peer = try Peer(store, collection: collection.name)
                return try CommandTask.wait { try await body(peer) }
            }
        case .web(let web):
            let credentials = try Self.credentials(web, connection)
            return try NetworkPeers.with(web, connection, credentials, attemptLimit: attemptLimit, body)
        }
    }

    private static func createStore(at path: String, like other: DocumentStore, _ options: GlobalOptions) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let store = try DocumentStore.open(at: path, schema: other.schema)
        try store.close()
        options.note("sync: created \(store.path)")
    }

    private static func withStore<R>(
        at path: String, beside own: DocumentStore, _ options: GlobalOptions, _ body: (DocumentStore) throws -> R
    ) throws -> R {
        func place(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().standardized.path }
        guard place(path) != place(own.path) else {
            throw CommandError(.usage, "\(path) is the store itself", hint: "name another store")
        }
        let session = try Session(path: path, access: DatabaseAccess(options))
        defer { try? session.close() }
        return try body(session.store())
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

extension PeerOptions {
    /// The password in the environment.
    ///
    /// - Throws: ``CommandError`` with `usage` if there is none.
    static func password(of user: String) throws -> String {
        guard let password = ProcessInfo.processInfo.environment["LKREPL_PASSWORD"], !password.isEmpty else {
            throw CommandError(
                .usage, "there is no password for \(user)", hint: "set the environment variable LKREPL_PASSWORD")
        }
        return password
    }
}

/// How a peer is reached.
struct PeerOptions: ParsableArguments {
    @Option(name: .long, help: "The user's name at the peer. LKREPL_PASSWORD has the password.") var user: String?
    @Option(name: .long, help: "A file with certificates (PEM) to trust as well, for a peer with one of its own.")
    var cacert: String?
    @Flag(name: .long, help: "Send the password even without TLS.") var insecurePassword = false
}

/// Where a server listens.
struct ServerAddress: Sendable {
    let host: String
    let port: Int
    let certificate: String?
    let key: String?

    var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}
