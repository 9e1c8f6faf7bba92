import Foundation

/// One line of the table.
///
/// As JSON it has the medians as well as all rounds, and is read back from the rounds.
package struct Line: Codable {
    /// Both sides, one directly after the other.
    package struct Round: Codable {
        package let ours: Double
        package let peer: Double
        /// The peer's processor time over ours, which a busy machine hardly changes; `nil` where it was not taken.
        package var processorRatio: Double?

        /// The peer's number over ours: above 1, ours is better.
        var ratio: Double { peer / ours }
    }

    package let operation: String
    package let unit: String
    /// What ours is compared with.
    package let peerName: String
    /// At least one.
    package private(set) var rounds: [Round]

    /// A line from the costs of rounds, ours and the peer's in pairs.
    package init(
        _ operation: String, unit: String, peerName: String = "GRDB", divisor: Double,
        rounds: [(ours: Cost, peer: Cost)]
    ) {
        (self.operation, self.unit, self.peerName) = (operation, unit, peerName)
        self.rounds = rounds.map {
            Round(
                ours: $0.ours.elapsed / divisor, peer: $0.peer.elapsed / divisor,
                processorRatio: $0.peer.processor / $0.ours.processor)
        }
    }

    /// A line from the amounts of rounds, ours and the peer's in pairs.
    package init(_ operation: String, unit: String, peerName: String = "GRDB", ours: [Double], peer: [Double]) {
        (self.operation, self.unit, self.peerName) = (operation, unit, peerName)
        rounds = zip(ours, peer).map { Round(ours: $0, peer: $1) }
    }

    /// Adds the rounds of a line that says the same of another moment.
    package mutating func add(_ other: Line) { rounds += other.rounds }

    /// Whether the line measures the same as another.
    package func isAlike(_ other: Line) -> Bool { operation == other.operation && peerName == other.peerName }

    package var ours: Double { Self.median(rounds.map(\.ours)) }
    package var peer: Double { Self.median(rounds.map(\.peer)) }
    /// The median of the rounds' ratios.
    package var ratio: Double { Self.median(rounds.map(\.ratio)) }
    package var low: Double { rounds.map(\.ratio).min() ?? 0 }
    package var high: Double { rounds.map(\.ratio).max() ?? 0 }
    package var processorRatio: Double? {
        let ratios = rounds.compactMap(\.processorRatio)
        return ratios.isEmpty ? nil : Self.median(ratios)
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    // MARK: - JSON

    private enum Key: String, CodingKey {
        case operation, unit, peerName, rounds, ours, peer, ratio, low, high, processorRatio
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        operation = try values.decode(String.self, forKey: .operation)
        unit = try values.decode(String.self, forKey: .unit)
        peerName = try values.decode(String.self, forKey: .peerName)
        rounds = try values.decode([Round].self, forKey: .rounds)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(operation, forKey: .operation)
        try values.encode(unit, forKey: .unit)
        try values.encode(peerName, forKey: .peerName)
        try values.encode(rounds, forKey: .rounds)
        for (key, number) in [(Key.ours, ours), (.peer, peer), (.ratio, ratio), (.low, low), (.high, high)] {
            try values.encode(number, forKey: key)
        }
        try values.encodeIfPresent(processorRatio, forKey: .processorRatio)
    }

    // MARK: - Text

    package static func header(ours: String, peer: String) -> String {
        pad("operation", 46) + pad("", 11) + pad(ours, 11, right: true) + pad(peer, 11, right: true)
            + "   ratio (low to high)    processor"
    }

    package var text: String {
        Self.pad(operation, 46) + Self.pad(unit, 11) + Self.pad(Self.number(ours), 11, right: true)
            + Self.pad(Self.number(peer), 11, right: true)
            + Self.pad(String(format: "%.2f", ratio), 8, right: true)
            + Self.pad(rounds.count < 2 ? " (once)" : String(format: " (%.2f to %.2f)", low, high), 18)
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
    /// What was measured beside each other: names with versions.
    package var versions: [String]?
    package var lines: [Line]

    /// Adds what the same program measured at another moment: rounds to the lines that are there, and further lines.
    package mutating func add(_ other: Measured) {
        versions = versions ?? other.versions
        for line in other.lines {
            if let position = lines.firstIndex(where: line.isAlike) {
                lines[position].add(line)
            } else {
                lines.append(line)
            }
        }
    }

    package init(program: String, versions: [String]? = nil, lines: [Line]) {
        self.program = program
        self.versions = versions
        self.lines = lines
    }

    /// Writes the lines to the file that `--json` names, if it is there.
    package static func write(
        _ lines: [Line], of program: String, versions: [String] = [], _ arguments: [String]
    ) throws {
        guard let path = value(of: "--json", in: arguments) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let measured = Measured(program: program, versions: versions, lines: lines)
        try encoder.encode(measured).write(to: URL(fileURLWithPath: path))
    }
}
