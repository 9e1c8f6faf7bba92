import ArgumentParser
import DocIndex
import DocSync
import LevelKit

/// Replicates a collection with a peer.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Replicate a collection with another store or with CouchDB.",
        discussion: """
            Example: lkrepl sync --write --create photos.store photos copy.store
            The peer is the path of another store, or the URL of a database of CouchDB, PouchDB or lkrepl serve --sync, \
            such as http://nas.local:6984/photos. \
            Afterwards both sides have all documents, and all versions of those that both sides edited; lkrepl conflicts \
            lists these. --pull or --push transfers one way only. A user's name comes from --user, the password from \
            the environment variable LKREPL_PASSWORD, a token from LKREPL_TOKEN. Documents that cannot be replicated \
            are listed with the reason, and the exit code is 65. An interrupted command continues when it is run again.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var connection: PeerOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The URL of the peer's database, or the path of another store.") var peer: String
    @Flag(name: .long, help: "Only bring the peer's documents here.") var pull = false
    @Flag(name: .long, help: "Only bring the documents of this store to the peer.") var push = false
    @Flag(name: .long, help: "Go on, and wait for changes on both sides, until ^C.") var continuous = false
    @Option(
        name: .customLong("filter"), parsing: .unconditional,
        help: "A condition: replicate only documents that satisfy it, and all deletions.")
    var condition: String?
    @Flag(name: .long, help: "Merge conflicting versions by member, if their common version is known.")
    var merge = false
    @Option(name: .long, help: "Fields, separated by commas, that --merge takes as sets, such as keywords.")
    var sets: String?
    @Flag(name: .long, help: "Create the peer's database, or a store with the same schema, if it does not exist.")
    var create = false

    func validate() throws {
        guard sets == nil || merge else { throw ValidationError("--sets needs --merge") }
        guard !pull || !push else {
            throw ValidationError("--pull and --push are each one way; omit both to replicate both ways")
        }
        guard !(push && merge) else { throw ValidationError("--merge needs the peer's versions; omit --push") }
    }

    func run() throws {
        try options.requireWrite("sync")
        let address = try PeerArgument(ArgumentOrigin.current.text(of: peer))
        let replication = try replicationOptions()
        // A replication reads most documents once, so a large cache would only take memory.
        try Session.with(database, options, savesMemory: true) { session in
            let collection = try session.collection(collection)
            let report = SyncReport(
                options, isContinuous: continuous, reporter: try options.reporter("sync", unit: .items("documents")))
            defer { report.finish() }
            do {
                try address.withPeer(
                    for: collection, connection, options, creates: create, attemptLimit: continuous ? nil : 6
                ) { [create] peer in
                    if create, try await peer.createDatabase() { report.tellCreated() }
                    report.end(
                        with: try await Replicator(collection, with: peer, options: replication).run(report.note))
                }
            } catch  where continuous && Interruption.isRequested {
                // That is how it ends.
                try tell(report)
                throw CommandError.silent(Interruption.reason?.exitCode ?? .interrupted)
            }
            try tell(report)
        }
    }

    private func replicationOptions() throws -> Replicator.Options {
        var replication = Replicator.Options()
        replication.pulls = !push
        replication.pushes = !pull
        replication.isContinuous = continuous
        replication.filter = try condition.map { try ConditionOptions.parsedPlain(ArgumentOrigin.current.text(of: $0)) }
        if merge {
            let paths = try (sets ?? "").split(separator: ",").map { try FieldPath(parsing: String($0)) }
            replication.resolver = .threeWay(sets: paths)
        }
        return replication
    }

    static let peerWasSetBack = "the peer was restored to an earlier state or recreated"

    private func tell(_ report: SyncReport) throws {
        report.finish()
        let status = report.status
        options.note("sync: \(report.summary(pull: !push, push: !pull)), \(report.start.secondsText)")
        if status.wasSetBack {
            options.note(
                "sync: this store is a copy or was restored to an earlier state; everything was compared again")
        }
        if status.peerWasSetBack {
            let isDone = status.phase == .finished || status.phase == .waiting
            let outcome =
                pull
                ? "sync without --pull to send it what it lost"
                : isDone ? "missing changes were sent" : "the next sync sends it what it lost"
            options.note("sync: \(Self.peerWasSetBack); \(outcome)")
        }
        if !status.conflicts.isEmpty {
            let words = [database, collection].map(ShellWord.quoted).joined(separator: " ")
            options.note("sync: lkrepl conflicts \(words) lists the conflicts")
        }
        guard !status.leftOut.isEmpty else { return }
        let writer = try options.writer(columns: ["id", "reason", "message"])
        for fault in status.leftOut.values.sorted(by: { $0.id < $1.id }) {
            try writer.write([
                "id": .string(fault.id), "reason": .string(fault.code.rawValue), "message": .string(fault.message),
            ])
        }
        try writer.finish()
        throw CommandError.silent(.badData)
    }
}
