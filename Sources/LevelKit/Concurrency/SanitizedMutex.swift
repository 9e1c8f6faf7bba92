#if LEVELKIT_THREAD_SANITIZER
    #if canImport(Glibc)
        internal import Glibc
    #else
        internal import Darwin
    #endif

    /// Replaces `Mutex` in this module under the thread sanitizer.
    typealias Mutex<Value: ~Copyable> = SanitizedMutex<Value>

    /// A replacement for `Synchronization.Mutex` in runs under the thread sanitizer (`make sanitize`). The sanitizer
    /// does not recognize `Mutex` on Linux and reports every value that it guards.
    @safe package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Unchecked: the value is accessed under the lock only.
        private final class Box {
            var value: Value

            init(_ value: consuming Value) { self.value = value }
        }

        private let box: Box
        private let lock: UnsafeMutablePointer<pthread_mutex_t>

        /// Creates a lock over a value.
        package init(_ value: consuming sending Value) {
            box = Box(value)
            unsafe lock = .allocate(capacity: 1)
            unsafe pthread_mutex_init(lock, nil)
        }

        deinit {
            unsafe pthread_mutex_destroy(lock)
            unsafe lock.deallocate()
        }

        /// Runs `body` with exclusive access to the value.
        package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return try body(&box.value)
        }
    }
#endif
