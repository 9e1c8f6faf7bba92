import Dispatch
import Synchronization

/// Work that does not check ``Interruption`` itself, on a separate thread.
///
/// Work that only reads and holds no shared resources is abandoned after ^C (``run(_:_:)``): the caller continues at
/// once and ignores the result; the thread ends on its own or with the process. Work that must not be left half done is
/// awaited, and the user is told why (``finishing(_:whenAsked:)``).
enum AbandonableWork {
    /// Work that was started and will be awaited later.
    final class Started<R: Sendable>: Sendable {
        fileprivate let result = Mutex<R?>(nil)
        fileprivate let isDone = DispatchSemaphore(value: 0)

        fileprivate init() {}

        /// Waits for the result; `nil` if the command must stop first. May be called once.
        func value() -> R? {
            while isDone.wait(timeout: .now() + .milliseconds(interval)) == .timedOut {
                if Interruption.isRequested { return nil }
            }
            return result.withLock { $0.take() }
        }
    }

    /// The interval for checking for ^C, in milliseconds.
    private static let interval = 20

    /// Runs `body` until it returns or the command must stop.
    ///
    /// - Parameter subject: The name of the work for the message, such as `the check of the files`.
    /// - Throws: ``CommandError`` with `interrupted`.
    static func run<R: Sendable>(_ subject: String, _ body: @escaping @Sendable () -> R) throws -> R {
        guard let result = start(body).value() else {
            var failure = Interruption.failure()
            failure.message = "interrupted during \(subject)"
            throw failure
        }
        return result
    }

    /// Runs `body` until it returns.
    ///
    /// - Parameter whenAsked: Called repeatedly after a request to stop, until it returns `true`.
    static func finishing<R: Sendable>(
        _ body: @escaping @Sendable () -> R, whenAsked: () -> Bool
    ) throws -> R {
        let outcome = start(body)
        var wasTold = false
        while outcome.isDone.wait(timeout: .now() + .milliseconds(interval)) == .timedOut {
            if Interruption.isRequested, !wasTold { wasTold = whenAsked() }
        }
        guard let result = outcome.result.withLock({ $0 }) else { throw Interruption.failure() }
        return result
    }

    /// Starts `body`; the caller continues meanwhile.
    static func start<R: Sendable>(_ body: @escaping @Sendable () -> R) -> Started<R> {
        let outcome = Started<R>()
        DispatchQueue(label: "lkrepl.abandonable-work").async {
            let result = body()
            outcome.result.withLock { $0 = result }
            outcome.isDone.signal()
        }
        return outcome
    }
}
