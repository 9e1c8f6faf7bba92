import ArgumentParser
import LevelKit

/// Stores one pair.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Store a value under a key.",
        discussion: """
            Example: lkrepl put --write app.db user/1 Ann. For documents, use lkrepl doc put.
            If the condition of --if-absent or --if-equals is false, nothing is stored and the exit code is 1.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String
    @Argument(help: "The value, @FILE for the contents of a file, or - for standard input.") var value: String
    @Flag(name: .long, help: "Store only if the key does not exist.") var ifAbsent = false
    @Option(name: .long, parsing: .unconditional, help: "Store only if the key has this value.")
    var ifEquals: String?
    @Flag(name: .long, help: "Wait until the write is on disk.") var sync = false
    @Flag(name: [.customShort("n"), .long], help: "Show whether a value would be replaced, and store nothing.")
    var dryRun = false

    func validate() throws {
        guard !ifAbsent || ifEquals == nil else {
            throw ValidationError("--if-absent and --if-equals cannot be combined")
        }
    }

    func run() throws {
        if !dryRun { try options.requireWrite("put") }
        let value = try RawArgument.value(value)
        let expected = try ifEquals.map(RawArgument.bytes)
        try Session.with(database, options) { session in
            try RawArgument.refuseDocumentStore(session, "put")
            let key = try view.view(of: session).key(of: ProtectedArgument.plain(key))
            // Only one process can open the database for writing, and a session runs one command at a time, so the
            // check stays valid.
            if ifAbsent, try session.database.contains(key) {
                throw CommandError(.no, "the key \(ByteNotation.print(key)) already exists; nothing was stored")
            }
            if let expected, try session.database.value(forKey: key) != expected {
                throw CommandError(
                    .no, "the key \(ByteNotation.print(key)) does not have the value of --if-equals; nothing was stored"
                )
            }
            if dryRun {
                let isNew = try session.reader.value(forKey: key) == nil
                let verb = isNew ? "insert a value under" : "replace the value of"
                return options.note("put: would \(verb) \(ByteNotation.print(key))")
            }
            try session.database.put(value, forKey: key, durability: sync ? .synced : .buffered)
        }
    }
}
