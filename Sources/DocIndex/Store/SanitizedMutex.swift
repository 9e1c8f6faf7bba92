#if LEVELKIT_THREAD_SANITIZER
    internal import LevelKit

    /// What `Mutex` means in this module under the thread sanitizer: LevelKit's, with members that files see which do not
    /// import LevelKit.
    struct Mutex<Value>: ~Copyable, Sendable {
        private let lock: SanitizedMutex<Value>

        init(_ value: sending Value) { lock = SanitizedMutex(value) }

        func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R { try lock.withLock(body) }
    }
#endif
