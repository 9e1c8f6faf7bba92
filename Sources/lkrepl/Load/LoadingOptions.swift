import ArgumentParser
import LevelKit

/// The options of `load` and `import` that say what becomes of the records.
struct LoadingOptions: ParsableArguments {
    @Option(name: .long, help: "What a bad record does: stop or skip.") var onError = "stop"
    @Option(name: .long, help: "How many bad records are passed over with --on-error skip.") var maxErrors: Int?
    @Option(name: .long, help: "A file for the records that were rejected, one JSON object a line.") var rejects:
        String?
    @Flag(name: .long, help: "The file is one of rejects, whose records were mended.") var fromRejects = false
    @Flag(name: [.long, .customShort("n")], help: "Check everything and store nothing.") var dryRun = false
    @Option(name: .long, help: "Records written together: 1000, of pictures 10, if not given.") var batch: Int?
    @Option(name: .long, help: "Bytes of input written together, at most, such as 64K or 1M.") var batchBytes =
        ByteCountArgument(1 << 20)
    @Option(name: .long, help: "What survives the loss of power: each batch, the whole at its end, or none.")
    var sync = "end"
    @Flag(name: .long, help: "Go on where an interrupted run was.") var resume = false
    @Flag(name: .long, help: "Begin anew after an interrupted run.") var restart = false
    @Option(
        name: .long, help: "Threads: 1 reads and stores by turns, 2 reads on while storing. More have nothing to do.")
    var jobs = 2
    @Option(name: .long, help: "The longest line, in bytes, such as 64M.") var maxLine = ByteCountArgument(
        LineReader.usualMaximum)

    func validate() throws {
        guard batch ?? 1 >= 1, batchBytes.value >= 1 else {
            throw ValidationError("--batch and --batch-bytes must be 1 or more")
        }
        guard ["stop", "skip"].contains(onError) else { throw ValidationError("--on-error must be stop or skip") }
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs is from 1 to 64") }
        guard maxErrors ?? 0 >= 0 else { throw ValidationError("--max-errors must be 0 or more") }
        guard Loader.Synchronization(rawValue: sync) != nil else {
            throw ValidationError("--sync must be batch, end or none")
        }
        guard maxLine.value >= 1024, maxLine.value <= 1 << 30 else {
            throw ValidationError("--max-line must be from 1K to 1G")
        }
        guard !resume || !restart else { throw ValidationError("--resume and --restart exclude each other") }
        guard !resume || !fromRejects else { throw ValidationError("--from-rejects cannot go on: give the file again") }
    }

    /// What becomes of a record that is there already; `nil` where `--mode` does not say.
    ///
    /// - Parameter name: what `--mode` says. A shell gives it the form of its output, which means nothing here.
    func loadMode(_ name: String?) throws -> LoadMode? {
        guard let name, OutputMode(rawValue: name) == nil else { return nil }
        let mode = try LoadMode(named: name)
        guard mode != .replace || !resume else {
            throw CommandFailure(
                .usage, "--mode replace replaces all or nothing, so there is nothing to go on with",
                hint: "leave out --resume")
        }
        return mode
    }

    /// The options of a loader.
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

    /// Whether records of a file are read while others are stored.
    ///
    /// - Parameter byteCount: the size of the file; `nil` if it is no regular one. A pipe with a name may keep a reader for
    ///   ever, so it is read by whoever stores.
    func readsAhead(_ file: String, byteCount: Int?) -> Bool { jobs > 1 && (byteCount != nil || file == "-") }

    /// The file of rejects; `nil` if none is wanted.
    func rejectWriter(besides file: String) throws -> RejectWriter? {
        guard let path = try rejects.map({ try ArgumentOrigin.current.text(of: $0) }) else { return nil }
        guard FileDescriptor.resolvingLinks(path) != FileDescriptor.resolvingLinks(file) else {
            throw CommandFailure(
                .usage, "\(path) is the file that is read, and would be emptied", hint: "name another with --rejects")
        }
        return try RejectWriter(path: path)
    }

    /// How the user goes on after an interruption.
    static func resumeCommand(_ file: String) -> String {
        if file == "-" { return "the same command with --resume, and the same input from its beginning" }
        if Session.shell != nil { return "the same command with --resume" }
        var words = CommandLine.arguments.dropFirst().filter { $0 != "--restart" }.map(ShellWord.quoted)
        if !words.contains("--resume") { words.append("--resume") }
        return (["lkrepl"] + words).joined(separator: " ")
    }
}
