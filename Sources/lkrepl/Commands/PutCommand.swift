import ArgumentParser
import LevelKit

/// Stores one pair.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Store a value under a key.",
        discussion: """
            Example: lkrepl put --write app.db user/1 Ann. For documents: lkrepl doc put.
            With --if-absent or --if-equals nothing is stored and the exit code is 1 where that does not hold.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String
    @Argument(help: "The value, @FILE for the content of a file, or - for standard input.") var value: String
    @Flag(name: .long, help: "Store only where there is no such key.") var ifAbsent = false
    @Option(name: .long, parsing: .unconditional, help: "Store only where the key has this value.")
    var ifEquals: String?
    @Flag(name: .long, help: "Wait until the disk has it.") var sync = false

    func validate() throws {
        guard !ifAbsent || ifEquals == nil else {
            throw ValidationError("--if-absent and --if-equals exclude each other")
        }
    }

    func run() throws {
        try options.requireWrite("put")
        let value = try RawArgument.value(value)
        let expected = try ifEquals.map(RawArgument.bytes)
        try Session.with(database, options) { session in
            try RawArgument.refuseDocumentStore(session, "put")
            let key = try view.view(of: session).key(of: Invocation.plain(key))
            // One process at a time has the database, and a session one command, so nothing comes between.
            if ifAbsent, try session.database.contains(key) { throw CommandFailure.silent(.no) }
            if let expected, try session.database.value(forKey: key) != expected { throw CommandFailure.silent(.no) }
            try session.database.put(value, forKey: key, durability: sync ? .synced : .buffered)
        }
    }
}
