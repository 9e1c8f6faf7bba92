import Dispatch
import Synchronization

/// Work that does not look at ``Interruption`` itself, on a thread of its own.
///
/// What reads and holds nothing that others wait for is left alone after ^C (``run(_:_:)``): the caller goes on at once and
/// nobody looks at the result any more; the thread comes to its end by itself, or with the process. What must not be left
/// half done is waited for, and the user told why (``finishing(_:whenAsked:)``).
enum AbandonableWork {
    private final class Outcome<R: Sendable>: Sendable {
        let result = Mutex<R?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }

    /// How often ^C is looked for.
    private static let interval = 20

    /// Runs `body` to its end, or until the command is to stop.
    ///
    /// - Parameter subject: what is going on, for the message, such as `the check of the files`.
    /// - Throws: ``CommandFailure`` with `interrupted`.
    static func run<R: Sendable>(_ subject: String, _ body: @escaping @Sendable () -> R) throws -> R {
        let outcome = begin(body)
        while outcome.isDone.wait(timeout: .now() + .milliseconds(interval)) == .timedOut {
            guard !Interruption.isRequested else {
                var failure = Interruption.failure()
                failure.message = "interrupted during \(subject)"
                throw failure
            }
        }
        guard let result = outcome.result.withLock({ $0 }) else { throw Interruption.failure() }
        return result
    }

    /// Runs `body` to its end.
    ///
    /// - Parameter whenAsked: called again and again while the command is to stop, until it returns `true`.
    static func finishing<R: Sendable>(
        _ body: @escaping @Sendable () -> R, whenAsked: () -> Bool
    ) throws -> R {
        let outcome = begin(body)
        var wasTold = false
        while outcome.isDone.wait(timeout: .now() + .milliseconds(interval)) == .timedOut {
            if Interruption.isRequested, !wasTold { wasTold = whenAsked() }
        }
        guard let result = outcome.result.withLock({ $0 }) else { throw Interruption.failure() }
        return result
    }

    private static func begin<R: Sendable>(_ body: @escaping @Sendable () -> R) -> Outcome<R> {
        let outcome = Outcome<R>()
        DispatchQueue(label: "lkrepl.abandonable-work").async {
            let result = body()
            outcome.result.withLock { $0 = result }
            outcome.isDone.signal()
        }
        return outcome
    }
}
