import Dispatch
import Synchronization

/// Work that does not check ``Interruption`` itself, on a separate thread.
///
/// Work that only reads and holds no shared resources is abandoned after ^C (``run(_:_:)``): the caller continues at
/// once and ignores the result; the thread ends on its own or with the process. Work that must not be left half done is
/// awaited, and the user is told why (``finishing(_:whenAsked:)``).
enum AbandonableWork {
    private final class Outcome<R: Sendable>: Sendable {
        let result = Mutex<R?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }

    /// The interval for checking for ^C, in milliseconds.
    private static let interval = 20

    /// Runs `body` until it returns or the command must stop.
    ///
    /// - Parameter subject: The name of the work for the message, such as `the check of the files`.
    /// - Throws: ``CommandError`` with `interrupted`.
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

    /// Runs `body` until it returns.
    ///
    /// - Parameter whenAsked: Called repeatedly after a request to stop, until it returns `true`.
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
