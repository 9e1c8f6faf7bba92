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

    /// Throws away a first run of each side.
    ///
    /// - Precondition: both sides read the same.
    func warm() throws {
        let (first, second) = (try ours(), try peer())
        precondition(first == second, "\(name): the two sides read different things: \(first) and \(second)")
    }

    /// Runs both sides one after the other; which goes first alternates with the rounds. The median of the ratios of
    /// neighbouring runs is hardly touched by a machine whose speed drifts.
    func run(_ round: Int) throws -> (ours: Cost, peer: Cost) {
        try rest()
        return try inTurn(round) {
            try Cost { _ = try ours() }
        } peer: {
            try Cost { _ = try peer() }
        }
    }

    func line(_ rounds: [(ours: Cost, peer: Cost)]) -> Line {
        Line(name, unit: "ns", peerName: "LevelDB's C", divisor: Double(operationCount), rounds: rounds)
    }
}
