#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A time limit that a busy machine does not break by chance.
///
/// Other load on the machine makes single attempts slow, but never fast. One attempt of several within the limit
/// therefore shows that the limit can be met, and code that is inherently slow never meets it.
struct TimeBound {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let limit: Duration
    let tries: Int

    init(_ limit: Duration, tries: Int = 4) {
        self.limit = limit
        self.tries = tries
    }

    /// Repeats an attempt until it meets the limit, and returns its result; other results are discarded.
    ///
    /// - Parameter attempt: Performs a complete attempt and returns how long it took. Its argument counts attempts from
    ///   0.
    @discardableResult
    func keep<Result>(_ what: String, _ attempt: (Int) throws -> (took: Duration, result: Result)) throws -> Result {
        var times: [Duration] = []
        for number in 0..<tries {
            let (took, result) = try attempt(number)
            if took < limit { return result }
            times.append(took)
        }
        throw Failure(description: "\(what) took \(times) and never less than \(limit)")
    }

    /// The same, measuring the whole action.
    @discardableResult
    func keep<Result>(_ what: String, _ action: () throws -> Result) throws -> Result {
        try keep(what) { _ in
            let start = ContinuousClock.now
            let result = try action()
            return (ContinuousClock.now - start, result)
        }
    }

    /// Polls until a condition holds or the time is up; returns how long that took.
    func wait(until condition: () throws -> Bool) rethrows -> Duration {
        let start = ContinuousClock.now
        while try !condition(), ContinuousClock.now - start < limit { usleep(1000) }
        return ContinuousClock.now - start
    }
}
