internal import LevelKit
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A lock that lets one thread at a time write. It detects a write inside a write, which would otherwise deadlock.
@safe final class WriterLock: @unchecked Sendable {
    // Unchecked: the system mutex lies at a fixed address and is safe to share.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The thread that holds the lock.
    private let holder = Mutex<ThreadIdentity?>(nil)
    /// The error to throw if the database is read-only; `nil` otherwise.
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
    /// - Throws: ``DocIndexError`` with `nestedWrite` if this thread is already writing; `LevelError` with `readOnly`
    ///   if the database is read-only; what `body` throws.
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

    /// Throws if this thread holds the lock. Used before waiting for another thread that needs the lock.
    ///
    /// - Throws: ``DocIndexError`` with `nestedWrite`; `LevelError` with `readOnly` if the database is read-only.
    func requireNotHeldHere() throws {
        if let refusal { throw refusal }
        if holder.withLock({ $0 == .current }) { throw Self.nested }
    }

    private static var nested: DocIndexError {
        DocIndexError(
            .nestedWrite, "a write was started inside another write; use the transaction of the outer write")
    }

    private static var errorChecking: Int { Int(PTHREAD_MUTEX_ERRORCHECK) }
}
