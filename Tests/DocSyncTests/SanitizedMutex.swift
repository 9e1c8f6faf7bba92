#if LEVELKIT_THREAD_SANITIZER
    import Synchronization

    /// The mutex of these tests. Under the thread sanitizer, DocIndex has one of the same name for itself.
    typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
