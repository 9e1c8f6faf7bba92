internal import DocIndex

/// The commits of a pull that contain only what the peer has. A push to this peer skips them.
package struct EchoNotes: Sendable, Hashable {
    private var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    /// Reads the notes. Unreadable ones are dropped: a push then compares more.
    package init(_ text: [UInt8]) {
        guard case .array(let values)? = try? JSONParser().parse(text) else { return }
        for value in values {
            guard case .array(let bounds) = value, bounds.count == 2, case .int(let first) = bounds[0],
                case .int(let last) = bounds[1], first > 0, first <= last
            else { continue }
            ranges.append(UInt64(first)...UInt64(last))
        }
    }

    package var text: [UInt8] {
        let values = ranges.map { range -> DocumentValue in
            [.int(Int64(clamping: range.lowerBound)), .int(Int64(clamping: range.upperBound))]
        }
        return Array(DocumentValue.array(values).json.utf8)
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds a commit, which is the newest.
    package mutating func add(_ commit: UInt64) {
        if let last = ranges.last, last.upperBound + 1 == commit {
            ranges[ranges.count - 1] = last.lowerBound...commit
        } else if ranges.last.map({ $0.upperBound < commit }) ?? true {
            ranges.append(commit...commit)
        }
        if ranges.count > Self.limit { ranges.removeFirst(ranges.count - Self.limit) }
    }

    private static let limit = 4096

    package func contains(_ commit: UInt64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < commit { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(commit)
    }

    /// Drops what a push has passed.
    package mutating func drop(through commit: UInt64) { ranges.removeAll { $0.upperBound <= commit } }
}
