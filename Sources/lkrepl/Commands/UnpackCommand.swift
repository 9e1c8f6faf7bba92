import ArgumentParser
import DocIndex
import LevelKit
import StorePackages

/// Adds the documents of a package to a store.
struct UnpackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack", abstract: "Add the documents of a package and their attached files to a store.",
        discussion: """
            Example: lkrepl unpack --write photos.store best.lkpack.zip
            lkrepl unpack --write best.lkpack.zip --into photos.store does the same. First the whole package is \
            verified, and nothing is stored if it is damaged. --if says what happens to a document whose ID already \
            exists with different content: absent keeps the one of the store, replace takes that of the package and \
            carries out deletions, keep-both stores the one of the package under an ID of its own. A collection that \
            the store does not have is created. Documents are left out if the content of an attached file is neither in \
            the package nor in the store, or if another document has their value in a unique index. Each is a row with \
            the reason, and the exit code is 65, even with --dry-run. Unpacking again adds nothing twice, so that an \
            interrupted run can be repeated.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store; with --into, the package.") var database: String
    @Argument(help: "The package.") var package: String?
    @Option(name: .long, help: "The store, if only the package comes before.") var into: String?
    @Option(name: .customLong("if"), help: "Decide about documents that exist: absent, replace or keep-both.")
    var policy = "absent"
    @Flag(name: [.customShort("n"), .long], help: "Show what would be stored, and store nothing.") var dryRun = false

    func validate() throws {
        guard Package.MergePolicy(rawValue: policy) != nil else {
            throw ValidationError("--if must be absent, replace or keep-both")
        }
        guard package != nil || into != nil else {
            throw ValidationError("specify a store and a package, or a package and --into STORE")
        }
        guard package == nil || into == nil else {
            throw ValidationError("specify the store once, as the first argument or with --into")
        }
    }

    func run() throws {
        if !dryRun { try options.requireWrite("unpack") }
        let policy = Package.MergePolicy(rawValue: policy) ?? .absent
        let store = try into.map { try ArgumentOrigin.current.text(of: $0) } ?? database
        let package = try package.map { try ArgumentOrigin.current.text(of: $0) } ?? database
        guard FileDescriptor.exists(package) else {
            throw CommandError(.noInput, "\(package) does not exist", hint: "give a file that pack has written")
        }
        let opened = try Package(at: package)
        try Session.with(store, options) { session in
            let writer = try options.writer(columns: ["id", "reason"])
            let progress = try options.reporter("unpack", unit: .items("documents"))
            defer { progress.finish() }
            let start = ContinuousClock.now
            let report = try opened.merge(into: session.store(), policy: policy, dryRun: dryRun) { count in
                try Interruption.check(HumanNumber.counted(count, "document"))
                progress.advance(done: count, total: opened.manifest.documentCount)
            }
            if !dryRun { try session.store().flush() }
            progress.finish()
            for rejection in report.rejections {
                try writer.write(["id": rejection.id.value, "reason": .string(rejection.reason)])
            }
            try writer.finish(tellsOfNothing: false)
            options.note("unpack: \(Self.text(report))\(dryRun ? " (dry run)" : ""), \(start.secondsText)")
            guard report.rejections.isEmpty else {
                let count = report.rejections.count
                throw CommandError(
                    .badData,
                    "\(HumanNumber.counted(count, "document")) of \(package) "
                        + "\(count == 1 ? "was" : "were") not stored", hint: "the rows above say why")
            }
        }
    }

    /// `3 added, 1 kept, 2 unchanged`.
    private static func text(_ report: Package.MergeReport) -> String {
        let counts = [
            (report.addedCount, "added"), (report.replacedCount, "replaced"),
            (report.copiedCount, "added beside others"),
            (report.keptCount, "kept as they were"), (report.unchangedCount, "unchanged"),
            (report.deletedCount, "deleted"),
            (report.ignoredDeletionCount, "deletions ignored"), (report.rejections.count, "rejected"),
            (report.originalCount, "attached files stored"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\(HumanNumber.grouped($0.0)) \($0.1)" }
        return parts.isEmpty ? "the package has no documents" : parts.joined(separator: ", ")
    }
}
