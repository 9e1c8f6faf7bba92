import ArgumentParser
import LevelKit

/// Merges tables.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge the tables of a range, which takes out what was overwritten or deleted.",
        discussion: """
            Example: lkrepl compact --write --yes app.db
            With --deepest the tables that are merged already are written anew as well; it needs as much room again.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "The deepest level as well, so that nothing is left of what was deleted.") var deepest =
        false
    @Flag(name: [.customShort("n"), .long], help: "Tell how much would be merged, and do nothing.") var dryRun = false

    func run() throws {
        if !dryRun { try options.requireWrite("compact") }
        try Session.with(database, options) { session in
            let range = try range.keyRange(try view.view(of: session))
            let byteCount = try ApproxSizeCommand.byteCount(of: range, in: session.database)
            let what = "\(HumanNumber.byteCount(Int(clamping: byteCount))) of tables in \(session.path)"
            guard !dryRun else { return options.note("compact: would merge about \(what)") }
            try options.confirm("merge about \(what)")
            let before = try session.database.statistics().tableByteCount
            try session.database.compact(
                from: Self.bound(range.lower), to: Self.bound(range.upper), includingDeepestLevel: deepest)
            let after = try session.database.statistics().tableByteCount
            options.note(
                "compact: tables had \(HumanNumber.byteCount(Int(clamping: before))), and have "
                    + HumanNumber.byteCount(Int(clamping: after)))
        }
    }

    /// A key that the range ends at; a compaction takes whole blocks, so whether the key belongs to it does not matter.
    private static func bound(_ bound: KeyBound) -> [UInt8]? {
        switch bound {
        case .unbounded: nil
        case .included(let key), .excluded(let key): key
        }
    }
}
