import ArgumentParser
import LevelKit

/// Prints the pairs around a key.
struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Print the pairs around a key, which need not exist.",
        discussion: """
            Example: lkrepl seek app.db user/
            For exploring a database: prints the pairs before the key, the pair itself and the pairs after it, with op \
            <, = and >.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String
    @Option(name: .long, parsing: .unconditional, help: "Print this many pairs before the key.") var before = 3
    @Option(name: .long, parsing: .unconditional, help: "Print this many pairs after the key.") var after = 3

    func validate() throws {
        guard before >= 0, after >= 0 else { throw ValidationError("--before and --after must be 0 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let key = try view.key(of: ProtectedArgument.plain(key))
            let writer = try PairWriter(options, view: view, meaning: try KeyMeaning(of: session))
            var earlier: [(key: [UInt8], value: [UInt8])] = []
            if before > 0 {
                var cursor = try session.reader.cursor(
                    in: KeyRange(upper: .excluded(key)), direction: .descending, cache: .bypass)
                while earlier.count < before, try cursor.advance() {
                    earlier.append((cursor.key.copied(), cursor.value.copied()))
                }
            }
            for pair in earlier.reversed() { try writer.write(key: pair.key, value: pair.value, mark: "<") }
            var left = after
            var cursor = try session.reader.cursor(
                in: KeyRange(lower: .included(key)), cache: .bypass)
            while try cursor.advance() {
                let isSame = cursor.key.copied() == key
                guard isSame || left > 0 else { break }
                if !isSame { left -= 1 }
                try writer.write(key: cursor.key.copied(), value: cursor.value.copied(), mark: isSame ? "=" : ">")
            }
            try writer.finish()
        }
    }
}
