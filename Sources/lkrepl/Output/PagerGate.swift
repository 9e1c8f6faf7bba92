import LevelFiles
import Synchronization

/// Holds output until it exceeds the screen, and then passes it to a pager.
///
/// Output that fits on the screen is written when the command is done, or earlier if that takes long (``showEarly()``);
/// a pager started later repeats it. Closing the pager early makes the next write fail with EPIPE, which ends the
/// command silently.
final class PagerGate: Sendable {
    private struct State {
        var held: [UInt8] = []
        var lineCount = 0
        /// The number of held bytes that were already shown; `nil` while all are held back.
        var shownCount: Int?
        var child: ChildCommand?
    }

    /// A screen with fewer rows has no room for a page above the pager's own line.
    private static let leastScreenRows = 3

    private let state = Mutex(State())
    /// A command line for `sh`.
    private let command: String
    /// The end of the pager's command line for tables. Their lines are cut at the right edge; lines of text are wrapped.
    private let chopOption: String
    private let screenRows: Int
    private let terminal: FileDescriptor

    /// - Parameters:
    ///   - command: A command line for `sh`, such as `less -FIRX`.
    ///   - chopOption: What the command line ends with for tables.
    ///   - screenRows: The number of lines from which on output is paged.
    init(command: String, chopOption: String = "", screenRows: Int, terminal: FileDescriptor = .standardOutput) {
        self.command = command
        self.chopOption = chopOption
        self.screenRows = screenRows
        self.terminal = terminal
    }

    /// Writes bytes.
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
        // A prompt follows below the output, so a full screen has one line less.
        guard state.withLock({ $0.lineCount >= screenRows }) else { return try showMore() }
        let isTable = state.withLock { Self.isTable($0.held) }
        let child = try? ChildCommand(isTable ? command + chopOption : command, takesInput: true)
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
        // Without a pager the output goes to the terminal directly.
        try (child?.input ?? terminal).writeAll(held)
    }

    /// Shows held and later output immediately, until the pager starts.
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

    /// Shows held output, or waits until the user leaves the pager.
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

    /// Runs `body`, with its output passed through a pager if it is longer than the screen of a terminal.
    ///
    /// Leaving the pager early ends `body` and is not a failure.
    static func run(_ paging: PagerGate.Paging, _ body: () throws -> Void) throws {
        guard paging != .off, FileDescriptor.standardOutput.isTerminal, !Terminal.isDumb,
            Terminal.height(of: 1) >= leastScreenRows,
            let (command, chopOption) = standardCommand()
        else { return try body() }
        let gate = PagerGate(
            command: command, chopOption: chopOption, screenRows: paging == .on ? 0 : Terminal.height(of: 1))
        defer { try? gate.finish() }
        do {
            try Interruption.keepingBrokenPipes {
                try OutputTarget.$current.withValue(OutputTarget(pager: gate), operation: body)
            }
        } catch let failure as WriteError where failure.error.exitCode == .brokenPipe {
        } catch let failure as CommandError where failure.exitCode == .brokenPipe {
        }
    }

    /// The pager command: `LKREPL_PAGER`, `PAGER`, otherwise `less` or `more` if installed; and its option for tables.
    static func standardCommand() -> (command: String, chopOption: String)? {
        for name in ["LKREPL_PAGER", "PAGER"] {
            guard let command = Terminal.environment(name) else { continue }
            // As in other programs, cat disables the pager.
            return command == "cat" ? nil : (command, "")
        }
        if ChildCommand.isInPath("less") { return ("less -FIRX", "S") }
        return ChildCommand.isInPath("more") ? ("more", "") : nil
    }

    /// Returns whether output begins with the border of a table.
    private static func isTable(_ output: [UInt8]) -> Bool {
        let beginning = String(decoding: output.prefix(64), as: UTF8.self)
        return beginning.contains("┌") || beginning.hasPrefix("+-")
    }
}

extension PagerGate {
    /// When results are shown in a pager.
    enum Paging: String, CaseIterable, Sendable {
        /// If they are longer than the screen.
        case auto
        /// Always.
        case on
        /// Never.
        case off
    }
}
