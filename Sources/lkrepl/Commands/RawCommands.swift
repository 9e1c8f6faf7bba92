import ArgumentParser
import LevelKit

/// Prints the value of one key.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a key. Exit code 1 if there is none.",
        discussion: "Example: lkrepl get app.db 'user/1'. For documents: lkrepl doc get.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key: plain, \"quoted\", 0x68 or b64:aA==.") var key: String
    @Flag(name: .long, help: "The bytes as they are, without a newline.") var raw = false

    func run() throws {
        let key = try RawArgument.bytes(key)
        try Session.with(database) { session in
            guard let value = try session.reader.value(forKey: key) else { throw CommandFailure.silent(.no) }
            let output = StandardOutput()
            try output.write(raw ? value : Array(ByteNotation.print(value).utf8) + [0x0a])
            try output.flush()
        }
    }
}

/// Stores one pair.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Store a value under a key.",
        discussion: "Example: lkrepl put --write app.db user/1 Ann. For documents: lkrepl doc put.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String
    @Argument(help: "The value, or - for standard input.") var value: String

    func run() throws {
        try options.requireWrite("put")
        let key = try RawArgument.bytes(key)
        let value = value == "-" ? try FileDescriptor.openForReading("-").readAll() : try RawArgument.bytes(value)
        try Session.with(database) { session in
            try RawArgument.refuseDocumentStore(session, "put")
            try session.database.put(value, forKey: key)
        }
    }
}

/// Deletes keys.
struct DelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "del", abstract: "Delete keys. Exit code 1 if one was not there.",
        discussion: "Example: lkrepl del --write app.db user/1. For documents: lkrepl doc del.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The keys.") var keys: [String]

    func run() throws {
        try options.requireWrite("del")
        let keys = try keys.map(RawArgument.bytes)
        try Session.with(database) { session in
            try RawArgument.refuseDocumentStore(session, "del")
            let found = try keys.count { try session.database.contains($0) }
            try session.database.write { batch in
                for key in keys { try batch.delete(key) }
            }
            if found < keys.count { throw CommandFailure.silent(.no) }
        }
    }
}

/// Prints pairs in the order of keys.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Print keys and values in order.",
        discussion: "Example: lkrepl scan app.db --prefix user/ --limit 10")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Option(name: .long, help: "How many at most.") var limit: Int?
    @Flag(name: .long, help: "The largest key first.") var reverse = false
    @Flag(name: .long, help: "Keys only, one a line.") var keys = false

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let range = try range.keyRange()
        try Session.with(database) { session in
            let writer = try options.writer()
            var cursor = try session.reader.cursor(in: range, reverse: reverse, fillsCache: false)
            while writer.rowCount < limit ?? .max, try cursor.advance() {
                try writer.write(key: cursor.key.copied(), value: keys ? nil : cursor.value.copied())
            }
            try writer.finish()
        }
    }
}

/// Counts keys.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count keys. For documents: lkrepl find --count.",
        discussion: "Example: lkrepl count app.db --prefix user/")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        let range = try range.keyRange()
        try Session.with(database) { session in
            var count = 0
            var cursor = try session.reader.cursor(in: range, reverse: false, fillsCache: false)
            while try cursor.advance() {
                try Interruption.check("\(HumanNumber.grouped(count)) keys")
                count += 1
            }
            let output = StandardOutput()
            try output.write("\(count)\n")
            try output.flush()
        }
    }
}
