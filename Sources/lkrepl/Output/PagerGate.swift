import Synchronization

/// Holds output back until it is longer than the screen, and gives it to a pager then.
///
/// What fits on the screen goes to the terminal when the command is done, or earlier where that takes long
/// (``showEarly()``); the pager then begins with what was shown already. Closing the pager early makes the next write
/// fail with EPIPE, which ends the command without a word.
final class PagerGate: Sendable {
    private struct State {
        var held: [UInt8] = []
        var lineCount = 0
        /// How much of what is held was shown already; `nil` as long as all is held back.
        var shownCount: Int?
        var child: ChildCommand?
    }

    /// A screen with fewer rows has none for a page above the line that a pager needs.
    private static let leastScreenRows = 3

    private let state = Mutex(State())
    /// A command line for `sh`.
    private let command: String
    private let screenRows: Int
    private let terminal: FileDescriptor

    /// - Parameters:
    ///   - command: A command line for `sh`, such as `less -FIRX`.
    ///   - screenRows: Output of fewer lines is not paged.
    init(command: String, screenRows: Int, terminal: FileDescriptor = .standardOutput) {
        self.command = command
        self.screenRows = screenRows
        self.terminal = terminal
    }

    /// Takes bytes to show.
    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        let pipe = state.withLock { state -> FileDescriptor? in
            if let child = state.child { return child.input }
            for index in bytes.indices {
                state.held.append(bytes[index])
                if bytes[index] == 0x0a { state.lineCount += 1 }
            }
            return nil
        }
        if let pipe { return try pipe.writeAll(bytes) }
        // A prompt follows below the output, so a full screen is a line less.
        guard state.withLock({ $0.lineCount >= screenRows }) else { return try showMore() }
        let child = try? ChildCommand(command, takesInput: true)
        if child != nil {
            StandardError.shared.hold()
            Interruption.setPaging(true)
        }
        let held = state.withLock { state in
            state.child = child
            defer {
                state.held = []
                state.shownCount = nil
            }
            return child == nil ? Array(state.held.dropFirst(state.shownCount ?? 0)) : state.held
        }
        if child == nil { StandardError.shared.clearStatus() }
        // Without a pager the output goes where it would have gone.
        try (child?.input ?? terminal).writeAll(held)
    }

    /// Shows what is held back, and from now on what comes, up to where the pager begins.
    func showEarly() throws(SystemError) {
        state.withLock { state in if state.child == nil { state.shownCount = state.shownCount ?? 0 } }
        try showMore()
    }

    private func showMore() throws(SystemError) {
        let bytes = state.withLock { state -> [UInt8] in
            guard let shownCount = state.shownCount, state.child == nil else { return [] }
            state.shownCount = state.held.count
            return Array(state.held[shownCount...])
        }
        guard !bytes.isEmpty else { return }
        StandardError.shared.clearStatus()
        try terminal.writeAll(bytes)
    }

    /// Shows what was held back, and waits until the user has left the pager.
    func finish() throws(SystemError) {
        let (child, held) = state.withLock { state in
            defer { state = State() }
            return (state.child, Array(state.held.dropFirst(state.shownCount ?? 0)))
        }
        if let child {
            child.endInput()
            _ = child.wait()
            Interruption.setPaging(false)
            StandardError.shared.release()
        } else {
            if !held.isEmpty { StandardError.shared.clearStatus() }
            try terminal.writeAll(held)
        }
    }

    /// Runs `body` with its output through a pager where people look at it and it is longer than the screen.
    ///
    /// Who leaves the pager has seen enough: that ends `body`, and is no failure.
    static func run(_ paging: ShellSettings.Paging, _ body: () throws -> Void) throws {
        guard paging != .off, FileDescriptor.standardOutput.isTerminal, !Terminal.isDumb,
            Terminal.height(of: 1) >= leastScreenRows,
            let command = standardCommand()
        else { return try body() }
        let gate = PagerGate(command: command, screenRows: paging == .on ? 0 : Terminal.height(of: 1))
        defer { try? gate.finish() }
        do {
            try Interruption.keepingBrokenPipes {
                try OutputTarget.$current.withValue(OutputTarget(pager: gate), operation: body)
            }
        } catch let failure as WriteFailure where failure.error.exitCode == .brokenPipe {
        } catch let failure as CommandFailure where failure.exitCode == .brokenPipe {
        }
    }

    /// The pager that the environment names: `LKREPL_PAGER`, `PAGER`, else `less` or `more` if there is one.
    static func standardCommand() -> String? {
        for name in ["LKREPL_PAGER", "PAGER"] {
            guard let command = Terminal.environment(name) else { continue }
            // As with other programs, cat says that no pager is wanted.
            return command == "cat" ? nil : command
        }
        if ChildCommand.isInPath("less") { return "less -FIRXS" }
        return ChildCommand.isInPath("more") ? "more" : nil
    }
}
