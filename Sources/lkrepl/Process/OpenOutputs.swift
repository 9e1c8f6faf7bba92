import DocIndex
import Synchronization

/// The outputs of the running command, so that they can be completed if the command fails.
///
/// A command that is stopped, or fails, skips the end of its writers. The rows that it wrote before are complete, and
/// must reach the reader of the output.
final class OpenOutputs: @unchecked Sendable {
    // Unchecked: one command writes at a time, on a single thread.
    private var ends: [() throws -> Void] = []
    /// The completed work, such as `120 rows`, for the message of an interrupted command; `nil` if the command tells it
    /// itself. DocIndex may notice the end of its task before the command does (see ``Interruption``).
    var doneWork: (() -> String?)?
    /// The name of the command; `nil` if there is none.
    let command: String?
    /// Whether the command shows its own progress or reads typed input, so that no other status line may appear.
    private let tells = Atomic(false)

    init(command: String? = nil) { self.command = command }

    /// Whether ``tellItself()`` was called. Thread-safe.
    var tellsItself: Bool { tells.load(ordering: .relaxed) }

    /// Suppresses status lines from other sources.
    func tellItself() { tells.store(true, ordering: .relaxed) }

    /// The outputs of the command in this task; `nil` outside of commands.
    @TaskLocal static var current: OpenOutputs?

    /// The failure of a command. If it was interrupted and does not report its progress itself, adds
    /// ``doneWork``.
    func telling(_ error: any Error) -> any Error {
        var failure = CommandError(error)
        guard failure.exitCode == .interrupted || Interruption.isRequested, let work = doneWork?(),
            failure.message == Interruption.failure().message
        else { return error }
        failure.message += " after \(work)"
        return failure
    }

    /// Registers `end` to be called if the command fails.
    func add(_ end: @escaping () throws -> Void) { ends.append(end) }

    /// Completes all outputs, newest first, since these may write to older ones. Errors are ignored: the command has
    /// already failed.
    func endEarly() {
        while let end = ends.popLast() { try? end() }
    }
}
