import LevelFiles
import LevelKit

/// A scan over the pairs that a command selects by a range, a filter, an offset and a limit.
struct ScanRun {
    let range: KeyRange
    let filter: KeyFilter
    let options: FilterOptions

    init(range: KeyRange, options: FilterOptions) throws {
        self.range = range
        self.options = options
        filter = try options.filter()
    }

    /// Calls `body` with each pair. The spans are valid only during the call.
    func forEach(
        in session: Session, _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Void
    ) throws {
        var left = options.limit ?? .max
        var passed = options.offset ?? 0
        guard left > 0 else { return }
        /// Processes a pair; returns false after the last one to return.
        func take(_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool {
            try Interruption.check()
            guard filter.admitsAll || filter.admits(key) else { return true }
            if passed > 0 {
                passed -= 1
                return true
            }
            try body(key, value)
            left -= 1
            return left > 0
        }
        if let sequence = options.snapshot { return try forEachHistorical(in: session, sequence, take) }
        var cursor = try session.reader.cursor(
            in: range, direction: options.reverse ? .descending : .ascending, cache: .bypass)
        while try cursor.advance() {
            guard try take(cursor.key, cursor.value) else { return }
        }
    }

    /// Scans the files directly: LevelDB can read only the current state and snapshots of its own process.
    private func forEachHistorical(
        in session: Session, _ sequence: UInt64, _ take: (Span<UInt8>, Span<UInt8>) throws -> Bool
    ) throws {
        let files = try InspectedFiles(at: session.database.enginePath).files
        StandardError.shared.write("--snapshot: versions dropped by compactions are missing\n")
        let lower: [UInt8] =
            switch range.lower {
            case .unbounded: []
            case .included(let key): key
            case .excluded(let key): key + [0]
            }
        try HistoricalScan(files, sequence: sequence).forEach(from: lower) { key, value in
            switch range.upper {
            case .unbounded: break
            case .included(let bound): if bound.lexicographicallyPrecedes(key) { return false }
            case .excluded(let bound): if !key.lexicographicallyPrecedes(bound) { return false }
            }
            return try take(key.span, Array(value).span)
        }
    }
}
