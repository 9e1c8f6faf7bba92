import ArgumentParser
import DocIndex
import LevelFiles
import LevelKit

/// Merges tables.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge the tables of a range, to discard overwritten and deleted entries.",
        discussion: """
            Example: lkrepl compact --write --yes app.db
            --deepest also rewrites the tables of the deepest level; it needs as much free space again. ^C stops it \
            after the current piece of some megabytes. Without a range, versions of \
            documents outside the bounds of their history are deleted first, and text indexes that consist mostly of \
            former versions are rebuilt.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Rewrite the deepest level too, so that no deleted data remains.") var deepest =
        false
    @Flag(name: [.customShort("n"), .long], help: "Show how much would be merged, and change nothing.") var dryRun =
        false

    func run() throws {
        if !dryRun { try options.requireWrite("compact") }
        try Session.with(database, options) { session in
            let range = try range.keyRange(try view.view(of: session), options)
            let byteCount = try session.database.approximateByteCount(in: range)
            let what = "\(HumanNumber.byteCount(Int(clamping: byteCount))) of tables in \(session.path)"
            guard !dryRun else { return options.note("compact: would merge about \(what)") }
            try options.confirm("merge about \(what)")
            try trimHistory(session)
            try rebuildTexts(session)
            let before = try session.database.statistics().tableByteCount
            try compact(range, in: session)
            let after = try session.database.statistics().tableByteCount
            options.note(
                "compact: table size was \(HumanNumber.byteCount(Int(clamping: before))), now "
                    + HumanNumber.byteCount(Int(clamping: after)))
        }
    }

    /// Deletes versions of documents that are no longer kept, so that merging frees their space.
    private func trimHistory(_ session: Session) throws {
        guard !range.isGiven, try session.isDocumentStore() else { return }
        let store = try session.store()
        guard store.schema.collections.contains(where: { $0.history != nil }) else { return }
        let progress = try options.reporter("compact: former versions", unit: .items("versions"))
        defer { progress.finish() }
        try store.trimHistory { count in
            try Interruption.check(HumanNumber.counted(count, "version was", "versions were") + " deleted")
            progress.advance(done: count)
        }
    }

    /// Rebuilds text indexes that consist mostly of former versions of documents. A failure leaves them as they were, and
    /// does not prevent the merge, which may free the space that was missing.
    private func rebuildTexts(_ session: Session) throws {
        guard !range.isGiven, try session.isDocumentStore() else { return }
        let progress = IndexBuildProgress("compact", options)
        defer { progress.finish() }
        do {
            try session.store().rebuildSparseTextIndexes { try progress.advance($0) }
        } catch {
            var failure = CommandError(error)
            guard !Interruption.isRequested else {
                failure.hint = "no text index was changed; run the same command again"
                throw failure
            }
            options.note("compact: no text index was rebuilt: \(failure.message)")
        }
    }

    /// Merges a range piece by piece, so that ^C stops it between two pieces.
    private func compact(_ range: KeyRange, in session: Session) throws {
        let pieces = try CompactionPieces(of: range, tables: Self.tables(of: session))
        let progress = try options.reporter("compact", unit: .items("pieces"))
        defer { progress.finish() }
        for (position, piece) in pieces.bounds.enumerated() {
            guard !Interruption.isRequested else {
                var failure = Interruption.failure(
                    "\(position) of \(HumanNumber.counted(pieces.bounds.count, "piece")) merged")
                failure.hint = "merged pieces are kept; run the same command again to continue"
                throw failure
            }
            progress.advance(done: position, total: pieces.bounds.count)
            try session.database.compact(in: piece.range, includingDeepestLevel: deepest)
        }
    }

    /// The tables with their largest keys, in order. Empty without a manifest, or if the key order is not bytewise.
    private static func tables(of session: Session) throws -> [CompactionPieces.Table] {
        let files = try InspectedFiles(at: session.path).files
        guard let version = files.manifest?.version, version.isBytewise else { return [] }
        return version.tables.map { CompactionPieces.Table(largest: $0.largest.userKey, byteCount: $0.byteCount) }
    }
}
