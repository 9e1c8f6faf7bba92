import ArgumentParser

/// The options that every command takes, before or behind its name.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .long, help: "Allow changes. Without it nothing is written or locked.")
    var write = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The form of the output: table, line, jsonl, json, json-pretty, csv, tsv, keys, raw0, hexdump, count.",
            discussion: "A table on a terminal and jsonl elsewhere if not given."))
    var mode: String?

    @Flag(name: .long, help: "The same as --mode json.")
    var json = false

    @Flag(name: .long, help: "Show all rows of a table, not only the first 40.")
    var all = false

    @Flag(name: [.short, .long], help: "Say nothing but data and errors.")
    var quiet = false

    @Flag(
        name: [.short, .long], help: "Tell on standard error what was opened, which plan was used, how long it took.")
    var verbose = false

    @Flag(name: [.customShort("y"), .long], help: "Answer every question with yes.")
    var yes = false

    @Flag(name: .long, help: ArgumentHelp("Ask nothing; what would be asked is refused.", visibility: .hidden))
    var noInput = false

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Check every block before LevelDB reads it; for a database that somebody else made.",
            discussion: "Some forged blocks would abort LevelDB. Reads all tables once more."))
    var untrusted = false

    @Flag(name: .long, help: "Show long results on a terminal without a pager.")
    var noPager = false

    @Option(name: .long, help: "With --write: seconds to wait for a process that has the database open for writing.")
    var wait = 0.0

    @Option(name: .long, help: "Progress on standard error: line, plain or none. A line on a terminal if not given.")
    var progress: String?

    @Option(name: .long, help: ArgumentHelp("Colours: auto, always or never.", visibility: .hidden))
    var color: String?

    @Flag(name: .long, help: ArgumentHelp("The same as --color never.", visibility: .hidden))
    var noColor = false

    @Option(name: .long, help: ArgumentHelp("How failures are told: text or json.", visibility: .hidden))
    var errorFormat: String?

    /// The form of the output that was asked for, or the usual one.
    func outputMode() throws -> OutputMode {
        if json { return .json }
        if let mode { return try OutputMode(named: mode) }
        return .standard(isTerminal: OutputTarget.current.isTerminal)
    }

    /// The progress that was asked for; `nil` for the usual one.
    func progressStyle() throws -> ProgressMeter.Style? {
        switch progress {
        case nil: nil
        case "line": .line
        case "plain": .plain
        case "none": ProgressMeter.Style.none
        case .some(let other):
            throw CommandFailure(.usage, "there is no progress \(other)", hint: "use line, plain or none")
        }
    }

    /// A reporter of progress for one command.
    func reporter(_ label: String, unit: ProgressMeter.Unit) throws -> ProgressReporter {
        OpenOutputs.current?.tellItself()
        return ProgressReporter(
            label: label, unit: unit, style: try progressStyle(), isQuiet: quiet, width: Terminal.width(of: 2))
    }

    /// A writer of rows in the form that was asked for.
    ///
    /// - Parameter notation: how bytes are spelt where they are shown to people.
    func writer(columns: [String]? = nil, notation: ByteNotation.Form = .auto) throws -> ResultWriter {
        let style = try progressStyle()
        let writer = ResultWriter(mode: try outputMode(), columns: columns, showsAllRows: all, notation: notation)
        writer.beginTicking(style) {
            ProgressReporter(
                label: OpenOutputs.current?.command ?? "found", unit: .items("rows"), style: style, isQuiet: quiet,
                width: Terminal.width(of: 2))
        }
        return writer
    }

    /// Refuses to go on where changes were not allowed.
    func requireWrite(_ what: String) throws {
        guard write else {
            throw CommandFailure(
                .noPermission, "\(what) changes the database, which is opened read-only",
                hint: Session.shell == nil ? "add --write" : "add --write, or type .write on")
        }
        Session.shell?.mayHaveWritten = true
    }

    /// Asks before something that cannot be taken back, and refuses where nobody can answer.
    ///
    /// - Parameter question: What would be done, without a question mark, such as `drop the index year`.
    func confirm(_ question: String) throws {
        if yes || Session.shell?.settings.confirms == false { return }
        guard !noInput, FileDescriptor.standardInput.isTerminal, StandardError.shared.isTerminal else {
            throw CommandFailure(.noPermission, "confirmation required: \(question)", hint: "add --yes to confirm")
        }
        OpenOutputs.current?.tellItself()
        // What was printed so far says what the question is about.
        try? OutputTarget.current.pager?.finish()
        StandardError.shared.write("\(VisibleText.singleLine(question))? [y/N] ")
        // No terminal gives more of a line than this, so that nothing of an answer is left for the next prompt.
        var answer = [UInt8](repeating: 0, count: 4096)
        var count = 0
        do throws(SystemError) {
            count = try FileDescriptor.standardInput.read(into: &answer)
        } catch {
            // ^C is an answer.
            guard error.isInterruption else { throw error }
            StandardError.shared.write("\n")
        }
        let words = String(decoding: answer[..<count], as: UTF8.self).lowercased().split(whereSeparator: \.isWhitespace)
        guard words == ["y"] || words == ["yes"] else {
            throw CommandFailure(.no, "not confirmed: \(question); nothing was done")
        }
    }

    /// Tells how a command went, unless nothing is to be said.
    func note(_ text: String) {
        if !quiet { StandardError.shared.write(VisibleText.singleLine(text) + "\n") }
    }

    /// Tells how a command went about it, where that was asked for.
    func detail(_ text: @autoclosure () throws -> String) rethrows {
        if verbose { note(try text()) }
    }
}
