import ArgumentParser

/// Declares the key format of a database.
struct KeyfmtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyfmt", abstract: "Show, declare or remove the format in which keys are shown and typed.",
        discussion: """
            Example: lkrepl keyfmt app.db "'photo/' utf8 '/' u64be"
            Photo 42 of ann is then shown, and typed, as photo/ann/#42. Parts are literals in quotes, utf8, u8, u16be, \
            u32be, u64be (i for signed, le for little-endian), uuid and hex. The format is saved in the user's \
            configuration; the database is not changed.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The format, in one or more arguments. Default: show the current one.") var form: [String] =
        []
    @Flag(name: .long, help: "Remove the format.") var remove = false

    func validate() throws {
        guard !remove || form.isEmpty else { throw ValidationError("--remove and a format cannot be combined") }
    }

    func run() throws {
        guard FileDescriptor.isDirectory(database) else {
            throw CommandError(.noInput, "no database at \(database)", hint: "check the path")
        }
        var profiles = try KeyProfiles()
        if remove { return try profiles.set(nil, for: database) }
        guard form.isEmpty else {
            // Single arguments lose the quotes that protected the whole format from the shell; literals keep theirs.
            let text = form.count == 1 ? try ArgumentOrigin.current.text(of: form[0]) : form.joined(separator: " ")
            return try profiles.set(try KeyFormat(text), for: database)
        }
        guard let format = try profiles.format(of: database) else {
            throw CommandError(.no, "no key format is declared for \(database)")
        }
        let output = StandardOutput()
        output.terminalForm = .plain
        try output.write(format.source + "\n")
        try output.flush()
    }
}
