internal import LevelKit
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Lets one thread at a time write, and notices a write within a write instead of waiting for itself.
@safe final class WriterLock: @unchecked Sendable {
    // Unchecked: the mutex of the system lies at a fixed address and is made for sharing.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The thread that has the lock.
    private let holder = Mutex<ThreadIdentity?>(nil)
    /// Why nothing can be written at all; `nil` if it can.
    private let refusal: LevelError?

    init(refusal: LevelError? = nil) {
        self.refusal = refusal
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&attributes)
        unsafe pthread_mutexattr_settype(&attributes, numericCast(Self.errorChecking))
        unsafe pthread_mutex_init(mutex, &attributes)
        unsafe pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread writes.
    ///
    /// - Throws: ``DocIndexError`` with `nestedWrite` if this thread is writing already; `LevelError` with `readOnly` where
    ///   nothing can be written; what `body` throws.
    func withLock<R>(_ body: () throws -> R) throws -> R {
        if let refusal { throw refusal }
        guard unsafe pthread_mutex_lock(mutex) == 0 else { throw Self.nested }
        holder.withLock { $0 = .current }
        defer {
            holder.withLock { $0 = nil }
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body()
    }

    /// Throws if this thread has the lock: for what would wait for another thread that needs it.
    ///
    /// - Throws: ``DocIndexError`` with `nestedWrite`; `LevelError` with `readOnly` where nothing can be written.
    func requireNotHeldHere() throws {
        if let refusal { throw refusal }
        if holder.withLock({ $0 == .current }) { throw Self.nested }
    }

    private static var nested: DocIndexError {
        DocIndexError(
            .nestedWrite, "a write was begun inside a write; use the transaction that the outer one was given")
    }

    private static var errorChecking: Int { Int(PTHREAD_MUTEX_ERRORCHECK) }
}
