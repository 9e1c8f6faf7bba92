#if LEVELKIT_THREAD_SANITIZER
    internal import LevelKit

    /// A replacement for `Mutex` under the thread sanitizer. It wraps LevelKit's, so that files that do not import
    /// LevelKit can use it. Each module has its own, because only that one takes precedence over Synchronization's.
    struct Mutex<Value>: ~Copyable, Sendable {
        private let lock: SanitizedMutex<Value>

        init(_ value: sending Value) { lock = SanitizedMutex(value) }

        func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R { try lock.withLock(body) }
    }
#endif
