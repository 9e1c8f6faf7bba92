import ArgumentParser

/// The manual page in man(7) macros, generated from ``CommandCatalog``.
enum Manual {
    /// The page.
    static func page() -> String {
        let catalog = CommandCatalog.current
        var lines = [
            ".TH LKREPL 1 \"\" \"lkrepl \(Version.text)\" \"User Commands\"",
            ".SH NAME", "lkrepl \\- \(escaped(RootCommand.configuration.abstract))",
            ".SH SYNOPSIS",
            ".B lkrepl", "[\\fIoptions\\fR] \\fIDB\\fR", ".br",
            ".B lkrepl",
            "[\\fIoptions\\fR] \\fIDB\\fR [\\fB\\-c\\fR '\\fICOMMAND\\fR' | \\fB\\-f\\fR \\fIFILE\\fR] ...", ".br",
            ".B lkrepl", "[\\fIoptions\\fR] \\fICOMMAND\\fR \\fIDB\\fR [\\fIARGUMENTS\\fR]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(RootCommand.configuration.discussion)
        lines.append(".SH OPTIONS OF ALL COMMANDS")
        for option in CommandCatalog.sharedOptions { lines += item(option) }
        lines.append(".SH COMMANDS")
        for command in catalog.leaves {
            let positional = command.arguments.filter { $0.kind == .positional }.map(\.synopsis)
            lines.append(".SS " + escaped(([command.name] + positional).joined(separator: " ")))
            lines += paragraphs(command.abstract)
            for argument in command.arguments
            where !CommandCatalog.isShared(argument) && argument.valueName != "database" {
                lines += item(argument)
            }
            if !command.discussion.isEmpty { lines += [".PP"] + paragraphs(command.discussion) }
            if let example = command.example {
                lines += [".PP", "Example:", ".PP", ".RS", ".nf", escaped(example), ".fi", ".RE"]
            }
        }
        lines.append(".SH COMMANDS OF THE SHELL")
        for meta in MetaCommand.allCases { lines += [".TP", ".B " + escaped(meta.synopsis), escaped(meta.abstract)] }
        lines.append(".SH EXIT STATUS")
        for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)] }
        lines.append(".SH ENVIRONMENT")
        for (name, meaning) in environment { lines += [".TP", ".B " + escaped(name), escaped(meaning)] }
        lines.append(".SH FILES")
        for (name, meaning) in files { lines += [".TP", ".I " + escaped(name), escaped(meaning)] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let environment = [
        ("NO_COLOR", "Disables colors if not empty."),
        ("CLICOLOR_FORCE, FORCE_COLOR", "Enable colors even without a terminal."),
        ("LKREPL_PAGER, PAGER", "The pager for long results; cat disables it."),
        (
            "LKREPL_PATIENCE",
            "Seconds after which a terminal shows a partial result, 1 if not set; off waits for the whole result."
        ),
        ("LKREPL_PASSWORD", "The password for --user of sync and serve --sync."),
        ("LKREPL_TOKEN", "A token that sync sends to the peer, in place of a name and a password."),
        ("VISUAL, EDITOR", "The program for .edit and Ctrl-X Ctrl-E."),
        ("LKREPL_HISTFILE", "The history file; empty or none disables the history."),
        ("COLUMNS, LINES", "The terminal size if the terminal does not report it."),
    ]

    private static let files = [
        (
            "$XDG_CONFIG_HOME/lkrepl/config",
            "Settings of the interactive shell: \(Configuration.names.joined(separator: ", "))."
        ),
        ("$XDG_CONFIG_HOME/lkrepl/rc", "Commands that an interactive shell runs at startup."),
        (
            "$XDG_STATE_HOME/lkrepl/history",
            "The history, readable only by the user; in ~/.local/state if the variable is not set."
        ),
    ]

    private static func item(_ argument: CommandCatalog.Argument) -> [String] {
        let value = argument.kind == .option ? " \\fI\(escaped(argument.valueName))\\fR" : ""
        let name =
            argument.kind == .positional
            ? ".I " + escaped(argument.valueName)
            : "\\fB" + argument.names.map(escaped).joined(separator: "\\fR, \\fB") + "\\fR" + value
        return [".TP", name, escaped(argument.abstract)]
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : escaped(String($0)) }
    }

    /// Text escaped for roff.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
