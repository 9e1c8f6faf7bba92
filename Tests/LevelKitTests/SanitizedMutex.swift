#if LEVELKIT_THREAD_SANITIZER
    import LevelKit

    /// The mutex of these tests under the thread sanitizer, which does not know that of Synchronization.
    typealias Mutex<Value> = SanitizedMutex<Value>
#endif
