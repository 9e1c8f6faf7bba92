import Foundation

/// One line of the table.
package struct Line: Codable {
    package let operation: String
    package let unit: String
    /// What ours is compared with.
    package let peerName: String
    package let ours: Double
    package let peer: Double
    /// The peer's number over ours: above 1, ours is better. The median of all rounds.
    package let ratio: Double
    package let low: Double
    package let high: Double
    /// The same of processor time, which a busy machine hardly changes; `nil` where it was not taken.
    package let processorRatio: Double?
    /// How often both sides were measured; of once, there is no spread.
    package let rounds: Int

    /// A line from the costs of rounds, ours and the peer's in pairs.
    package init(
        _ operation: String, unit: String, peerName: String = "GRDB", divisor: Double,
        rounds: [(ours: Cost, peer: Cost)]
    ) {
        self.init(
            operation, unit: unit, peerName: peerName, ours: rounds.map { $0.ours.elapsed / divisor },
            peer: rounds.map { $0.peer.elapsed / divisor },
            processorRatio: Self.median(rounds.map { $0.peer.processor / $0.ours.processor }))
    }

    /// A line from the amounts of rounds, ours and the peer's in pairs.
    package init(
        _ operation: String, unit: String, peerName: String = "GRDB", ours: [Double], peer: [Double],
        processorRatio: Double? = nil
    ) {
        self.operation = operation
        self.unit = unit
        self.peerName = peerName
        self.processorRatio = processorRatio
        let ratios = zip(ours, peer).map { $1 / $0 }
        self.ours = Self.median(ours)
        self.peer = Self.median(peer)
        ratio = Self.median(ratios)
        low = ratios.min() ?? 0
        high = ratios.max() ?? 0
        rounds = ratios.count
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    // MARK: - Text

    package static func header(ours: String, peer: String) -> String {
        pad("operation", 46) + pad("", 11) + pad(ours, 11, right: true) + pad(peer, 11, right: true)
            + "   ratio (low to high)    processor"
    }

    package var text: String {
        Self.pad(operation, 46) + Self.pad(unit, 11) + Self.pad(Self.number(ours), 11, right: true)
            + Self.pad(Self.number(peer), 11, right: true)
            + Self.pad(String(format: "%.2f", ratio), 8, right: true)
            + Self.pad(rounds < 2 ? " (once)" : String(format: " (%.2f to %.2f)", low, high), 18)
            + Self.pad(processorRatio.map { String(format: "%.2f", $0) } ?? "", 7, right: true)
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    package static func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return right ? spaces + text : text + spaces
    }
}

/// What a program measured, as it stands in a file.
package struct Measured: Codable {
    package var program: String
    package var lines: [Line]

    package init(program: String, lines: [Line]) {
        self.program = program
        self.lines = lines
    }

    /// Writes the lines to the file that `--json` names, if it is there.
    package static func write(_ lines: [Line], of program: String, _ arguments: [String]) throws {
        guard let path = value(of: "--json", in: arguments) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(Measured(program: program, lines: lines)).write(to: URL(fileURLWithPath: path))
    }
}
