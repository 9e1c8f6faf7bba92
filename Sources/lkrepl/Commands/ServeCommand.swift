import ArgumentParser
import DocIndex
import DocSync
import Inspector
import LevelKit

/// Shows a store in a browser, or serves it to peers.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Show a store in a browser; with --sync, serve it for replication.",
        discussion: """
            Example: lkrepl serve photos.store
            The address that is printed contains a token; open it in a browser on this machine. It only \
            reads, unless --write is given: then documents can be edited and deleted. Commits of another process \
            usually appear within a second.
            With --sync, collections are served to other stores, CouchDB and PouchDB: lkrepl serve --write photos.store \
            --sync photos. Each collection is a database of its name, here http://127.0.0.1:6984/photos. Only this \
            machine has access, unless --listen names a network address; that needs a certificate (--cert, \
            --key) and a user's name (--user) with a password in the environment variable LKREPL_PASSWORD. The password \
            is asked for whenever --user is given. Peers can read everything in these collections and store versions of \
            documents; with --read-only they only read. --sync always needs --write, because the store records \
            what it has sent to peers.
            Either is served until ^C.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "With --sync: The collections. Default: all of the store.") var collections: [String] = []
    @Flag(name: .long, help: "Serve collections for replication.") var sync = false
    @Option(name: .long, help: "The port; 0 for any that is free. Default: 0, or with --sync 6984.") var port: Int?
    @Option(name: .long, help: "With --sync: The address to listen on. Default: 127.0.0.1.") var listen: String?
    @Option(name: .long, help: "With --sync: A file with the certificate chain (PEM).")
    var cert: String?
    @Option(name: .long, help: "With --sync: A file with the private key of the certificate (PEM).") var key: String?
    @Option(name: .long, help: "With --sync: The user name for peers, with the password in LKREPL_PASSWORD.")
    var user: String?
    @Flag(name: .long, help: "With --sync: Store nothing that peers send.") var readOnly = false

    func validate() throws {
        guard (0...65535).contains(port ?? 0) else { throw ValidationError("a port is a number from 0 to 65535") }
        guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key must be given together") }
        guard !sync else { return }
        if !collections.isEmpty {
            throw ValidationError(
                "the inspector shows all collections; omit \(collections[0]), or add --sync to serve it for replication"
            )
        }
        if listen != nil {
            throw ValidationError("the inspector is reachable only from this machine; omit --listen, or add --sync")
        }
        guard cert == nil, user == nil, !readOnly else {
            throw ValidationError("--cert, --key, --user and --read-only need --sync")
        }
    }

    func run() throws { try sync ? replicate() : inspect() }

    // MARK: - The inspector

    private func inspect() throws { try Session.with(database, options) { try inspect($0) } }

    private func inspect(_ session: Session) throws {
        let store = try session.store()
        var shown = Inspector.Options()
        if session.isReadOnly, let writer = Database.writer(at: session.path) {
            shown.note =
                "Process \(writer) has the store open for writing. Its commits usually appear here within a second."
        }
        let served = ServedSession(session, checksEveryBlock: options.untrusted)
        var renew: (@Sendable () throws -> DocumentStore?)?
        if session.isReadOnly { renew = { try served.renewed() } }
        let inspector = Inspector(
            store, options: shown, renew: renew, services: ServedSession.services?.make(served),
            isWritable: options.write)
        try NetworkPeers.inspect(inspector, port: port ?? 0) { [options] in
            let addresses = inspector.addresses
            options.note("serve: \(addresses.first ?? "")")
            if addresses.count > 1 { options.note("serve: for other programs \(addresses[1])") }
        }
    }

    // MARK: - Replication

    private func replicate() throws {
        try options.requireWrite("serve --sync")
        let listener = ServerAddress(host: listen ?? "127.0.0.1", port: port ?? 6984, certificate: cert, key: key)
        let login = try user.map { (name: $0, password: try PeerOptions.password(of: $0)) }
        guard listener.isLocal || login != nil && cert != nil else {
            throw CommandError(
                .usage,
                "anyone on the network could \(readOnly ? "read" : "read and change") the store at \(listener.host)",
                hint: "add --cert and --key, and --user with a password in LKREPL_PASSWORD")
        }
        try Session.with(database, options) { session in
            let store = try session.store()
            let named = try collections.isEmpty ? session.collections() : collections.map { try session.collection($0) }
            var served = SyncServer.Options(
                collections: Set(named.map(\.name).filter { !CollectionDefinition($0).isReserved }))
            served.isWritable = !readOnly
            served.login = login
            served.onUnsent = { [options] collection, fault in
                options.note("serve: \(collection): the document \(fault.id) is not sent: \(fault.message)")
            }
            let server = try SyncServer(store, options: served)
            let names = served.collections.sorted()
            try NetworkPeers.serve(server, at: listener) { [options] address in
                for name in names { options.note("serve: \(address)/\(name)") }
            }
        }
    }
}
