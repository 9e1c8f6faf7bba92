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

/// How many rounds an earlier run of the same program had, as `--first-round` says: so that over several runs each side goes first
/// as often, and each of them directly after the start.
private let firstRound = value(of: "--first-round", in: CommandLine.arguments).flatMap { Int($0) } ?? 0

/// Runs both sides once, one after the other; which goes first alternates with the rounds.
package func inTurn(
    _ round: Int, ours: () throws -> Cost, peer: () throws -> Cost
) rethrows -> (ours: Cost, peer: Cost) {
    if (firstRound + round) % 2 == 0 {
        let first = try ours()
        return (first, try peer())
    }
    let first = try peer()
    return (try ours(), first)
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
