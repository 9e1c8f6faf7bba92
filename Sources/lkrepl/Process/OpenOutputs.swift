import Synchronization

/// What the running command is writing, so that it can be brought to an orderly end where the command is not.
///
/// A command that is stopped, or fails, unwinds past the writers it has made. What they were given until then is whole
/// rows, and belongs to whoever reads the output.
final class OpenOutputs: @unchecked Sendable {
    // Unchecked: one command writes at a time, and only its own thread comes here.
    private var ends: [() throws -> Void] = []
    /// How many rows were written; `nil` where the command writes none.
    var rowCount: (() -> Int)?
    /// The name of the command; `nil` where there is none.
    let command: String?
    /// Whether the command tells of its progress itself, or reads what the user types: no other line may come between.
    private let tells = Atomic(false)

    init(command: String? = nil) { self.command = command }

    /// Whether ``tellItself()`` was called. May be asked by any thread.
    var tellsItself: Bool { tells.load(ordering: .relaxed) }

    /// Says that no line of another's may come between what is shown.
    func tellItself() { tells.store(true, ordering: .relaxed) }

    /// The outputs of the command that this task runs; `nil` outside of commands.
    @TaskLocal static var current: OpenOutputs?

    /// The failure of a command, with what it had written where it was stopped and does not say itself how far it came.
    func telling(_ error: any Error) -> any Error {
        var failure = CommandFailure(error)
        guard failure.exitCode == .interrupted || Interruption.isRequested, let count = rowCount?(), count > 0,
            failure.message == Interruption.failure().message
        else { return error }
        failure.message += " after \(HumanNumber.grouped(count)) rows"
        return failure
    }

    /// Has `end` called if the command does not come to its own end.
    func add(_ end: @escaping () throws -> Void) { ends.append(end) }

    /// Brings all outputs to their end, the newest first, since it may write to those before it. Failures are not told: the
    /// command has failed already.
    func endEarly() {
        while let end = ends.popLast() { try? end() }
    }
}
