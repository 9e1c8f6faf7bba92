import ArgumentParser
import DocIndex
import LevelKit

/// Puts the documents of a file into a collection.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import documents from JSON Lines or a JSON array.",
        discussion: """
            Example: lkrepl import --write photos.store photos photos.jsonl
            Documents with an id that exists replace the old ones. Pictures: exiftool -json -n -G1 -struct -r DIR |
            lkrepl import --write photos.store photos - (with "id": "SourceFile" in the schema).
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The file, or - for standard input.") var file: String
    @Option(name: .long, help: "jsonl or json. Told by the first byte if not given.") var format: String?
    @Option(name: .long, help: "Documents written together.") var batch = 1000
    @Option(name: .long, help: "What a bad document does: stop or skip.") var onError = "stop"
    @Flag(name: .long, help: "Print how many documents are stored after each batch.") var acknowledge = false

    func validate() throws {
        guard batch >= 1 else { throw ValidationError("--batch must be 1 or more") }
        guard ["stop", "skip"].contains(onError) else { throw ValidationError("--on-error must be stop or skip") }
    }

    func run() throws {
        try options.requireWrite("import")
        let format = try self.format.map { try DocumentSource.Format(named: $0) }
        let name = try ArgumentOrigin.current.text(of: file)
        let descriptor = try FileDescriptor.openForReading(name)
        try Session.with(database) { session in
            let importer = Importer(
                store: try session.store(), collection: try session.collection(collection).name,
                fileName: name == "-" ? "standard input" : name, batchCount: batch,
                skipsBad: onError == "skip", acknowledges: acknowledge)
            let source = DocumentSource(
                descriptor: descriptor, name: name == "-" ? "standard input" : name, format: format)
            try importer.run(
                source, byteCount: descriptor.byteCount, progress: try options.reporter("import", unit: .bytes),
                note: options.note)
        }
    }
}

/// Writes documents in batches, each of them all or nothing.
private final class Importer {
    private let store: DocumentStore
    private let collection: String
    private let batchCount: Int
    private let skipsBad: Bool
    private let acknowledges: Bool
    private let fileName: String
    private let output = StandardOutput()
    private var pending: [(document: DocumentObject, line: Int)] = []
    private var pendingByteCount = 0
    private var storedCount = 0
    private var badCount = 0

    /// A batch is written at this size even if it has fewer documents, so that memory stays bounded.
    private static let batchByteCount = 8 << 20
    /// Bad documents that are told of one by one.
    private static let toldCount = 20

    init(
        store: DocumentStore, collection: String, fileName: String, batchCount: Int, skipsBad: Bool, acknowledges: Bool
    ) {
        self.fileName = fileName
        self.store = store
        self.collection = collection
        self.batchCount = batchCount
        self.skipsBad = skipsBad
        self.acknowledges = acknowledges
    }

    func run(
        _ source: consuming DocumentSource, byteCount: Int?, progress: ProgressReporter, note: (String) -> Void
    ) throws {
        let start = ContinuousClock.now
        var consumed = 0
        while let item = try next(&source) {
            switch item.document {
            case .success(let document):
                pendingByteCount += source.byteCount - consumed
                consumed = source.byteCount
                pending.append((document, item.line))
                if pending.count >= batchCount || pendingByteCount >= Self.batchByteCount { try writePending() }
            case .failure(let failure):
                guard item.mayContinue else {
                    try writePending()
                    throw stopped(failure)
                }
                try reject(failure)
            }
            progress.advance(done: source.byteCount, total: byteCount)
        }
        try writePending()
        try store.flush()
        progress.finish()
        try output.flush()
        let seconds =
            Double((ContinuousClock.now - start).components.attoseconds) / 1e18
            + Double((ContinuousClock.now - start).components.seconds)
        let rounded = (seconds * 100).rounded() / 100
        note("import: \(storedCount) documents in \(rounded) s" + (badCount > 0 ? ", \(badCount) rejected" : ""))
        if badCount > 0 { throw CommandFailure.silent(.badData) }
    }

    /// The next document; where reading fails, what was read before is stored first.
    private func next(_ source: inout DocumentSource) throws -> DocumentSource.Item? {
        do {
            return try source.next()
        } catch {
            try writePending()
            throw stopped(CommandFailure(error))
        }
    }

    /// Tells of a document that cannot be stored; stops there unless bad ones are skipped.
    private func reject(_ failure: CommandFailure) throws {
        guard skipsBad else {
            // What came before it is sound, and stays.
            try writePending()
            throw stopped(failure)
        }
        badCount += 1
        if badCount <= Self.toldCount, let text = failure.text { StandardError.shared.write(text) }
    }

    private func stopped(_ failure: CommandFailure) -> CommandFailure {
        var failure = failure
        failure.hint =
            "\(storedCount) documents before it are stored; mend it and run again"
            + (skipsBad ? "" : ", or use --on-error skip")
        return failure
    }

    private func writePending() throws {
        defer {
            pending = []
            pendingByteCount = 0
        }
        guard !pending.isEmpty else { return }
        var bad: [CommandFailure] = []
        var written = 0
        let idField = try store.collection(collection).definition.idField
        try store.write { transaction in
            for (document, line) in pending {
                do {
                    // With a new id each time, the same file would be imported again and again.
                    guard document[idField] != nil else {
                        throw DocIndexError(
                            .invalidID,
                            "the document has no member \(idField), which holds the id in \(collection)")
                    }
                    try transaction.put(document, in: collection)
                    written += 1
                } catch let error as DocIndexError where error.code == .invalidID {
                    bad.append(CommandFailure(.badData, "\(fileName):\(line): \(error.message)"))
                    if !skipsBad { break }
                }
            }
        }
        storedCount += written
        if acknowledges {
            try output.write("\(storedCount)\n")
            try output.flush()
        }
        for failure in bad {
            guard skipsBad else { throw stopped(failure) }
            try reject(failure)
        }
    }
}
