#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The same work done in two ways, one after the other, several times.
struct Comparison {
    let name: String
    /// Operations in one round.
    let operationCount: Int
    /// Ours, and what it is compared with. Each returns a sum over what it read, so that both can be checked to have
    /// done the same.
    let ours: () throws -> UInt64
    let peer: () throws -> UInt64
    /// Brings both sides to rest before each round, so that work which one of them left to the background is not counted
    /// for the other.
    var rest: () throws -> Void = {}

    /// The outcome of a comparison.
    struct Result {
        let name: String
        let oursNanoseconds: Double
        let peerNanoseconds: Double
        /// Throughput of ours over that of the peer: the median of all rounds, and the smallest and largest.
        let ratio: (median: Double, low: Double, high: Double)
        /// The same of the processor time of the whole process, which a busy machine hardly changes.
        let processorRatio: Double
    }

    /// Runs both sides alternately; the median of the ratios of neighbouring runs is hardly touched by a machine whose
    /// speed drifts.
    func run(rounds: Int) throws -> Result {
        let (first, second) = (try ours(), try peer())
        precondition(first == second, "\(name): the two sides read different things: \(first) and \(second)")
        var ratios: [Double] = []
        var processorRatios: [Double] = []
        var oursTimes: [Double] = []
        var peerTimes: [Double] = []
        for round in 0..<rounds {
            try rest()
            // Which side goes first alternates as well.
            let (a, b): (Cost, Cost)
            if round % 2 == 0 {
                a = try Self.cost(of: ours)
                b = try Self.cost(of: peer)
            } else {
                b = try Self.cost(of: peer)
                a = try Self.cost(of: ours)
            }
            ratios.append(b.elapsed / a.elapsed)
            processorRatios.append(b.processor / a.processor)
            oursTimes.append(a.elapsed / Double(operationCount))
            peerTimes.append(b.elapsed / Double(operationCount))
        }
        ratios.sort()
        return Result(
            name: name, oursNanoseconds: oursTimes.sorted()[rounds / 2],
            peerNanoseconds: peerTimes.sorted()[rounds / 2],
            ratio: (ratios[rounds / 2], ratios[0], ratios[rounds - 1]),
            processorRatio: processorRatios.sorted()[rounds / 2])
    }

    /// What one run took, in nanoseconds.
    private struct Cost {
        let elapsed: Double
        let processor: Double
    }

    private static func cost(of body: () throws -> UInt64) rethrows -> Cost {
        let (elapsed, processor) = (time(CLOCK_MONOTONIC), time(CLOCK_PROCESS_CPUTIME_ID))
        _ = try body()
        return Cost(
            elapsed: time(CLOCK_MONOTONIC) - elapsed, processor: time(CLOCK_PROCESS_CPUTIME_ID) - processor)
    }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
