import Harness

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

    /// Runs both sides alternately; the median of the ratios of neighbouring runs is hardly touched by a machine whose
    /// speed drifts.
    func run(rounds: Int) throws -> Line {
        let (first, second) = (try ours(), try peer())
        precondition(first == second, "\(name): the two sides read different things: \(first) and \(second)")
        var costs: [(ours: Cost, peer: Cost)] = []
        for round in 0..<rounds {
            try rest()
            // Which side goes first alternates as well.
            if round % 2 == 0 {
                let first = try Cost { _ = try ours() }
                costs.append((first, try Cost { _ = try peer() }))
            } else {
                let first = try Cost { _ = try peer() }
                costs.append((try Cost { _ = try ours() }, first))
            }
        }
        return Line(name, unit: "ns", peerName: "LevelDB's C", divisor: Double(operationCount), rounds: costs)
    }
}
