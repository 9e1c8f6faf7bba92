#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The identity of a thread.
package struct ThreadIdentity: Hashable {
    private let value: UInt

    /// The calling thread.
    package static var current: ThreadIdentity {
        #if canImport(Glibc)
            ThreadIdentity(value: UInt(pthread_self()))
        #else
            unsafe ThreadIdentity(value: UInt(bitPattern: pthread_self()))
        #endif
    }
}
