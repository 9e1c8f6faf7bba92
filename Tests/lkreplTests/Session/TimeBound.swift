#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A bound of time, asked in a form that a busy machine does not break by chance.
///
/// What else the machine does makes single tries slow, and never one quick: so the first of several tries that keeps the
/// bound shows that it can be kept, and what is slow by itself keeps it in none.
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

    /// Tries until the bound is kept, and returns what that try gave; what the others gave is let go.
    ///
    /// - Parameter attempt: Does it once, beginning anew, and says how long it took. Its argument counts the tries from 0.
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

    /// The same of everything that an action does.
    @discardableResult
    func keep<Result>(_ what: String, _ action: () throws -> Result) throws -> Result {
        try keep(what) { _ in
            let start = ContinuousClock.now
            let result = try action()
            return (ContinuousClock.now - start, result)
        }
    }

    /// Looks again and again until something is there, or it is too late; how long that took.
    func wait(until condition: () throws -> Bool) rethrows -> Duration {
        let start = ContinuousClock.now
        while try !condition(), ContinuousClock.now - start < limit { usleep(1000) }
        return ContinuousClock.now - start
    }
}
