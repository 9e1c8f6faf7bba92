/// The destination of the running command's output: standard output, or the sink of `.once` and `.output`.
struct OutputTarget: Sendable {
    var descriptor = FileDescriptor.standardOutput
    /// The target's name in messages.
    var name = "standard output"
    /// The pager for long results; `nil` for none.
    var pager: PagerGate?

    /// Whether the target is a terminal.
    var isTerminal: Bool { descriptor.isTerminal }

    /// The target of the command in this task.
    @TaskLocal static var current = OutputTarget()
}
