import ArgumentParser
import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes the content of a database as text with checksums.
struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump", abstract: "Write all content as JSON Lines that load can restore.",
        discussion: """
            Example: lkrepl dump photos.store -o photos.lkd.jsonl
            The same content gives the same bytes. load rejects a dump that was truncated or changed. Indexes are not \
            included; load rebuilds them. Neither are former versions of documents: a loaded store begins a new \
            history. Documents of replicated collections have their revisions, so that a loaded store has the same \
            versions and conflicts. --since writes the changes of a document store after a commit, including \
            deletions. Attached files are in the dump, in parts before the first document that refers to them; \
            --attachments DIR writes them as DIR/ab/SHA-256 instead, and none omits them. With --on-error skip, \
            missing and damaged ones are listed and left out, and the exit code is 65; load --on-error skip accepts \
            such a dump, and needs the files for their documents from --attachments-from. Other formats, \
            for plain databases: mdb (mdb_load), bdb (db_load), ldb (ldb load --hex), resp \
            (redis-cli --pipe).
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Option(name: .shortAndLong, help: "Write to this file instead of standard output.") var output: String?
    @Flag(name: .long, help: "Overwrite an existing file.") var force = false
    @Option(name: .long, help: "Set the format: jsonl, mdb, bdb, ldb or resp.") var format = "jsonl"
    @Option(name: .long, help: "Write only these collections, separated by commas.") var only: String?
    @Option(name: .long, help: "Write the changes after this commit of a document store.") var since: UInt64?
    @Flag(
        name: [.long, .customLong("with-index")], help: "Write the raw keys of a document store, including indexes.")
    var raw = false
    @Option(name: .long, help: "Write attached files to this directory instead of the dump, or none to omit them.")
    var attachments: String?
    @Option(name: .long, help: "Stop at attached files that cannot be read, or leave them out: stop or skip.")
    var onError = "stop"
    @Flag(name: .long, help: "Write JSON values as objects if that is lossless.") var jsonValues =
        false
    @Flag(name: .long, help: "Record the source and the time of the dump in its header.") var stamp = false
    @Option(name: .long, help: "Set the longest line in bytes, such as 64M.") var maxLine = ByteCountArgument(
        DumpRecord.maximumLineByteCount)

    func validate() throws {
        guard maxLine.value >= 1024, maxLine.value <= 1 << 30 else {
            throw ValidationError("--max-line must be from 1024 to 1073741824")
        }
        guard ["stop", "skip"].contains(onError) else { throw ValidationError("--on-error must be stop or skip") }
    }

    func run() throws {
        let format = try PairFormat(named: format)
        let range = try range.keyRange(KeyView(), options)
        let file = try output.map { try ArgumentOrigin.current.text(of: $0) }
        try Session.with(database, options) { session in
            let progress = try options.reporter("dump", unit: .items("records"))
            defer { progress.finish() }
            let start = ContinuousClock.now
            var count = 0
            var warning: String?
            let omitted = OmittedContents("dump", onError: onError)
            try NewFile.write(file, replacing: force) { output in
                output.terminalForm = format == .jsonl ? .json : .plain
                (count, warning) = try dump(session, format, range, to: output, omitted, progress)
            }
            progress.finish()
            let place = file.map { $0 == "-" ? "" : " in \($0)" } ?? ""
            options.note("dump: \(HumanNumber.counted(count, "record"))\(place), \(start.secondsText)")
            if let advice = NewFile.packingAdvice(file) { options.note(advice) }
            if let warning { options.note("dump: \(warning)") }
            try omitted?.finish()
        }
    }

    private func dump(
        _ session: Session, _ format: PairFormat, _ range: KeyRange, to output: StandardOutput,
        _ omitted: OmittedContents?, _ progress: ProgressReporter
    ) throws -> (count: Int, warning: String?) {
        if try session.isDocumentStore(), !raw {
            guard format == .jsonl, range == .all, !jsonValues else {
                throw CommandError(
                    .usage,
                    "\(database) is a document store, which can be dumped only as jsonl and without a key range",
                    hint: "use --raw for its stored keys, or export for csv, tsv or json")
            }
            let writer = DumpWriter(output, maximumLineByteCount: maxLine.value)
            let store = try session.store()
            let dump = DocumentDump(
                store: store, only: try only.map { try ArgumentOrigin.current.text(of: $0) },
                stamp: headerStamp(session), files: try contentFiles(), omitsContents: attachments == "none",
                omitted: omitted)
            let count = try dump.write(writer, since: since, output: output, progress)
            return (count, try unreferencedWarning(store))
        }
        if try session.isDocumentStore() {
            try dumpFiles(of: session, omitted)
        } else if attachments != nil {
            throw CommandError(
                .usage, "--attachments needs a document store, but \(database) is a plain database",
                hint: "omit it")
        }
        guard since == nil, only == nil else {
            throw CommandError(
                .usage, "--since and --only need a document store, but \(database) is a plain database",
                hint: "omit them")
        }
        return try dumpPairs(session, format, range, to: output, progress)
    }

    private func dumpPairs(
        _ session: Session, _ format: PairFormat, _ range: KeyRange, to output: StandardOutput,
        _ progress: ProgressReporter
    ) throws -> (count: Int, warning: String?) {
        // A cursor reads a consistent state of the database, as a snapshot does.
        var cursor = try session.database.cursor(in: range, cache: .bypass)
        guard format == .jsonl else {
            var writer = PairFormatWriter(format, output)
            try writer.begin(byteCount: FileDescriptor.directoryByteCount(session.database.path).bytes)
            while try cursor.advance() {
                try writer.write(key: cursor.key, value: cursor.value)
                try step(writer.recordCount, progress)
            }
            try writer.finish()
            return (writer.recordCount, writer.warning)
        }
        var writer = DumpWriter(output, maximumLineByteCount: maxLine.value)
        try writer.write(
            .header(
                DumpHeader(
                    content: .raw, comparator: session.database.order.name, range: range, stamp: headerStamp(session))))
        do {
            while try cursor.advance() {
                if jsonValues {
                    try writer.write(key: cursor.key, jsonValue: cursor.value)
                } else {
                    try writer.write(key: cursor.key, value: cursor.value)
                }
                try step(writer.recordCount, progress)
            }
        } catch  where Interruption.isRequested {
            // Tell the reader of a pipe that the dump is incomplete.
            try? writer.finish(isComplete: false)
            throw error
        }
        try writer.finish()
        return (writer.recordCount, nil)
    }

    private func contentFiles() throws -> ContentFiles? {
        guard let attachments, attachments != "none" else { return nil }
        return try ContentFiles(creating: ArgumentOrigin.current.text(of: attachments))
    }

    /// A note on attachments that are not in the dump because no document refers to them; `nil` if there are none.
    private func unreferencedWarning(_ store: DocumentStore) throws -> String? {
        let count = since == nil && only == nil ? try store.attachments.census().unreferencedCount : 0
        guard count > 0 else { return nil }
        return "left out \(HumanNumber.counted(count, "attached file")) that no document refers to"
    }

    /// Writes the files of attachments next to a dump of raw keys, which contains only the attachments in the database.
    private func dumpFiles(of session: Session, _ omitted: OmittedContents?) throws {
        let all = try session.store().attachments
        let fileCount = try all.census().fileCount
        guard fileCount > 0, attachments != "none" else { return }
        guard let files = try contentFiles() else {
            throw CommandError(
                .usage,
                "\(database) has \(HumanNumber.counted(fileCount, "attached file")) outside the database, which a dump "
                    + "of raw keys does not contain",
                hint:
                    "use snapshot, or dump without --raw; --attachments DIR writes the files to DIR, and --attachments "
                    + "none omits them")
        }
        try all.forEachContent { info in
            guard info.isFile, let attachment = Attachment(digest: info.digest, byteCount: info.byteCount) else {
                return
            }
            _ = try OmittedContents.skipping(omitted, attachment) { try files.write(attachment, from: all) }
        }
    }

    private func step(_ count: Int, _ progress: ProgressReporter) throws {
        guard count & 255 == 0 else { return }
        try Interruption.check(HumanNumber.counted(count, "record"))
        progress.advance(done: count)
    }

    /// The current time in milliseconds since 1970.
    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The members that `--stamp` adds to the header. Empty without it, so that equal databases have equal dumps.
    private func headerStamp(_ session: Session) -> DocumentObject {
        guard stamp else { return [:] }
        return [
            "id": DocumentID.generated().value, "created": .string(DocumentDate(utcMilliseconds: Self.now).iso8601),
            "source": .string(session.path),
        ]
    }
}
