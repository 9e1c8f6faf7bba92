import ArgumentParser

/// The root command, which has all others as subcommands.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lkrepl",
        abstract: "Inspect and query LevelDB databases and document stores, and move data in and out.",
        usage: """
            lkrepl DB                             open the shell
            lkrepl DB -c 'COMMAND' -f FILE ...    run shell commands in order
            lkrepl COMMAND DB [ARGUMENTS]         run one command
            """,
        discussion: """
            No existing database is changed without --write: reading works while another process writes, on a full disk \
            and without permission to write. Data goes to standard output, everything else to standard error. \
            With -c and -f the first failure ends the run; --keep-going runs the rest. --no-config ignores the \
            user's configuration, --no-history keeps no history, --color auto|always|never controls colors, \
            --no-pager shows long results without a pager, \
            --untrusted checks every block of a database from an untrusted source, \
            --error-format json reports failures as JSON.
            Exit codes: 0 done, 1 not found or different, 64 usage, 65 bad data, 66 input not found, \
            74 input/output error, 75 locked by another process that writes, 77 --write is needed, 130 interrupted.
            """,
        version: Version.text,
        subcommands: [
            InitCommand.self, ImportCommand.self, ExportCommand.self, FindCommand.self, SearchCommand.self,
            SuggestCommand.self, CompleteCommand.self, SimilarCommand.self,
            NearCommand.self, NearestCommand.self, TimelineCommand.self, DuplicatesCommand.self, AlbumCommand.self,
            UpdateCommand.self, DeleteCommand.self, DocCommand.self, AttachCommand.self, HistoryCommand.self,
            RenditionsCommand.self, CommitsCommand.self,
            UndoCommand.self, ConflictsCommand.self, ResolveCommand.self,
            CollectionsCommand.self, StatsCommand.self, VerifyCommand.self, DumpCommand.self, LoadCommand.self,
            GetCommand.self, MgetCommand.self, PutCommand.self, DelCommand.self, DelrangeCommand.self,
            BatchCommand.self, ScanCommand.self, KeysCommand.self, ValuesCommand.self, CountCommand.self,
            FirstCommand.self, LastCommand.self, SeekCommand.self, TreeCommand.self, BigkeysCommand.self,
            ApproxSizeCommand.self, DigestCommand.self, DiffCommand.self, KeyfmtCommand.self,
            PropertiesCommand.self, LevelsCommand.self, SSTCommand.self, WALCommand.self, ManifestCommand.self,
            VersionsCommand.self, CompactCommand.self, SnapshotCommand.self, PackCommand.self, UnpackCommand.self,
            RepairCommand.self, DestroyCommand.self,
            FacetsCommand.self, DistinctCommand.self, ExplainCommand.self, DescribeCommand.self, SchemaCommand.self,
            IndexesCommand.self, IndexCommand.self, MigrateCommand.self, SyncCommand.self, ServeCommand.self,
            GenerateCommand.self,
        ]
    )
}
