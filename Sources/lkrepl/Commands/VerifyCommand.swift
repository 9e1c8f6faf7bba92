import ArgumentParser
import DocIndex
import LevelFiles
import LevelKit
import StorePackages

/// Checks a database.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read and check everything. Exit code 65 if a problem is found.",
        discussion: """
            Example: lkrepl verify photos.store --deep
            The files are checked first, without opening the database: CURRENT, the manifest, the size and end of each \
            table, and whether a forged block would abort LevelDB; with --deep every block and its checksum, the order \
            of the keys in and between tables, the filters and the logs. Then everything is read through LevelDB, and \
            the documents and indexes of a document store are checked against each other. Each problem is a row that \
            names the place: the file, or for a document store the collection, the index, the document's ID and row, \
            and the key as get accepts it. Duplicate values that are older than their unique index are separate rows \
            and not problems of the store. For attached files, the sizes and the counts of references are checked; \
            with --full their digests too. A store's first 100 problems are listed, with --all all of them.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Check every block of every file, including old versions and logs.") var deep = false
    @Flag(name: .long, help: "Read each attached file and check its digest.") var full = false

    func run() throws {
        if !Package.isPackage(at: database) { try checkFiles() }
        try Session.with(database, options) { session in
            if let package = session.package { try verify(package) }
            guard try session.isDocumentStore() else { return try verifyKeys(session) }
            let result = try readableVerification(of: session)
            let writer = try FindingWriter(options, session)
            for finding in result.findings { try writer.write(finding) }
            for violation in result.uniqueViolations { try writer.write(violation) }
            try writer.finish()
            noteLimit(result.findings.count, of: result.problemCount, "; --all lists them")
            let size = HumanNumber.byteCount(Int(clamping: result.attachmentByteCount))
            let attached =
                result.attachmentCount == 0
                ? "" : ", \(AttachCommand.count(result.attachmentCount)) attached (\(size))"
            let read =
                HumanNumber.counted(result.documentCount, "document") + " and "
                + HumanNumber.counted(result.entryCount, "index entry", "index entries") + attached
            guard result.isSound else {
                throw CommandError(
                    .badData, "\(HumanNumber.counted(result.problemCount, "problem")) in \(read)",
                    hint: Remedy.of(result, at: database))
            }
            options.note("verify: \(read) agree")
            if !result.uniqueViolations.isEmpty {
                options.note(
                    "verify: "
                        + HumanNumber.counted(result.uniqueViolations.count, "value occurs", "values occur")
                        + " in several documents although the index is unique; the documents are older than the index. "
                        + "Change or delete some until no value remains")
            }
        }
    }

    /// Checks a store. If the storage is unreadable, the error includes advice on recovering it.
    private func readableVerification(of session: Session) throws -> Verification {
        do {
            return try options.verification(of: session, label: "verify", attachments: full ? .full : .sizes)
        } catch let error as LevelError where error.code == .corruption {
            throw CommandError(.badData, error.description, hint: Remedy.ofDamage(database))
        }
    }

    /// Checks every file of a package.
    private func verify(_ package: Package) throws {
        let progress = try options.reporter("verify", unit: .items("files"))
        defer { progress.finish() }
        try package.verify { done, total in
            try Interruption.check(HumanNumber.counted(done, "file"))
            progress.advance(done: done, total: total)
        }
        progress.finish()
        options.note("verify: every file of the package matches its digest")
    }

    // MARK: - Files

    /// Checks the files. Throws if it finds a problem, since opening the database would change the files.
    private func checkFiles() throws {
        let (check, findings) = try stableCheck()
        if check.problems.isEmpty, findings.isEmpty {
            guard deep else { return }
            var text = "verify: \(HumanNumber.counted(check.tableCount, "table")) with "
            text += "\(HumanNumber.counted(check.blockCount, "block")) and "
            text += "\(HumanNumber.counted(Int(clamping: check.entryCount), "entry", "entries")), "
            text += "\(HumanNumber.counted(check.logCount, "log")) with "
            text += "\(HumanNumber.counted(Int(clamping: check.operationCount), "operation")) are sound"
            if check.tornByteCount > 0 {
                let torn = Int(clamping: check.tornByteCount)
                text +=
                    "; "
                    + HumanNumber.counted(torn, "byte of an incomplete write is", "bytes of an incomplete write are")
                text += " at the end of a log"
            }
            return options.note(text)
        }
        let writer = try options.writer()
        for finding in findings {
            try writer.write([
                "problem": .string(finding.explanation), "advice": .string(finding.advice),
                "finding": .string(finding.finding.rawValue),
            ])
        }
        for problem in check.problems {
            var row: DocumentObject = ["problem": .string(problem.reason), "file": .string(problem.file)]
            if let offset = problem.offset { row["byte"] = .int(Int64(clamping: offset)) }
            try writer.write(row)
        }
        try writer.finish()
        noteLimit(check.problems.count, of: check.problemCount)
        throw CommandError(
            .badData,
            "\(HumanNumber.counted(check.problemCount + findings.count, "problem")) in the files of \(database)",
            hint: Remedy.of(check, findings, at: database))
    }

    /// Notes that not all problems are listed.
    private func noteLimit(_ shown: Int, of count: Int, _ advice: String = "", isCutShort: Bool = false) {
        guard count > shown || isCutShort else { return }
        options.note(
            "verify: \(HumanNumber.counted(shown, "problem is", "problems are")) listed; "
                + (isCutShort ? "there may be more" : "\(HumanNumber.grouped(count)) were found\(advice)"))
    }

    /// Checks the files until two checks agree, since another process may be changing them.
    private func stableCheck() throws -> (FileCheck, [Diagnosis]) {
        var last: (FileCheck, [Diagnosis])?
        for _ in 0..<5 {
            let inspected = try InspectedFiles(at: database)
            let files = inspected.files
            let depth: FileCheck.Depth = deep ? .everything : .safety
            let check = try AbandonableWork.run("the check of the files") { FileCheck(files, depth: depth) }
            let found = (check, Diagnosis.findings(in: files))
            if found.0.problems.isEmpty, found.1.isEmpty { return found }
            if let last, last.0.problems == found.0.problems, last.1 == found.1 { return found }
            last = found
        }
        throw CommandError(
            .temporaryFailure, "the files of \(database) change faster than they can be checked", hint: "try again")
    }

    // MARK: - Keys

    /// Reads every block of a plain database and verifies its checksum.
    private func verifyKeys(_ session: Session) throws {
        if let count = try soundKeyCount(session) {
            try options.writer().finish(tellsOfNothing: false)
            return noteSound(count)
        }
        // Something is wrong: LevelKit locates the problems and continues after them.
        let database = session.database
        let report = try AbandonableWork.run("the search for damage") { Result { try database.verify() } }
            .get()
        let writer = try options.writer()
        for problem in report.problems {
            try writer.write(["problem": .string(problem.description), "finding": .string(problem.kind.rawValue)])
        }
        try writer.finish()
        guard !report.isSound else {
            return noteSound(Int(clamping: report.keyCount))
        }
        let isCutShort = report.problemCount >= Database.VerificationReport.problemLimit
        noteLimit(report.problems.count, of: report.problemCount, isCutShort: isCutShort)
        let isMerged = report.problems.allSatisfy { $0.kind == .version }
        throw CommandError(
            .badData,
            "\(isCutShort ? "at least " : "")\(HumanNumber.counted(report.problemCount, "problem")) in \(session.path)",
            hint: isMerged
                ? "\"\(Remedy.compact(self.database))\" merges all versions; then run verify again"
                : Remedy.ofDamage(self.database))
    }

    private func noteSound(_ count: Int) {
        let keys = HumanNumber.counted(count, "key was", "keys were")
        options.note("verify: \(keys) read, and every block matches its checksum")
    }

    /// The number of keys if all are readable and in order; otherwise `nil`.
    private func soundKeyCount(_ session: Session) throws -> Int? {
        let progress = try options.reporter("verify", unit: .items("keys"))
        defer { progress.finish() }
        let isBytewise = session.database.order.name == KeyOrder.bytewise.name
        var count = 0
        var last: [UInt8] = []
        do {
            var cursor = try session.database.cursor(in: .all, cache: .bypass)
            while try cursor.advance() {
                let key = cursor.key
                if isBytewise, count > 0, !Self.precedes(last.span, key) { return nil }
                last.removeAll(keepingCapacity: true)
                unsafe key.withUnsafeBufferPointer { unsafe last.append(contentsOf: $0) }
                // Reads the value, and with it all of its blocks.
                _ = cursor.value.count
                count += 1
                if count % 256 == 0 {
                    try Interruption.check("\(HumanNumber.counted(count, "key")), no problems")
                    progress.advance(done: count)
                }
            }
            return count
        } catch let error as LevelError where error.code == .corruption || error.code == .io {
            return nil
        }
    }
}

extension VerifyCommand {
    /// Whether a key precedes another one in bytewise order.
    private static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}

extension GlobalOptions {
    /// Verifies the session's document store, with progress, until done or ^C. With `--all`, describes every problem.
    func verification(
        of session: Session, label: String, attachments: Verification.AttachmentCheck = .sizes
    ) throws -> Verification {
        let progress = try reporter(label, unit: .items("documents"))
        defer { progress.finish() }
        let limit = all ? Int.max : Verification.problemLimit
        return try session.store().verify(attachments: attachments, problemLimit: limit) { step in
            try Interruption.check(
                "\(HumanNumber.grouped(step.documentCount)) of \(HumanNumber.grouped(step.totalDocumentCount)) "
                    + "documents, at \(step.subject)")
            progress.advance(done: step.documentCount, total: step.totalDocumentCount)
        }
    }
}
