import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// What one run took, in nanoseconds.
package struct Cost: Codable {
    package var elapsed: Double
    /// Processor time of the whole process, all threads.
    package var processor: Double

    package init(of body: () throws -> Void) rethrows {
        let (elapsed, processor) = (Self.time(CLOCK_MONOTONIC), Self.time(CLOCK_PROCESS_CPUTIME_ID))
        try body()
        self.elapsed = Self.time(CLOCK_MONOTONIC) - elapsed
        self.processor = Self.time(CLOCK_PROCESS_CPUTIME_ID) - processor
    }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// One line of the table.
package struct Line: Codable {
    package let operation: String
    package let unit: String
    package let ours: Double
    package let peer: Double
    /// The peer's number over ours: above 1, ours is better. The median of all rounds.
    package let ratio: Double
    package let low: Double
    package let high: Double
    /// The same of processor time, which a busy machine hardly changes; `nil` where the line is no time.
    package let processorRatio: Double?

    /// A line from the costs of rounds, ours and the peer's in pairs.
    package init(_ operation: String, unit: String, divisor: Double, rounds: [(ours: Cost, peer: Cost)]) {
        self.operation = operation
        self.unit = unit
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let ratios = rounds.map { $0.peer.elapsed / $0.ours.elapsed }
        ours = median(rounds.map(\.ours.elapsed)) / divisor
        peer = median(rounds.map(\.peer.elapsed)) / divisor
        ratio = median(ratios)
        low = ratios.min() ?? 0
        high = ratios.max() ?? 0
        processorRatio = median(rounds.map { $0.peer.processor / $0.ours.processor })
    }

    /// A line of two amounts.
    package init(_ operation: String, unit: String, ours: Double, peer: Double) {
        self.operation = operation
        self.unit = unit
        self.ours = ours
        self.peer = peer
        ratio = peer / ours
        low = ratio
        high = ratio
        processorRatio = nil
    }

    package static let header =
        pad("operation", 46) + pad("", 11) + pad("DocIndex", 11, right: true) + pad("GRDB", 11, right: true)
        + "   ratio (low to high)    processor"

    package var text: String {
        Self.pad(operation, 46) + Self.pad(unit, 11) + Self.pad(Self.number(ours), 11, right: true)
            + Self.pad(Self.number(peer), 11, right: true)
            + Self.pad(String(format: "%.2f", ratio), 8, right: true)
            + Self.pad(processorRatio == nil ? "" : String(format: " (%.2f to %.2f)", low, high), 18)
            + Self.pad(processorRatio.map { String(format: "%.2f", $0) } ?? "", 7, right: true)
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    private static func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return right ? spaces + text : text + spaces
    }
}

/// Runs both sides one after the other, several times; which goes first alternates.
package func alternating(rounds: Int, ours: (Int) throws -> Cost, peer: (Int) throws -> Cost) rethrows -> [(
    ours: Cost, peer: Cost
)] {
    try (0..<rounds).map { round in
        if round % 2 == 0 {
            let first = try ours(round)
            return (first, try peer(round))
        }
        let first = try peer(round)
        return (try ours(round), first)
    }
}

/// Prints a line at once, even into a pipe.
package func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Bytes of all files in a directory.
package func byteCount(of directory: String) -> Double {
    let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
    return files.reduce(0) { sum, file in
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + file)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
        return sum + Double((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
    }
}

/// What stands behind an option of the command line; `nil` if it is not there.
package func value(of option: String, in arguments: [String]) -> String? {
    arguments.firstIndex(of: option).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
}
