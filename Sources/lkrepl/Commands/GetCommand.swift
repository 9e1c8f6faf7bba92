import ArgumentParser
import DocIndex
import LevelKit

/// Prints the value of one key.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a key. Exit code 1 if it does not exist.",
        discussion: "Example: lkrepl get app.db 'user/1'. For documents, use lkrepl doc get.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key: plain, \"quoted\", 0x68 or b64:aA==.") var key: String
    @Flag(name: .long, help: "Print the bytes unchanged, without a newline.") var raw = false

    func run() throws {
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let key = try view.key(of: ProtectedArgument.plain(key))
            guard let value = try session.reader.value(forKey: key) else { throw CommandError.noKey(key, in: database) }
            let output = StandardOutput()
            try output.write(raw ? value : Array(view.text(ofValue: value).utf8) + [0x0a])
            try output.flush()
        }
    }
}

extension CommandError {
    /// The failure to find a key.
    static func noKey(_ key: [UInt8], in database: String) -> CommandError {
        CommandError(.no, "there is no key \(ByteNotation.print(key)) in \(database)")
    }

    /// The failure to find a document.
    ///
    /// - Parameter count: the number of documents that were not found.
    static func noDocument(_ id: String, in collection: String, of count: Int = 1) -> CommandError {
        let id = (try? ArgumentOrigin.current.text(of: ProtectedArgument.plain(id))) ?? id
        let more = count > 1 ? ", and \(HumanNumber.counted(count - 1, "more is", "more are")) missing" : ""
        return CommandError(.no, "there is no document \(id) in \(collection)\(more)")
    }
}
