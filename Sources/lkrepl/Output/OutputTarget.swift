/// The destination of the running command's output: standard output, the sink of `.once` and `.output`, or memory.
struct OutputTarget: Sendable {
    var descriptor = FileDescriptor.standardOutput
    /// The target's name in messages.
    var name = "standard output"
    /// The pager for long results; `nil` for none.
    var pager: PagerGate?
    /// The memory that takes the output instead of the descriptor; `nil` for none.
    var capture: OutputCapture?

    /// Whether the target is a terminal.
    var isTerminal: Bool { capture == nil && descriptor.isTerminal }

    /// The target of the command in this task.
    @TaskLocal static var current = OutputTarget()

    /// A target in memory.
    static func memory(_ capture: OutputCapture) -> OutputTarget {
        // No descriptor has this number, so nothing reaches the streams of the process.
        OutputTarget(descriptor: FileDescriptor(rawValue: -1), name: "the output", capture: capture)
    }
}
