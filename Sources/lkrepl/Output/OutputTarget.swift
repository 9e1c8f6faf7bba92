/// Where the output of the running command goes: standard output, or what `.once` and `.output` of the shell name.
struct OutputTarget: Sendable {
    var descriptor = FileDescriptor.standardOutput
    /// What it is called in messages.
    var name = "standard output"
    /// What shows long results page by page; `nil` where nobody looks.
    var pager: PagerGate?

    /// Whether people look at it.
    var isTerminal: Bool { descriptor.isTerminal }

    /// The target of the command that this task runs.
    @TaskLocal static var current = OutputTarget()
}
