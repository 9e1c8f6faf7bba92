/// The same work done in two ways, one after the other, several times.
struct Comparison {
    let name: String
    /// Operations in one round.
    let operationCount: Int
    /// Ours, and what it is compared with. Each returns a sum over what it read, so that both can be checked to have
    /// done the same.
    let ours: () throws -> UInt64
    let peer: () throws -> UInt64

    /// The outcome of a comparison.
    struct Result {
        let name: String
        let oursNanoseconds: Double
        let peerNanoseconds: Double
        /// Throughput of ours over that of the peer: the median of all rounds, and the smallest and largest.
        let ratio: (median: Double, low: Double, high: Double)
    }

    /// Runs both sides alternately; the median of the ratios of neighbouring runs is hardly touched by a machine whose
    /// speed drifts.
    func run(rounds: Int) throws -> Result {
        let (first, second) = (try ours(), try peer())
        precondition(first == second, "\(name): the two sides read different things: \(first) and \(second)")
        var ratios: [Double] = []
        var oursTimes: [Double] = []
        var peerTimes: [Double] = []
        for round in 0..<rounds {
            // Which side goes first alternates as well.
            let (a, b): (Double, Double)
            if round % 2 == 0 {
                a = try Self.nanoseconds(ours)
                b = try Self.nanoseconds(peer)
            } else {
                b = try Self.nanoseconds(peer)
                a = try Self.nanoseconds(ours)
            }
            ratios.append(b / a)
            oursTimes.append(a / Double(operationCount))
            peerTimes.append(b / Double(operationCount))
        }
        ratios.sort()
        return Result(
            name: name, oursNanoseconds: oursTimes.sorted()[rounds / 2],
            peerNanoseconds: peerTimes.sorted()[rounds / 2],
            ratio: (ratios[rounds / 2], ratios[0], ratios[rounds - 1]))
    }

    private static func nanoseconds(_ body: () throws -> UInt64) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        _ = try body()
        let duration = clock.now - start
        return Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
    }
}
