#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Moves bytes between a terminal and the state machines of the line editor.
///
/// It controls only timing: how long to wait for the rest of an escape sequence, and that a burst of keys is painted
/// once.
final class TerminalDriver {
    /// The way in which an input ended.
    enum Outcome: Sendable {
        case line(String)
        /// Ctrl-D on an empty input, or the terminal was closed.
        case end
        /// Ctrl-C.
        case interrupted(hadText: Bool)
        /// The process must end: SIGTERM or SIGHUP.
        case ended(ExitCode)
        /// Edit the input in the user's editor.
        case editExternally(String)
    }

    /// The prompt, history and callbacks that the shell provides.
    struct Surroundings {
        var prompt: String
        var promptStyle: TextStyle
        var history: [String]
        var isOpen: @Sendable (String) -> Bool
        var highlighter: Highlighter?
        /// The gray hint after an input.
        var hint: (String) -> String
        /// The completions at the end of a string.
        var completion: (String) -> Completion
    }

    /// The time to wait for the rest of an escape sequence: longer than the gap between two bytes on a slow connection,
    /// shorter than users notice.
    private static let escapeMilliseconds: Int32 = 50

    private var killed: LineEditor?
    /// Keys typed ahead, for the next input.
    private var queuedKeys: [Key] = []
    private var decoder = KeyDecoder()

    /// Whether standard input and standard error are terminals that support editing.
    static var isUsable: Bool {
        FileDescriptor.standardInput.isTerminal && FileDescriptor.standardError.isTerminal && !Terminal.isDumb
    }

    /// Lets the user edit one input, and returns how it ended. The terminal is in its ordinary mode before and after
    /// the call.
    func read(_ surroundings: Surroundings, text: String = "") -> Outcome {
        guard TerminalMode.makeRaw() else { return .end }
        send("\u{1b}[?2004h")
        defer {
            // In this order: a program that waits for the end of the editor may send input immediately.
            TerminalMode.restore()
            send("\u{1b}[?2004l")
        }
        var editor = LineEditor(
            history: surroundings.history, language: LineEditor.Language(isOpen: surroundings.isOpen), text: text)
        if let killed { editor.takeKilled(from: killed) }
        defer { killed = editor }
        var painter = ScreenPainter(
            width: Terminal.width(of: 2), height: Terminal.height(of: 2), isStyled: Terminal.takesStyle(2))
        send(painter.paint(content(editor, surroundings)))

        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let reason = Interruption.reason {
                switch reason {
                case .end(let code):
                    send(painter.leave())
                    return .ended(code)
                case .interrupt:
                    send(painter.leave())
                    Interruption.forgetInterrupt()
                    return .interrupted(hadText: !editor.view.text.isEmpty)
                }
            }
            if Interruption.takeResize() {
                _ = TerminalMode.makeRaw()
                painter.width = max(2, Terminal.width(of: 2))
                painter.height = max(2, Terminal.height(of: 2))
                send(painter.paint(content(editor, surroundings)))
            }
            if queuedKeys.isEmpty {
                let milliseconds = decoder.isWaiting ? Self.escapeMilliseconds : -1
                guard let count = wait(for: &buffer, milliseconds: milliseconds) else {
                    send(painter.leave())
                    return Interruption.endOfTerminal().map { .ended($0) } ?? .end
                }
                if count == 0, let key = decoder.timeOut() { queuedKeys.append(key) }
                for byte in buffer[..<count] { queuedKeys += decoder.feed(byte) }
                if queuedKeys.isEmpty { continue }
            }
            while !queuedKeys.isEmpty {
                for effect in editor.feed(queuedKeys.removeFirst()) {
                    if let outcome = perform(effect, &editor, &painter, surroundings) { return outcome }
                }
            }
            send(painter.paint(content(editor, surroundings)))
        }
    }

    /// Performs an effect. Returns the outcome if it ends the input; otherwise `nil`.
    private func perform(
        _ effect: LineEditor.Effect, _ editor: inout LineEditor, _ painter: inout ScreenPainter,
        _ surroundings: Surroundings
    ) -> Outcome? {
        switch effect {
        case .submit(let text):
            send(painter.paint(content(editor, surroundings, isFinal: true)) + painter.leave())
            return .line(text)
        case .end:
            send(painter.leave())
            return .end
        case .interrupt(let hadText):
            send(painter.paint(content(editor, surroundings, isFinal: true)) + "^C" + painter.leave())
            return .interrupted(hadText: hadText)
        case .editExternally(let text):
            send(painter.leave())
            return .editExternally(text)
        case .suspend:
            send(painter.leave() + "\u{1b}[?2004l")
            TerminalMode.restore()
            _ = kill(getpid(), SIGTSTP)
            // Execution resumes here after SIGCONT.
            _ = TerminalMode.makeRaw()
            send("\u{1b}[?2004h")
        case .clearScreen: send(painter.clearScreen())
        case .bell: send("\u{7}")
        case .complete:
            let completion = surroundings.completion(editor.view.textBeforeCursor)
            for effect in editor.complete(completion) {
                if let outcome = perform(effect, &editor, &painter, surroundings) { return outcome }
            }
        case .list(let candidates):
            send(painter.paint(content(editor, surroundings, isFinal: true)) + painter.leave())
            send(CandidateList.text(candidates, width: painter.width, rowLimit: max(4, painter.height - 2)))
        }
        return nil
    }

    private func content(
        _ editor: LineEditor, _ surroundings: Surroundings, isFinal: Bool = false
    ) -> ScreenPainter.Content {
        let view = editor.view
        var content = ScreenPainter.Content(
            prompt: view.searchPrompt.map { VisibleText.singleLine($0) } ?? surroundings.prompt,
            promptStyle: surroundings.promptStyle, text: view.text, cursor: view.cursor)
        content.styles = surroundings.highlighter?.styles(of: view.text) ?? []
        if !isFinal, view.searchPrompt == nil, !view.text.isEmpty { content.hint = surroundings.hint(view.text) }
        return content
    }

    /// The number of bytes read: 0 after a timeout or a signal, `nil` at the end of input.
    private func wait(for buffer: inout [UInt8], milliseconds: Int32) -> Int? {
        var requests = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: Interruption.wake.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&requests, 2, milliseconds) > 0 else { return 0 }
        if requests[1].revents != 0 { Interruption.wake.drain() }
        guard requests[0].revents != 0 else { return 0 }
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Self.systemRead(0, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { return 0 }
        return count > 0 ? count : nil
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.read(descriptor, buffer, count)
        #else
            unsafe Darwin.read(descriptor, buffer, count)
        #endif
    }

    private func send(_ text: String) {
        if !text.isEmpty { StandardError.shared.write(text) }
    }
}
