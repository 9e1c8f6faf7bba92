import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The commands of the shell itself.
extension Shell {
    /// Runs a command of the shell itself.
    ///
    /// - Returns: Whether to continue; `false` after `quit`.
    func perform(_ meta: MetaCommand, _ arguments: [String]) throws -> Bool {
        func only() throws -> String? {
            guard arguments.count < 2 else {
                throw CommandError(.usage, "too many arguments", hint: meta.synopsis)
            }
            return arguments.first
        }
        if meta.arguments.isEmpty, let extra = arguments.first {
            throw CommandError(.usage, "unexpected argument \(extra)", hint: meta.synopsis)
        }
        switch meta {
        case .quit: return false
        case .help:
            let text = try ShellHelp.text(arguments, samples: helpSamples)
            try withOutput { try Self.print(text) }
        case .mode:
            guard let name = try only() else { return try tell(box.settings.options.mode ?? "automatic") }
            box.settings.options.mode = name == "automatic" ? nil : try OutputMode(named: name).rawValue
        case .pager:
            guard let name = try only() else { return try tell(box.settings.paging.rawValue) }
            guard let paging = PagerGate.Paging(rawValue: name) else { throw wrong(name, meta) }
            box.settings.paging = paging
        case .timer:
            guard let name = try only() else { return try tell(box.settings.isTimed ? "on" : "off") }
            box.settings.isTimed = try isOn(name, meta)
        case .write:
            guard let name = try only() else { return try tell(box.settings.options.isWritable ? "on" : "off") }
            let isWritable = try isOn(name, meta)
            var options = box.settings.options
            options.isWritable = isWritable
            // A read-only shell holds no lock, so other processes can write.
            if isWritable == box.session.isReadOnly { try replaceSession(box.session.path, options) }
            box.settings.options = options
        case .once, .output: try redirect(meta, arguments.isEmpty ? nil : arguments.joined(separator: " "))
        case .last:
            try showLast(arguments, meta)
        case .read:
            guard let path = try only() else { throw CommandError(.usage, "no file given", hint: meta.synopsis) }
            return try runFile(path)
        case .open:
            guard let path = try only() else {
                throw CommandError(.usage, "no database given", hint: meta.synopsis)
            }
            try open(path)
        case .refresh:
            if box.session.isReadOnly {
                try replaceSession(box.session.path, box.settings.options)
            } else {
                box.session.unpin()
            }
            try box.session.pin()
        case .edit:
            let text = try editedExternally(lastInput)
            history.append(text)
            StandardError.shared.write(VisibleText.singleLine(text, newline: "\n") + "\n")
            return runInput(text)
        case .history:
            let count = try only().map { text in
                guard let count = Int(text), count >= 0 else { throw wrong(text, meta) }
                return count
            }
            let entries = history.entries.suffix(count ?? 20)
            let text = entries.map { VisibleText.singleLine($0) }.joined(separator: "\n")
            if !text.isEmpty { try withOutput { try Self.print(text) } }
        case .show: return try tell(settingsText)
        }
        return true
    }

    /// Fields of the open store for examples; the fields of the README's example if the store has no documents.
    private var helpSamples: FieldSamples {
        let collections = (try? box.session.collections()) ?? []
        let full = collections.first { (try? $0.count()) ?? 0 > 0 }
        return (full ?? collections.first).map { FieldSamples(of: $0) } ?? FieldSamples()
    }

    /// Shows the last table again.
    private func showLast(_ arguments: [String], _ meta: MetaCommand) throws {
        var (isWide, fields) = (false, [FieldPath]?.none)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--wide": isWide = true
            case "--fields":
                guard let names = rest.popFirst() else {
                    throw CommandError(.usage, "--fields needs a value", hint: meta.synopsis)
                }
                fields = try names.split(separator: ",").map { try FieldPath(parsing: String($0)) }
            default: throw CommandError(.usage, "unexpected argument \(argument)", hint: meta.synopsis)
            }
        }
        guard let table = box.lastTable.table?.showing(isWide: isWide, fields) else {
            throw CommandError(.no, "no table was shown yet", hint: "find shows one")
        }
        try withOutput {
            let output = StandardOutput()
            try output.write(table.text(for: output, rowLimit: nil))
            try output.flush()
        }
    }

    private func wrong(_ value: String, _ meta: MetaCommand) -> CommandError {
        CommandError(.usage, ".\(meta.rawValue) cannot be \(value)", hint: meta.synopsis)
    }

    private func isOn(_ text: String, _ meta: MetaCommand) throws -> Bool {
        switch text {
        case "on": true
        case "off": false
        default: throw wrong(text, meta)
        }
    }

    /// Prints a setting on standard output, so that scripts can read it.
    private func tell(_ text: String) throws -> Bool {
        try withOutput { try Self.print(text) }
        return true
    }

    static func print(_ text: String) throws {
        let output = StandardOutput()
        output.terminalForm = .plain
        try output.write(text + "\n")
        try output.flush()
    }

    private var settingsText: String {
        let settings = box.settings
        let rows = [
            ("database", VisibleText.singleLine(box.session.database.path)),
            ("write", settings.options.isWritable ? "on" : "off"),
            ("mode", settings.options.mode ?? "automatic"), ("pager", settings.paging.rawValue),
            ("timer", settings.isTimed ? "on" : "off"), ("confirm", settings.confirms ? "on" : "off"),
            ("hints", settings.showsHints ? "on" : "off"), ("highlight", settings.highlights ? "on" : "off"),
            ("output", redirections.lasting?.target.name ?? "standard output"),
            ("configuration", UserFiles.configuration ?? "none"), ("history", UserFiles.history ?? "none"),
        ]
        return rows.map { $0.0.padded(to: 14) + VisibleText.singleLine($0.1) }.joined(separator: "\n")
    }

    private func open(_ path: String) throws {
        let old = box.session
        if FileDescriptor.resolvingLinks(path).utf8.elementsEqual(FileDescriptor.resolvingLinks(old.path).utf8) {
            return
        }
        try replaceSession(path, box.settings.options)
    }

    /// Opens another database. If that fails, the current one stays open.
    private func replaceSession(_ path: String, _ options: SharedOptions) throws {
        let old = box.session
        let new = try Session(path: path, access: try DatabaseAccess(options))
        box.session = new
        box.lastTable.table = nil
        try old.close()
    }

    // MARK: - Output

    private func redirect(_ meta: MetaCommand, _ argument: String?) throws {
        let sink = try argument.map { try Redirections.Sink($0) }
        if meta == .once {
            let old = redirections.once
            redirections.once = sink
            try old?.close()
        } else {
            let old = redirections.lasting
            redirections.lasting = sink
            try old?.close()
        }
    }

    /// Runs `body` with its output sent to the sink of `.once` or `.output`, or to the pager.
    ///
    /// - Parameter paging: When to use the pager; `nil` for the setting.
    func withOutput(paging: PagerGate.Paging? = nil, _ body: () throws -> Void) throws {
        if let sink = redirections.once {
            redirections.once = nil
            do {
                try write(to: sink, body)
            } catch {
                try? sink.close()
                throw error
            }
            return try sink.close()
        }
        if let sink = redirections.lasting { return try write(to: sink, body) }
        try PagerGate.run(isInteractive ? paging ?? box.settings.paging : .off, body)
    }

    /// Runs `body` with its output sent to a sink. If the program stops reading, only this command ends.
    private func write(to sink: Redirections.Sink, _ body: () throws -> Void) throws {
        guard sink.child != nil else { return try OutputTarget.$current.withValue(sink.target, operation: body) }
        do {
            try Interruption.keepingBrokenPipes { try OutputTarget.$current.withValue(sink.target, operation: body) }
        } catch let failure as WriteError where failure.error.exitCode == .brokenPipe {
        } catch let failure as CommandError where failure.exitCode == .brokenPipe {
        }
    }

    // MARK: - External editor

    /// Lets the user edit a string in `$VISUAL` or `$EDITOR`, and returns the result.
    ///
    /// - Throws: ``CommandError`` with `unavailable` if there is no editor, or it failed.
    func editedExternally(_ text: String) throws -> String {
        let named = Terminal.environment("VISUAL") ?? Terminal.environment("EDITOR")
        guard named != nil || FileDescriptor.standardInput.isTerminal else {
            throw CommandError(
                .usage, ".edit needs a terminal, but standard input is not one",
                hint: "set VISUAL or EDITOR to a program that needs no terminal")
        }
        let editor = named ?? "vi"
        let temporary = Terminal.environment("TMPDIR") ?? "/tmp"
        // The editor opens the path, and the shell runs whatever is there afterwards, so no other user may replace it.
        guard DirectoryTrust.nobodyElse.allows(temporary) else {
            throw CommandError(
                .cannotCreate, "cannot edit in \(temporary): other users can replace files there",
                hint: "set TMPDIR to a directory that belongs to you, or to root with the sticky bit")
        }
        let (file, path) = try FileDescriptor.makeTemporary(temporary + "/lkrepl-", suffix: ".lk")
        Interruption.removeAtExit(path)
        defer {
            unsafe unlink(path)
            Interruption.keep(path)
        }
        do {
            try file.writeAll(Array((text + "\n").utf8))
            try file.closeFile()
        } catch {
            throw CommandError.system(error, "cannot write \(path)")
        }
        let code = try ChildCommand("\(editor) '\(path.replacing("'", with: "'\\''"))'", takesInput: false).wait()
        guard code == 0 else {
            throw CommandError(
                .unavailable, "\(editor) exited with code \(code)", hint: "set VISUAL or EDITOR to an editor")
        }
        let edited = try FileDescriptor.openForReading(path)
        defer { try? edited.closeFile() }
        guard var result = String(validating: try edited.readAll(limit: 64 << 20, name: path), as: UTF8.self) else {
            throw CommandError(.badData, "the edited text is not UTF-8")
        }
        while result.last?.isNewline ?? false { result.removeLast() }
        return result
    }
}
