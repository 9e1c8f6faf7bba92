/// The commands of the shell itself, which change how others run.
///
/// Each has a spelling with a dot, which users of sqlite3 and duckdb type, and one without where no command of the
/// program has that name.
enum MetaCommand: String, CaseIterable, Sendable {
    case help, quit, mode, once, output, pager, timer, last, read, write, open, refresh, edit, history, show

    /// Other names.
    static let aliases: [String: MetaCommand] = ["?": .help, "q": .quit, "exit": .quit]

    /// The meta command that a word means, given the names of the program's commands.
    init?(word: String, commands: Set<String>) {
        let name = word.hasPrefix(".") ? String(word.dropFirst()) : word
        guard let meta = Self.aliases[name] ?? MetaCommand(rawValue: name) else { return nil }
        guard word.hasPrefix(".") || !commands.contains(name) else { return nil }
        self = meta
    }

    /// What stands behind the name.
    var arguments: String {
        switch self {
        case .help: "[COMMAND]"
        case .mode: "[MODE]"
        case .once, .output: "[FILE | '| PROGRAM']"
        case .pager: "[auto|on|off]"
        case .timer, .write: "[on|off]"
        case .read: "FILE"
        case .open: "DB"
        case .history: "[N]"
        case .quit, .last, .refresh, .edit, .show: ""
        }
    }

    /// The command with its arguments.
    var synopsis: String { "." + rawValue + (arguments.isEmpty ? "" : " " + arguments) }

    var abstract: String {
        switch self {
        case .help: "List the commands, or tell of one."
        case .quit: "Leave the shell; also ^D."
        case .mode: "Show or set the form of the output."
        case .once: "Send the output of the next command to a file, or to a program."
        case .output: "Send the output of all commands that follow there; back to the terminal without a name."
        case .pager: "Page long results: auto where they are longer than the screen."
        case .timer: "Tell how long each command took."
        case .last: "Show all rows of the last table."
        case .read: "Run the commands in a file."
        case .write: "Allow changes, or forbid them again."
        case .open: "Go on with another database."
        case .refresh: "See the database as it is now; until then all reads are of one moment."
        case .edit: "Write a command in $VISUAL or $EDITOR, beginning with the last one."
        case .history: "List what was typed before."
        case .show: "Show the settings."
        }
    }

    /// An example that works on the demo store.
    var example: String {
        switch self {
        case .help: ".help find"
        case .mode: ".mode csv"
        case .once: ".once best.csv"
        case .output: ".output"
        case .pager: ".pager off"
        case .timer: ".timer on"
        case .history: ".history 5"
        case .write: ".write off"
        case .read: ".read night.lk"
        case .open: ".open photos.store"
        case .quit, .last, .refresh, .edit, .show: "." + rawValue
        }
    }
}
