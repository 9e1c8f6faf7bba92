import DocIndex
import LevelKit

/// The interactive shell: prompt, line editor, and handling of ^C.
extension Shell {
    /// Reads and runs commands until the user leaves, or a signal ends the process.
    func runInteractively() throws {
        Interruption.becomeInteractive()
        greet()
        if invocation.readsConfiguration, let path = UserFiles.startScript, FileDescriptor.exists(path) {
            do {
                // A pipe could block the shell forever.
                guard !FileDescriptor.isSpecial(path) else {
                    throw CommandError(.badConfiguration, "\(path) is not a regular file", hint: "replace it")
                }
                guard try runFile(path) else { return }
            } catch {
                _ = CommandRunner.report { throw error }
            }
        }
        if TerminalDriver.isUsable { try runEditor() } else { try runPlainly() }
    }

    private func greet() {
        guard !invocation.options.isQuiet else { return }
        let access = box.settings.options.isWritable ? "changes allowed" : "read-only; .write on allows changes"
        let path = VisibleText.singleLine(box.session.database.path)
        StandardError.shared.write("lkrepl \(Version.text) on \(path) (\(access)). help, .quit\n")
    }

    /// The prompt: `photos.db ro> `, or `photos.db rw!> ` if changes are allowed; `photos.db ro 2:05 old> ` if another
    /// process has written since the snapshot.
    private var prompt: String {
        let path = box.session.path
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let age = box.session.secondsBehind.map { " \(HumanNumber.clock(.seconds($0))) old" } ?? ""
        return "\(VisibleText.singleLine(name)) \(box.settings.options.isWritable ? "rw!" : "ro")\(age)> "
    }

    // MARK: - With the line editor

    private func runEditor() throws {
        let driver = TerminalDriver()
        var text = ""
        while true {
            if let reason = history.takeFailure(), !invocation.options.isQuiet {
                let text = VisibleText.singleLine(reason)
                StandardError.shared.write("history is not saved: \(text); set LKREPL_HISTFILE to another file\n")
            }
            let outcome = driver.read(surroundings(), text: text)
            text = ""
            switch outcome {
            case .line(let input):
                guard !input.unicodeScalars.contains("\u{fffd}") else {
                    _ = CommandRunner.report { throw Self.notText }
                    text = input
                    continue
                }
                history.append(input)
                guard runInput(input) else { return }
                try endIfAsked()
            case .end: return
            case .interrupted(let hadText):
                if !hadText { StandardError.shared.write("Ctrl-D or .quit to leave\n") }
            case .ended(let code): throw CommandError.silent(code)
            case .editExternally(let input):
                do {
                    text = try editedExternally(input)
                } catch {
                    _ = CommandRunner.report { throw error }
                    text = input
                }
            }
        }
    }

    /// Without this check, a key with a letter in another encoding would become a different key.
    private static let notText = CommandError(
        .usage, "the input contains bytes that are not UTF-8, shown as �; nothing was run",
        hint: #"write bytes as "\xE9" or 0xE9, and the character � itself as "\u{FFFD}""#)

    private func surroundings() -> TerminalDriver.Surroundings {
        let completer = Completer(session: box.session, commandNames: commandNames)
        let names = commandNames.union(MetaCommand.allCases.map(\.rawValue)).union(MetaCommand.aliases.keys)
        let settings = box.settings
        return TerminalDriver.Surroundings(
            prompt: prompt, promptStyle: settings.options.isWritable ? .warning : .prompt, history: history.entries,
            isOpen: { ShellScanner.isOpen($0) },
            highlighter: settings.highlights && Terminal.takesStyle(2) ? Highlighter(commands: names) : nil,
            hint: { settings.showsHints && Terminal.takesStyle(2) ? completer.hint(for: $0) : "" },
            completion: { completer.completion(of: $0) })
    }

    /// Runs an input, and reports failures.
    ///
    /// - Returns: Whether the shell continues.
    func runInput(_ input: String) -> Bool {
        // A ^C that stopped one of these commands must not affect the next prompt.
        defer { Interruption.forgetInterrupt() }
        let commands: [ShellCommand]
        do {
            commands = try ShellScanner.commands(in: input)
        } catch {
            _ = CommandRunner.report { throw CommandError(error) }
            return true
        }
        if commands.first.map({ MetaCommand(word: $0.arguments[0], commands: commandNames) != .edit }) ?? false {
            lastInput = input
        }
        for command in commands {
            var goesOn = true
            let code = CommandRunner.report { goesOn = try perform(command) }
            if !goesOn { return false }
            // Later commands on the line run only if the earlier ones succeed, as in a script.
            if code != .done { break }
        }
        return true
    }

    /// Ends the shell if SIGTERM or SIGHUP arrived while a command ran.
    private func endIfAsked() throws {
        if case .end(let code) = Interruption.reason { throw CommandError.silent(code) }
    }

    // MARK: - Without the line editor

    /// For terminals without cursor movement: reads lines that the terminal itself edits.
    private func runPlainly() throws {
        var input = ""
        var reader = LineReader(descriptor: .standardInput)
        while true {
            StandardError.shared.write(input.isEmpty ? prompt : "...> ")
            do {
                guard let line = try reader.next() else { break }
                guard let text = String(validating: line.bytes, as: UTF8.self) else {
                    throw CommandError(.badData, "the line is not UTF-8", hint: "write bytes as 0x68 or b64:aA==")
                }
                input += input.isEmpty ? text : "\n" + text
            } catch let failure as LineReadError {
                guard case .system(let error) = failure.reason, error.isInterruption else {
                    if let code = Interruption.endOfTerminal() { throw CommandError.silent(code) }
                    throw failure
                }
                try endIfAsked()
                Interruption.forgetInterrupt()
                StandardError.shared.write("^C\n" + (input.isEmpty ? "Ctrl-D or .quit to leave\n" : ""))
                input = ""
                continue
            } catch {
                _ = CommandRunner.report { throw error }
                input = ""
                continue
            }
            if ShellScanner.isOpen(input) { continue }
            guard runInput(input) else { return }
            input = ""
            try endIfAsked()
        }
        if let code = Interruption.endOfTerminal() { throw CommandError.silent(code) }
        StandardError.shared.write("\n")
    }
}
