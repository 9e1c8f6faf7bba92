import DocSync

/// Connections to peers in the network, which only a program built with the trait `Network` has.
enum NetworkPeers {
    /// Runs `body` with a peer.
    static func with<R: Sendable>(
        _ web: PeerAddress.Web, _ options: PeerOptions, _ credentials: Credentials, attemptLimit: Int?,
        _ body: @escaping @Sendable (Peer) async throws -> R
    ) throws -> R {
        throw missing
    }

    /// Serves until ^C.
    ///
    /// - Parameter begin: is told of the address, such as `http://127.0.0.1:6984`.
    static func serve(
        _ server: SyncServer, at listener: ServeCommand.Listener, _ begin: @escaping @Sendable (String) -> Void
    ) throws {
        throw missing
    }

    static var missing: CommandError {
        CommandError(
            .unavailable, "this lkrepl was built without access to the network",
            hint: "make install builds it with the network; so does swift build --traits Network")
    }
}
