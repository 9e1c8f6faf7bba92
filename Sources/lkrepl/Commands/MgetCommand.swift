import ArgumentParser
import LevelKit

/// Prints the values of several keys.
struct MgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mget", abstract: "Print several pairs. Exit code 1 if a key does not exist.",
        discussion: """
            Example: lkrepl mget app.db user/1
            With - the keys are read from standard input, one per line, in the notation in which keys are printed.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The keys, or - for standard input.") var keys: [String]

    func run() throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let writer = try options.writer(notation: view.form)
            var missed: [[UInt8]] = []
            let print = { (key: [UInt8]) in
                try Interruption.check()
                if let value = try session.reader.value(forKey: key) {
                    try writer.write(key: key, value: value)
                } else {
                    missed.append(key)
                }
            }
            if keys == ["-"] {
                var reader = LineReader(descriptor: try FileDescriptor.openForReading("-"))
                while let line = try RawArgument.nextLine(&reader, of: "standard input") {
                    guard !line.bytes.isEmpty else { continue }
                    do {
                        try print(view.key(of: line.bytes))
                    } catch let error as NotationError {
                        throw CommandError(.badData, "\(error)").within("standard input:\(line.number)")
                    }
                }
            } else {
                for key in keys { try print(view.key(of: ProtectedArgument.plain(key))) }
            }
            try writer.finish(tellsOfNothing: false)
            if missed.count == 1 { throw CommandError.noKey(missed[0], in: database) }
            guard missed.isEmpty else {
                throw CommandError(
                    .no, "\(missed.count) keys are not in \(database), the first one \(ByteNotation.print(missed[0]))")
            }
        }
    }
}
