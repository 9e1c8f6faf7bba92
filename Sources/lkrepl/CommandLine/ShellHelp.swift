/// The help of the shell.
enum ShellHelp {
    /// The output of `help` or `help COMMAND`.
    ///
    /// - Throws: ``CommandError`` if the command is unknown.
    static func text(_ words: [String]) throws -> String {
        let catalog = CommandCatalog.current
        guard let first = words.first else { return overview(catalog) }
        let name = first.hasPrefix(".") ? String(first.dropFirst()) : first
        let isDotted = first.hasPrefix(".")
        if let meta = MetaCommand(rawValue: name), isDotted || catalog.command([name]) == nil { return text(of: meta) }
        let path = [Invocation.aliases[name] ?? name] + words.dropFirst()
        if let command = catalog.command(path) {
            // "help keys" may also ask for the keyboard shortcuts.
            return text(of: command, catalog) + (path == ["keys"] ? "\n\n" + keyboard : "")
        }
        try Invocation.refuseCommandToCome(name)
        let names = catalog.commands.map { $0.words[0] } + MetaCommand.allCases.map(\.rawValue)
        throw CommandError(
            .usage, "unknown command \(words.joined(separator: " "))",
            hint: NearestName.find(near: name, of: names).map { "did you mean \($0)?" } ?? "help lists the commands")
    }

    // MARK: - All commands

    private static func overview(_ catalog: CommandCatalog) -> String {
        var lines = ["Commands; help COMMAND shows details and all options:", ""]
        for command in catalog.commands where command.takesDatabase || !command.subcommands.isEmpty {
            guard command.words != ["init"] else { continue }
            for leaf in command.subcommands.isEmpty ? [command] : command.subcommands {
                lines.append(row(leaf.name, leaf.abstract))
                if let example = leaf.shellExample { lines.append(row("", example)) }
            }
        }
        lines += ["", "Shell commands; the dot may be omitted unless a command has the same name:", ""]
        for meta in MetaCommand.allCases { lines.append(row(meta.synopsis, meta.abstract)) }
        lines += [
            "",
            "Separate commands on one line with ; and begin comments with #. An open quote or bracket continues on the",
            "next line. Keys and values: plain, \"with \\n \\x00\", 'as it is', 0x68, b64:aA==.",
            "Tab completes, ^R searches the history, ^C stops a command, ^D or .quit leaves the shell.",
        ]
        return lines.joined(separator: "\n")
    }

    /// The key bindings of the line editor.
    private static let keyboard =
        (["Keyboard shortcuts at a terminal:", ""]
        + [
            ("Tab, Shift-Tab", "Complete; repeat for the next or previous candidate."),
            ("Enter, Alt-Enter", "Run the command; insert a line break."),
            ("Up, Down, ^P, ^N", "Previous and next command in the history; Alt-< and Alt-> first and last."),
            ("^R, ^S", "Search the history backward or forward; ^G cancels."),
            ("Alt-.", "Insert the last word of the previous command; repeat for earlier ones."),
            ("^A, ^E, Alt-B, Alt-F", "Move to the beginning, the end, a word back, a word forward."),
            ("^W, Alt-Backspace, Alt-D", "Cut the argument or the word before the cursor, the word after it."),
            ("^U, ^K, ^Y, Alt-Y", "Cut to the line start or end; paste; replace by an earlier cut."),
            ("^T, Alt-U, Alt-L, Alt-C", "Swap two characters; make a word uppercase, lowercase, capitalized."),
            ("^_, ^X ^U", "Undo."), ("^X ^E", "Edit in $VISUAL or $EDITOR."), ("Alt-#", "Turn it into a comment."),
            ("^L, ^Z", "Clear the screen; suspend the shell (fg resumes it)."),
            ("^C, ^D", "Discard the line or stop the command; leave on an empty line."),
        ].map { row("  " + $0.0, $0.1, width: 28) }).joined(separator: "\n")

    private static func row(_ name: String, _ text: String, width: Int = 22) -> String {
        name.padded(to: width) + text
    }

    /// The width of help: that of the terminal, up to a readable maximum.
    private static var width: Int { min(110, Terminal.width(of: 1)) }

    // MARK: - One command

    private static func text(of command: CommandCatalog.Command, _ catalog: CommandCatalog) -> String {
        var lines = [command.abstract, ""]
        if !command.subcommands.isEmpty {
            for below in command.subcommands {
                lines.append(row(below.name, below.abstract))
                if let example = below.shellExample { lines.append(row("", example)) }
            }
            return lines.joined(separator: "\n")
        }
        let own = command.shellArguments.filter { $0.isShown && ($0.kind == .positional || !catalog.isShared($0)) }
        let positional = own.filter { $0.kind == .positional }
        let options = own.filter { $0.kind != .positional }
        let synopsis = [command.name] + positional.map(\.synopsis) + (options.isEmpty ? [] : ["[options]"])
        lines.append("USAGE: " + synopsis.joined(separator: " "))
        lines.append("       lkrepl \(command.name) DB \(synopsis.dropFirst().joined(separator: " "))")
        if let example = command.shellExample { lines.append("EXAMPLE: \(example)") }
        lines.append("")
        for argument in positional + options { lines.append(row("  " + label(argument), argument.abstract)) }
        lines.append(
            row("  all commands", catalog.sharedOptions.filter(\.isShown).map { $0.names[0] }.joined(separator: " "))
        )
        if !command.discussion.isEmpty { lines += [""] + WrappedText(width: width).lines(of: command.discussion) }
        return lines.joined(separator: "\n")
    }

    private static func label(_ argument: CommandCatalog.Argument) -> String {
        switch argument.kind {
        case .positional: "<\(argument.valueName)>"
        case .flag: argument.names.joined(separator: ", ")
        case .option: argument.names.joined(separator: ", ") + " <\(argument.valueName)>"
        }
    }

    private static func text(of meta: MetaCommand) -> String {
        [meta.abstract, "", "USAGE: \(meta.synopsis)", "EXAMPLE: \(meta.example)"].joined(separator: "\n")
    }
}

extension String {
    /// The text padded with at least one space to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - DisplayWidth.columns(of: self)))
    }
}
