import ArgumentParser
import DocIndex
import DocSync
import LevelKit

/// Serves a store to peers.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve collections to other stores, CouchDB and PouchDB for replication.",
        discussion: """
            Example: lkrepl serve --write photos.store photos
            Each collection is a database of its name, here http://127.0.0.1:6984/photos. It is served until ^C. \
            Only this machine has access, unless --listen names an address of the network; that needs a certificate \
            (--cert, --key) and a user's name (--user) with a password in the environment variable LKREPL_PASSWORD. \
            The password is asked for whenever --user is given. Peers can read everything in these collections and store \
            versions of documents; with --read-only they only read. --write is always needed, because the store notes \
            what may have left it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collections. Default: all of the store.") var collections: [String] = []
    @Option(name: .long, help: "The port; 0 for any that is free.") var port = 6984
    @Option(name: .long, help: "The address to listen at.") var listen = "127.0.0.1"
    @Option(name: .long, help: "A file with the certificate and those it depends on (PEM).") var cert: String?
    @Option(name: .long, help: "A file with the private key of the certificate (PEM).") var key: String?
    @Option(name: .long, help: "The name that peers must give. LKREPL_PASSWORD has the password.") var user: String?
    @Flag(name: .long, help: "Store nothing that peers send.") var readOnly = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("a port is a number from 0 to 65535") }
        guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key belong together") }
    }

    func run() throws {
        try options.requireWrite("serve")
        let listener = ServerAddress(host: listen, port: port, certificate: cert, key: key)
        let login = try user.map { (name: $0, password: try PeerOptions.password(of: $0)) }
        guard listener.isLocal || login != nil && cert != nil else {
            throw CommandError(
                .usage, "everyone in the network could read and change the store at \(listen)",
                hint: "add --cert and --key, and --user with a password in LKREPL_PASSWORD")
        }
        try Session.with(database, options) { session in
            let store = try session.store()
            let named = try collections.isEmpty ? session.collections() : collections.map { try session.collection($0) }
            var served = SyncServer.Options(
                collections: Set(named.map(\.name).filter { !CollectionDefinition($0).isReserved }))
            served.isWritable = !readOnly
            served.login = login
            let server = try SyncServer(store, options: served)
            let names = served.collections.sorted()
            try NetworkPeers.serve(server, at: listener) { [options] address in
                for name in names { options.note("serve: \(address)/\(name)") }
            }
        }
    }
}
