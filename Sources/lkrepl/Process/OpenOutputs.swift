/// What the running command is writing, so that it can be brought to an orderly end where the command is not.
///
/// A command that is stopped, or fails, unwinds past the writers it has made. What they were given until then is whole
/// rows, and belongs to whoever reads the output.
final class OpenOutputs: @unchecked Sendable {
    // Unchecked: one command writes at a time, and only its own thread comes here.
    private var ends: [() throws -> Void] = []

    /// The outputs of the command that this task runs; `nil` outside of commands.
    @TaskLocal static var current: OpenOutputs?

    /// Has `end` called if the command does not come to its own end.
    func add(_ end: @escaping () throws -> Void) { ends.append(end) }

    /// Brings all outputs to their end, the newest first, since it may write to those before it. Failures are not told: the
    /// command has failed already.
    func endEarly() {
        while let end = ends.popLast() { try? end() }
    }
}
