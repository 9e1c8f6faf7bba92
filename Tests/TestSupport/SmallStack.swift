internal import Foundation
internal import Synchronization

/// Runs `work` on a thread with a stack of 512 KiB, the size of a secondary thread's stack on macOS. Under a sanitizer,
/// whose frames are several times as large, the stack is larger too.
public func withSmallStack<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result? {
    let box = ResultBox<Result>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let value = work()
        box.result.withLock { $0 = value }
        done.signal()
    }
    thread.stackSize = Sanitizer.isPresent ? 8 << 20 : 512 << 10
    thread.start()
    done.wait()
    return box.result.withLock { $0 }
}

private final class ResultBox<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
}
