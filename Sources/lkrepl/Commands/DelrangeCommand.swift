import ArgumentParser
import DocIndex
import LevelKit

/// Deletes the keys of a range.
struct DelrangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delrange", abstract: "Count the keys of a range, and delete them after confirmation.",
        discussion: """
            Example: lkrepl delrange --write --yes app.db --prefix tmp/
            Compaction frees the space; see compact.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: [.customShort("n"), .long], help: "Show how many keys would be deleted, and delete none.") var dryRun =
        false

    func run() throws {
        guard range.isGiven else {
            throw CommandError(
                .usage, "delrange needs a range",
                hint: "--prefix '\"\"' means every key; destroy deletes a database")
        }
        if !dryRun { try options.requireWrite("delrange") }
        try Session.with(database, options) { session in
            try RawArgument.refuseDocumentStore(session, "delrange")
            let range = try range.keyRange(try view.view(of: session), options)
            let count = try count(range, in: session.database)
            let what = HumanNumber.counted(count, "key")
            guard !dryRun else { return options.note("delrange: would delete \(what)") }
            if count > 0 { try options.confirm("delete \(what) of \(session.path)") }
            let deleted = try delete(range, of: count, in: session.database)
            options.note("delrange: deleted \(HumanNumber.counted(deleted, "key"))")
        }
    }

    private func count(_ range: KeyRange, in database: Database) throws -> Int {
        let progress = try options.reporter("delrange: counting", unit: .items("keys"))
        defer { progress.finish() }
        var count = 0
        var cursor = try database.cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            if Interruption.isRequested {
                try Interruption.check("\(HumanNumber.counted(count, "key was", "keys were")) counted, none deleted")
            }
            count += 1
            if count % 256 == 0 { progress.advance(done: count) }
        }
        return count
    }

    /// Deletes the keys of a range in batches; ^C stops it between two batches.
    private func delete(_ range: KeyRange, of total: Int, in database: Database) throws -> Int {
        let progress = try options.reporter("delrange", unit: .items("keys"))
        defer { progress.finish() }
        return try database.deleteRange(range) { deleted in
            progress.advance(done: deleted, total: total)
            guard Interruption.isRequested else { return }
            var failure = Interruption.failure(
                "\(HumanNumber.grouped(deleted)) of \(HumanNumber.counted(total, "key")) deleted")
            failure.hint = "run the same command again to delete the rest"
            throw failure
        }
    }
}

extension Database {
    /// Deletes the keys that a range contains now, in batches.
    ///
    /// - Parameter step: Called every 64 keys with the number of deleted keys; an error that it throws stops the
    ///   deletion between two batches.
    /// - Returns: The number of deleted keys.
    func deleteRange(_ range: KeyRange, step: (_ deleted: Int) throws -> Void) throws -> Int {
        let batch = WriteBatch()
        var deleted = 0
        var pending = 0
        var cursor = try cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            if pending % 64 == 0 { try step(deleted) }
            try batch.delete(cursor.key.copied())
            pending += 1
            if batch.byteCount >= Self.deletionBatchByteCount {
                try write(batch)
                batch.removeAll()
                deleted += pending
                pending = 0
            }
        }
        try write(batch)
        return deleted + pending
    }

    /// The size of a deletion batch.
    private static var deletionBatchByteCount: Int { 1 << 20 }
}
