import ArgumentParser
import DocIndex
import LevelKit

/// Checks a database.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read everything and check it. Exit code 65 if something is wrong.",
        discussion: """
            Example: lkrepl verify photos.store
            Of a document store, documents and indexes are checked against each other both ways.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try Session.with(database) { session in
            guard try session.isDocumentStore() else { return try verifyKeys(session) }
            let result = try session.store().verify()
            let writer = try options.writer()
            for problem in result.problems { try writer.write(["problem": .string(problem)]) }
            try writer.finish()
            let read = "\(result.documentCount) documents and \(result.entryCount) index entries"
            guard result.isSound else {
                throw CommandFailure(
                    .badData, "\(result.problemCount) problems in \(read)",
                    hint: "dump what is there and load it into a new store")
            }
            options.note("verify: \(read) agree")
        }
    }

    /// Of a plain database, every block is read and checked against its checksum.
    private func verifyKeys(_ session: Session) throws {
        var count = 0
        var cursor = try session.database.cursor(in: .all, reverse: false, fillsCache: false)
        while try cursor.advance() { count += 1 }
        options.note("verify: \(count) keys were read, every block has its checksum")
    }
}
