/// The commands of the shell itself, which change how others run.
///
/// Each can be written with a dot, as in sqlite3 and duckdb, and without one unless a command has the same name.
enum MetaCommand: String, CaseIterable, Sendable {
    case help, quit, mode, once, output, pager, timer, last, read, write, open, refresh, edit, history, show

    /// Alternative names.
    static let aliases: [String: MetaCommand] = ["?": .help, "q": .quit, "exit": .quit]

    /// The shell command that a word denotes, given the names of the program's commands; `nil` if it denotes none.
    init?(word: String, commands: Set<String>) {
        let name = word.hasPrefix(".") ? String(word.dropFirst()) : word
        guard let meta = Self.aliases[name] ?? MetaCommand(rawValue: name) else { return nil }
        guard word.hasPrefix(".") || !commands.contains(name) else { return nil }
        self = meta
    }

    /// The synopsis of the arguments.
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
        case .last: "[--wide] [--fields a,b]"
        case .quit, .refresh, .edit, .show: ""
        }
    }

    /// The command with its arguments.
    var synopsis: String { "." + rawValue + (arguments.isEmpty ? "" : " " + arguments) }

    var abstract: String {
        switch self {
        case .help: "List commands, or describe one."
        case .quit: "Leave the shell; also ^D."
        case .mode: "Show or set the output mode."
        case .once: "Send the output of the next command to a file, or to a program."
        case .output: "Send all following output to a file or program; without an argument, to the terminal."
        case .pager: "Show results in a pager: auto if they are longer than the screen."
        case .timer: "Print the time of each command."
        case .last: "Show the last result again: all rows, in full width with --wide, or these fields."
        case .read: "Run the commands in a file."
        case .write: "Allow or forbid changes."
        case .open: "Switch to another database."
        case .refresh: "Read the current state of the database; until then, all reads use one snapshot."
        case .edit: "Edit the last command in $VISUAL or $EDITOR, and run it."
        case .history: "List the history."
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
        case .last: ".last --wide"
        case .quit, .refresh, .edit, .show: "." + rawValue
        }
    }
}
