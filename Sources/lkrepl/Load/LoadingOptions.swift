import ArgumentParser
import DocIndex
import LevelKit

/// The options of `load` and `import` for storing records.
struct LoadingOptions: ParsableArguments {
    @Option(name: .long, help: "Stop at bad records, or skip them: stop or skip.") var onError = "stop"
    @Option(name: .long, help: "Skip at most this many bad records.") var maxErrors: Int?
    @Option(name: .long, help: "Write rejected records to this file, one JSON object per line.") var rejects: String?
    @Flag(name: .long, help: "Read corrected records from a rejects file.") var fromRejects = false
    @Flag(name: [.long, .customShort("n")], help: "Check everything, and store nothing.") var dryRun = false
    @Option(name: .long, help: "Write this many records together. Default: 1000; 10 for pictures.") var batch: Int?
    @Option(name: .long, help: "Write at most this many bytes of input together, such as 64K or 1M.") var batchBytes =
        ByteCountArgument(1 << 20)
    @Option(name: .long, help: "Sync to disk after each batch, at the end, or never: batch, end or none.")
    var sync = "end"
    @Flag(name: .long, help: "Resume an interrupted run.") var resume = false
    @Flag(name: .long, help: "Start over after an interrupted run.") var restart = false
    @Option(
        name: .long,
        help: "Set the threads: 1 alternates between reading and storing, 2 does both at once. More bring nothing.")
    var jobs = 2
    @Option(name: .long, help: "Set the longest line in bytes, such as 64M.") var maxLine = ByteCountArgument(
        LineReader.usualMaximum)

    func validate() throws {
        guard batch ?? 1 >= 1, batchBytes.value >= 1 else {
            throw ValidationError("--batch and --batch-bytes must be 1 or more")
        }
        guard ["stop", "skip"].contains(onError) else { throw ValidationError("--on-error must be stop or skip") }
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs must be from 1 to 64") }
        guard maxErrors ?? 0 >= 0 else { throw ValidationError("--max-errors must be 0 or more") }
        guard Loader.Synchronization(rawValue: sync) != nil else {
            throw ValidationError("--sync must be batch, end or none")
        }
        guard maxLine.value >= 1024, maxLine.value <= 1 << 30 else {
            throw ValidationError("--max-line must be from 1K to 1G")
        }
        guard !resume || !restart else { throw ValidationError("--resume and --restart cannot be combined") }
        guard !resume || !fromRejects else {
            throw ValidationError("--from-rejects and --resume cannot be combined; load the whole file again")
        }
    }

    /// The load mode; `nil` if `--mode` does not specify one.
    ///
    /// - Parameter name: The value of `--mode`. In a shell it may be the output mode, which is ignored.
    func loadMode(_ name: String?) throws -> LoadMode? {
        guard let name, OutputMode(rawValue: name) == nil else { return nil }
        let mode = try LoadMode(named: name)
        guard mode != .replace || !resume else {
            throw CommandError(
                .usage, "--mode replace is all or nothing and cannot be resumed",
                hint: "omit --resume")
        }
        return mode
    }

    /// Whether `--mode` says what happens to records that exist.
    func choosesMode(_ name: String?) -> Bool { name.map { OutputMode(rawValue: $0) == nil } ?? false }

    /// Asks at a terminal before records may replace existing ones, unless `--mode` asks for that.
    func confirmReplacing(in place: String, count: Int, _ options: GlobalOptions) throws {
        guard count > 0, !dryRun, !resume else { return }
        try options.confirmAtTerminal(
            "replace those of the \(HumanNumber.counted(count, "document")) of \(place) that have an ID of the input")
    }

    /// The options for a loader.
    func loaderOptions(_ command: String, mode: LoadMode) throws -> Loader.Options {
        var settings = Loader.Options()
        settings.command = command
        settings.mode = mode
        settings.skipsBad = onError == "skip" || maxErrors != nil
        settings.maximumErrorCount = maxErrors ?? .max
        settings.batchCount = batch ?? settings.batchCount
        settings.batchByteCount = batchBytes.value
        settings.synchronization = dryRun ? .none : Loader.Synchronization(rawValue: sync) ?? .end
        settings.isAllOrNothing = mode == .replace
        settings.resumes = resume
        settings.restarts = restart
        return settings
    }

    /// Whether records are read ahead while others are stored.
    ///
    /// - Parameter byteCount: The size of the file; `nil` if it is not a regular one. A named pipe may block its reader
    ///   forever, so it is read on the storing thread.
    func readsAhead(_ file: String, byteCount: Int?) -> Bool { jobs > 1 && (byteCount != nil || file == "-") }

    /// The writer for the rejects file; `nil` if none is requested.
    func rejectWriter(besides file: String) throws -> RejectWriter? {
        guard let path = try rejects.map({ try ArgumentOrigin.current.text(of: $0) }) else { return nil }
        guard FileDescriptor.resolvingLinks(path) != FileDescriptor.resolvingLinks(file) else {
            throw CommandError(
                .usage, "\(path) is the input, which would be overwritten", hint: "choose another file for --rejects")
        }
        return try RejectWriter(path: path)
    }

    /// The command with which the user resumes after an interruption.
    static func resumeCommand(_ file: String) -> String {
        if file == "-" { return "the same command with --resume, and the same input from its beginning" }
        if Session.shell != nil { return "the same command with --resume" }
        var words = CommandLine.arguments.dropFirst().filter { $0 != "--restart" }.map(ShellWord.quoted)
        if !words.contains("--resume") { words.append("--resume") }
        return (["lkrepl"] + words).joined(separator: " ")
    }
}
