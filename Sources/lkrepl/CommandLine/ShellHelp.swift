import ArgumentParser

/// The help of the shell, and the overview of all commands.
enum ShellHelp {
    /// The output of `help`, `help COMMAND` or `help TOPIC`.
    ///
    /// - Parameter samples: Fields of the open store, for examples.
    /// - Throws: ``CommandError`` if there is no such command or topic.
    static func text(_ words: [String], samples: @autoclosure () -> FieldSamples = FieldSamples()) throws -> String {
        guard let first = words.first else { return overview(.current) }
        let name = first.hasPrefix(".") ? String(first.dropFirst()) : first
        let isDotted = first.hasPrefix(".")
        let topic = words.count == 1 ? topic(name) : nil
        if let meta = MetaCommand(rawValue: name), isDotted || topic == nil && CommandCatalog.type([name]) == nil {
            return text(of: meta)
        }
        let path = [Invocation.aliases[name] ?? name] + words.dropFirst()
        var parts: [String] = []
        if let command = CommandCatalog.command(path) { parts.append(text(of: command)) }
        if let topic { parts.append(topic.text(samples(), width: width)) }
        guard parts.isEmpty else { return parts.joined(separator: "\n\n") }
        let names = helpNames(.current)
        throw CommandError(
            .usage, "unknown command or topic \(words.joined(separator: " "))",
            hint: NearestName.find(near: name, of: names).map { "did you mean \($0)?" }
                ?? "help lists the commands and topics")
    }

    /// The topic of a name; `nil` if there is none. Some topics have a second name.
    static func topic(_ name: String) -> HelpTopic? {
        switch name {
        case "keys": .keyboard
        case "import": .importing
        default: HelpTopic(rawValue: name)
        }
    }

    /// Everything that help describes.
    static func helpNames(_ catalog: CommandCatalog) -> [String] {
        catalog.commands.map { $0.words[0] } + HelpTopic.allCases.map(\.rawValue) + MetaCommand.allCases.map(\.rawValue)
    }

    // MARK: - All commands

    /// The overview for the shell.
    private static func overview(_ catalog: CommandCatalog) -> String {
        var lines: [String] = []
        for (title, commands) in CommandGroup.grouped(catalog) {
            let usable = commands.filter { $0.takesDatabase && $0.words != ["init"] }
            lines += group(title, usable)
        }
        lines.append("This shell; the dot may be omitted unless a command has the same name")
        for meta in MetaCommand.allCases {
            lines += rows("  " + meta.synopsis, meta.abstract, column: 32, width: width)
        }
        lines += [""] + topics
        lines += WrappedText(width: width).lines(
            of: """
                help COMMAND shows details, an example and all options. Separate commands on one line with ; and begin \
                comments with #. An open quote or bracket continues on the next line. Tab completes, ^R searches the \
                history, ^C stops a command, ^D or .quit leaves the shell.
                """)
        return lines.joined(separator: "\n")
    }

    /// The overview for the system's shell.
    static func programOverview() -> String {
        let configuration = RootCommand.configuration
        let wrapped = WrappedText(width: width)
        var lines = wrapped.lines(of: "OVERVIEW: \(configuration.abstract)") + [""]
        for (position, line) in (configuration.usage ?? "").split(separator: "\n").enumerated() {
            lines.append((position == 0 ? "USAGE: " : "       ") + line)
        }
        lines.append("")
        for (title, commands) in CommandGroup.grouped(.current) { lines += group(title, commands) }
        lines += topics
        lines += wrapped.lines(of: configuration.discussion)
        lines += [""]
        lines += wrapped.lines(
            of: "OPTIONS: --version, -h, --help; lkrepl help COMMAND describes a command and its options.")
        return lines.joined(separator: "\n")
    }

    /// Prints the overview for the system's shell, or a topic after the help of the command of that name.
    static func show(_ topic: HelpTopic?) throws {
        var text = programOverview()
        if let topic {
            let type = RootCommand.configuration.subcommands.first { $0._commandName == topic.rawValue }
            text = type.map { RootCommand.helpMessage(for: $0) + "\n\n" } ?? ""
            text += topic.text(FieldSamples(), width: width)
        }
        let output = StandardOutput()
        output.terminalForm = .plain
        try output.write(text + "\n")
        try output.flush()
    }

    /// The commands of a group, one per line.
    private static func group(_ title: String, _ commands: [CommandCatalog.Command]) -> [String] {
        guard !commands.isEmpty else { return [] }
        return [title]
            + commands.flatMap { rows("  " + $0.name, firstSentence(of: $0.abstract), column: 17, width: width) } + [""]
    }

    private static var topics: [String] {
        ["Topics: help TOPIC"]
            + HelpTopic.allCases.flatMap { rows("  " + $0.rawValue, $0.abstract, column: 17, width: width) } + [""]
    }

    /// The first sentence of a string.
    static func firstSentence(of text: String) -> String {
        text.split(separator: ". ", maxSplits: 1).first.map { $0.hasSuffix(".") ? String($0) : $0 + "." } ?? text
    }

    /// A name, and its description wrapped in a column beside it.
    static func rows(_ name: String, _ text: String, column: Int, width: Int) -> [String] {
        let lines = WrappedText(width: max(20, width - column)).lines(of: text)
        let indent = String(repeating: " ", count: column)
        guard DisplayWidth.columns(of: name) < column else { return [name] + lines.map { indent + $0 } }
        return [name.padded(to: column) + (lines.first ?? "")] + lines.dropFirst().map { indent + $0 }
    }

    /// The width of help: that of the terminal, up to a readable maximum.
    static var width: Int { min(110, Terminal.width(of: 1)) }

    // MARK: - One command

    private static func text(of command: CommandCatalog.Command) -> String {
        var lines = [command.abstract, ""]
        if !command.subcommands.isEmpty {
            for below in command.subcommands {
                lines += rows(below.name, below.abstract, column: 18, width: width)
                if let example = below.shellExample { lines += rows("", example, column: 18, width: width) }
            }
            return lines.joined(separator: "\n")
        }
        let own = command.shellArguments.filter {
            $0.isShown && ($0.kind == .positional || !CommandCatalog.isShared($0))
        }
        let positional = own.filter { $0.kind == .positional }
        let options = own.filter { $0.kind != .positional }
        let synopsis = [command.name] + positional.map(\.synopsis) + (options.isEmpty ? [] : ["[options]"])
        lines.append("USAGE: " + synopsis.joined(separator: " "))
        lines.append("       lkrepl \(command.name) DB \(synopsis.dropFirst().joined(separator: " "))")
        if let example = command.shellExample { lines.append("EXAMPLE: \(example)") }
        lines.append("")
        for argument in positional + options {
            lines += rows("  " + label(argument), argument.abstract, column: 24, width: width)
        }
        let shared = CommandCatalog.sharedOptions.filter(\.isShown).map { $0.names[0] }.joined(separator: " ")
        lines += rows("  all commands", shared, column: 24, width: width)
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
