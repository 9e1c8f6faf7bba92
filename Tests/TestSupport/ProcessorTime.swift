#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Returns the processor time that the current thread spends in `body`.
///
/// Unlike the time by the clock, it does not grow while other tests or programs have the processor. A wait, such as for
/// a lock or a disk, does not count.
public func processorTime<Failure: Error>(of body: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let begin = threadTime()
    try body()
    return threadTime() - begin
}

/// Returns the processor time that the current thread has taken.
public func threadTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
