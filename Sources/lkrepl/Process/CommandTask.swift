import Dispatch
import Synchronization

/// Runs a command so that it can be stopped: in a task of its own, which ^C cancels.
///
/// DocIndex looks at the cancellation of the task it runs in, commands of lkrepl at ``Interruption``. The caller's thread
/// waits.
enum CommandTask {
    private final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }

    /// Runs `body` to its end and throws what it throws. Task-local values of the caller hold within.
    static func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = Outcome()
        let task = Task {
            let result = Result { try body() }
            outcome.result.withLock { $0 = result }
            outcome.isDone.signal()
        }
        Interruption.onRequest { task.cancel() }
        outcome.isDone.wait()
        Interruption.endCommand()
        try outcome.result.withLock { $0 }?.get()
    }
}
