/// The help of the shell: everything that one needs to learn it.
enum ShellHelp {
    /// What `help` prints, or `help COMMAND`.
    ///
    /// - Throws: ``CommandFailure`` if there is no such command.
    static func text(_ words: [String]) throws -> String {
        let catalog = CommandCatalog.current
        guard let first = words.first else { return overview(catalog) }
        let name = first.hasPrefix(".") ? String(first.dropFirst()) : first
        let isDotted = first.hasPrefix(".")
        if let meta = MetaCommand(rawValue: name), isDotted || catalog.command([name]) == nil { return text(of: meta) }
        let path = [Invocation.aliases[name] ?? name] + words.dropFirst()
        if let command = catalog.command(path) {
            // Whoever asks for help on keys may mean those of the keyboard.
            return text(of: command, catalog) + (path == ["keys"] ? "\n\n" + keyboard : "")
        }
        try Invocation.refuseCommandToCome(name)
        let names = catalog.commands.map { $0.words[0] } + MetaCommand.allCases.map(\.rawValue)
        throw CommandFailure(
            .usage, "there is no command \(words.joined(separator: " "))",
            hint: Invocation.nearest(to: name, of: names).map { "did you mean \($0)?" } ?? "help lists the commands")
    }

    // MARK: - All commands

    private static func overview(_ catalog: CommandCatalog) -> String {
        var lines = ["Commands; help COMMAND tells more and shows all options:", ""]
        for command in catalog.commands where command.takesDatabase || !command.subcommands.isEmpty {
            guard command.words != ["init"] else { continue }
            for leaf in command.subcommands.isEmpty ? [command] : command.subcommands {
                lines.append(row(leaf.name, leaf.abstract))
                if let example = leaf.shellExample { lines.append(row("", example)) }
            }
        }
        lines += ["", "Of the shell itself; also without the dot where no command has that name:", ""]
        for meta in MetaCommand.allCases { lines.append(row(meta.synopsis, meta.abstract)) }
        lines += [
            "",
            "Several commands stand on one line with ; between them; # begins a comment. A quote or bracket that is open",
            "goes on in the next line. Keys and values: plain, \"with \\n \\x00\", 'as it is', 0x68, b64:aA==.",
            "Tab completes, ^R searches what was typed before, ^C stops a command, ^D or .quit leaves.",
        ]
        return lines.joined(separator: "\n")
    }

    /// The keys of the line editor.
    private static let keyboard =
        (["Keys of the keyboard, at a terminal:", ""]
        + [
            ("Tab, Shift-Tab", "Complete; again, the next or the last candidate."),
            ("Enter, Alt-Enter", "Run what was typed; begin another line of it."),
            ("Up, Down, ^P, ^N", "What was typed before and after; Alt-< and Alt-> the first and the last."),
            ("^R, ^S", "Search what was typed before; ^G leaves the search."),
            ("Alt-.", "The last word of the command before; again, of the one before that."),
            ("^A, ^E, Alt-B, Alt-F", "To the beginning, to the end, a word back, a word on."),
            ("^W, Alt-Backspace, Alt-D", "Cut the argument or the word before the cursor, the word behind it."),
            ("^U, ^K, ^Y, Alt-Y", "Cut up to the cursor, or behind it; paste; paste what was cut before."),
            ("^T, Alt-U, Alt-L, Alt-C", "Swap two characters; a word in capitals, in small letters, with a capital."),
            ("^_, ^X ^U", "Undo."), ("^X ^E", "Go on in $VISUAL or $EDITOR."), ("Alt-#", "Make it a comment."),
            ("^L, ^Z", "Clear the screen; stop the shell, fg brings it back."),
            ("^C, ^D", "Drop what was typed, or stop the command; on an empty line, leave."),
        ].map { row("  " + $0.0, $0.1, width: 28) }).joined(separator: "\n")

    private static func row(_ name: String, _ text: String, width: Int = 22) -> String {
        name.padded(to: width) + text
    }

    /// The columns that help is written in: those of the terminal, as far as one reads with ease.
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
            row("  of all commands", catalog.sharedOptions.filter(\.isShown).map { $0.names[0] }.joined(separator: " "))
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
    /// The text with spaces behind it up to a width, and at least one.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - DisplayWidth.columns(of: self)))
    }
}
