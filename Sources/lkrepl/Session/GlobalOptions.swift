import ArgumentParser
import LevelFiles

/// The options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .long, help: "Allow changes. Without this, no existing database is changed.")
    var write = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Set the output mode: table, line, jsonl, json, json-pretty, csv, tsv, keys, raw0, hexdump, count; or what "
                + "import and load do with existing records: upsert, insert, skip, replace, merge.",
            discussion: "Default: table on a terminal, otherwise jsonl."))
    var mode: String?

    @Flag(name: .long, help: "Use --mode json.")
    var json = false

    @Flag(name: .long, help: "Show all rows of a table, not only the first 40.")
    var all = false

    @Flag(name: [.short, .long], help: "Print only data and errors.")
    var quiet = false

    @Flag(
        name: [.short, .long], help: "Print the opened database, the plan and the time on standard error.")
    var verbose = false

    @Flag(name: [.customShort("y"), .long], help: "Answer yes to every question.")
    var yes = false

    @Flag(
        name: .long,
        help: ArgumentHelp("Ask no questions; refuse operations that need confirmation.", visibility: .hidden))
    var noInput = false

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Check every block before LevelDB reads it, for untrusted databases.",
            discussion: "Without it, a forged block can end the process. It reads all tables one more time."))
    var untrusted = false

    @Flag(name: .long, help: "Show long results on a terminal without a pager.")
    var noPager = false

    @Option(
        name: .long, help: "With --write: Wait this many seconds for a process that has the database open for writing.")
    var wait = 0.0

    @Option(name: .long, help: "Show progress on standard error: line, plain or none. Default: line on a terminal.")
    var progress: String?

    @Option(name: .long, help: ArgumentHelp("Use colors: auto, always or never.", visibility: .hidden))
    var color: String?

    @Flag(name: .long, help: ArgumentHelp("Use --color never.", visibility: .hidden))
    var noColor = false

    @Option(name: .long, help: ArgumentHelp("Report failures as text or json.", visibility: .hidden))
    var errorFormat: String?

    /// The requested output mode, or the default.
    func outputMode() throws -> OutputMode {
        if json { return .json }
        if let mode { return try OutputMode(named: mode) }
        return .standard(isTerminal: OutputTarget.current.isTerminal)
    }

    /// The requested progress style; `nil` for the default.
    func progressStyle() throws -> ProgressMeter.Style? {
        switch progress {
        case nil: nil
        case "line": .line
        case "plain": .plain
        case "none": ProgressMeter.Style.none
        case .some(let other):
            throw CommandError(.usage, "unknown progress style \(other)", hint: "use line, plain or none")
        }
    }

    /// Creates a progress reporter for one command.
    func reporter(_ label: String, unit: ProgressMeter.Unit) throws -> ProgressReporter {
        OpenOutputs.current?.tellItself()
        return ProgressReporter(
            label: label, unit: unit, style: try progressStyle(), isQuiet: quiet, width: Terminal.width(of: 2))
    }

    /// Creates a row writer in the requested output mode.
    ///
    /// - Parameters:
    ///   - notation: The notation for bytes in output for people.
    ///   - style: How a table shows the rows.
    func writer(
        columns: [String]? = nil, notation: ByteNotation.Form = .auto, style: TableStyle = TableStyle()
    ) throws -> ResultWriter {
        let progress = try progressStyle()
        let writer = ResultWriter(
            mode: try outputMode(), columns: columns, showsAllRows: all, notation: notation, style: style,
            isQuiet: quiet)
        writer.beginTicking(progress) {
            ProgressReporter(
                label: OpenOutputs.current?.command ?? "found", unit: .items("rows"), style: progress, isQuiet: quiet,
                width: Terminal.width(of: 2))
        }
        return writer
    }

    /// Throws a ``CommandError`` if changes are not allowed.
    func requireWrite(_ what: String) throws {
        try Session.requireFreedom(what)
        guard write else {
            throw CommandError(
                .noPermission, "\(what) changes the database, which is opened read-only",
                hint: Session.shell == nil ? "add --write" : "add --write, or type .write on")
        }
        Session.shell?.mayHaveWritten = true
    }

    /// Whether questions are answered in advance.
    var isConfirmed: Bool { yes || Session.shell?.settings.confirms == false }

    /// Asks for confirmation of an operation that cannot be undone; throws if nobody can answer.
    ///
    /// - Parameter question: The operation, without a question mark, such as `drop the index year`.
    func confirm(_ question: String) throws {
        if isConfirmed { return }
        guard !noInput, FileDescriptor.standardInput.isTerminal, StandardError.shared.isTerminal else {
            throw CommandError(.noPermission, "confirmation required: \(question)", hint: "add --yes to confirm")
        }
        OpenOutputs.current?.tellItself()
        // Earlier output may explain the question, so it is shown first.
        try? OutputTarget.current.pager?.finish()
        StandardError.shared.write("\(VisibleText.singleLine(question))? [y/N] ")
        // Larger than any terminal input line, so that no part of an answer remains for the next prompt.
        var answer = [UInt8](repeating: 0, count: 4096)
        var count = 0
        do throws(SystemError) {
            count = try FileDescriptor.standardInput.read(into: &answer)
        } catch {
            // ^C counts as an answer.
            guard error.isInterruption else { throw error }
            StandardError.shared.write("\n")
        }
        let words = String(decoding: answer[..<count], as: UTF8.self).lowercased().split(whereSeparator: \.isWhitespace)
        guard words == ["y"] || words == ["yes"] else {
            throw CommandError(.no, "not confirmed: \(question); nothing was done")
        }
    }

    /// Asks for confirmation if a person is at the terminal; scripts go on without.
    func confirmAtTerminal(_ question: String) throws {
        guard !noInput, FileDescriptor.standardInput.isTerminal, StandardError.shared.isTerminal else { return }
        try confirm(question)
    }

    /// Prints a note on standard error, unless `--quiet` is set.
    func note(_ text: String) {
        if !quiet { StandardError.shared.write(VisibleText.singleLine(text) + "\n") }
    }

    /// Prints a detail on standard error, if `--verbose` is set.
    func detail(_ text: @autoclosure () throws -> String) rethrows {
        if verbose { note(try text()) }
    }
}
