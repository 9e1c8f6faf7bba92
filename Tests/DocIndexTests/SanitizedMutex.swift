#if LEVELKIT_THREAD_SANITIZER
    import LevelKit

    /// The mutex of these tests under the thread sanitizer, which does not know that of Synchronization.
    struct Mutex<Value>: ~Copyable, Sendable {
        private let lock: SanitizedMutex<Value>

        init(_ value: sending Value) { lock = SanitizedMutex(value) }

        func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R { try lock.withLock(body) }
    }
#endif
