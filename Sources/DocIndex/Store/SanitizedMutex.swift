#if LEVELKIT_THREAD_SANITIZER
    internal import LevelKit

    /// What `Mutex` means in this module under the thread sanitizer.
    typealias Mutex<Value> = SanitizedMutex<Value>
#endif
