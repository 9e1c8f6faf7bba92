internal import LevelKit

extension Query {
    /// How a query was answered, and why: the plan, its estimates and actual figures, the other plans considered, and
    /// the reason why each unused index was not used.
    public struct Explanation: Sendable, Hashable, CustomStringConvertible {
        /// The query.
        public let query: Query
        /// The plan, and how much was read.
        public let actual: Plan.Execution
        /// The other plans considered, cheapest first.
        public let alternatives: [Plan]
        /// The indexes that are not used.
        public let rejections: [Plan.Rejection]
        /// A suggested index; `nil` if none would help.
        public let advice: String?

        /// The plan.
        public var plan: Plan { actual.plan }

        /// The explanation as lines of text.
        public var description: String {
            var lines = ["plan: \(plan)"]
            lines += plan.access.rangeLines.map { "  \($0)" }
            let estimate = plan.estimate
            lines.append(
                "expected: \(estimate.keyCount) keys, \(estimate.documentCount) documents, \(estimate.rowCount) rows, "
                    + "\(estimate.microseconds) µs")
            lines.append(
                "actual: \(actual.keysExamined) keys, \(actual.documentsExamined) documents, \(actual.resultCount) rows, "
                    + "\(Self.microseconds(actual.duration)) µs")
            if actual.didSwitchAccess {
                lines.append(
                    plan.access == .scan
                        ? "the scan found too few results; the rest came from \(plan.fallback?.access.identity ?? "indexes")"
                        : "the scan found too few results; the remaining rows were read and sorted")
            }
            lines += alternatives.prefix(5).map { "instead: \($0.identity), about \($0.estimate.microseconds) µs" }
            lines += rejections.map { "not used: \($0)" }
            if let advice { lines.append("advice: \(advice)") }
            return lines.joined(separator: "\n")
        }

        /// The explanation as data.
        public var json: DocumentObject {
            let estimate = plan.estimate
            var object: DocumentObject = [
                "plan": .object(plan.access.json), "identity": .string(plan.identity),
                "order": .string(plan.ordering.rawValue), "condition": .string(query.filter.description),
                "estimated": [
                    "keys": .int(Int64(estimate.keyCount)), "documents": .int(Int64(estimate.documentCount)),
                    "rows": .int(Int64(estimate.rowCount)), "us": .int(Int64(estimate.microseconds)),
                ],
                "actual": [
                    "keys": .int(Int64(actual.keysExamined)), "documents": .int(Int64(actual.documentsExamined)),
                    "rows": .int(Int64(actual.resultCount)), "us": .int(Self.microseconds(actual.duration)),
                    "switchedAccess": .bool(actual.didSwitchAccess),
                ],
                "alternatives": .array(
                    alternatives.map {
                        ["identity": .string($0.identity), "us": .int(Int64($0.estimate.microseconds))]
                    }),
                "rejected": .array(
                    rejections.map {
                        ["index": .string($0.index), "reason": .string($0.code), "text": .string($0.description)]
                    }),
            ]
            if let advice { object["advice"] = .string(advice) }
            return object
        }

        private static func microseconds(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }
    }
}

extension Plan.Access {
    /// A line for each key range, with its bounds as bytes.
    var rangeLines: [String] {
        switch self {
        case .nothing, .scan, .nearest, .search, .ranked(_, nil): []
        case .ranked(_, let filter?): filter.rangeLines
        case .union(let parts), .intersection(let parts): parts.flatMap(\.rangeLines)
        case .ranges(let scan): Self.lines(scan.index, scan.ranges)
        case .ids(let scan): Self.lines("ids", scan.ranges)
        case .ordered(let scan, let filter): Self.lines(scan.index, scan.ranges) + (filter?.rangeLines ?? [])
        }
    }

    private static func json(_ operation: String, _ scan: Plan.TextScan) -> DocumentObject {
        [
            "op": .string(operation), "index": .string(scan.index),
            "conditions": .array(scan.conditions.map { .string($0) }), "est": .int(Int64(scan.estimatedMatchCount)),
        ]
    }

    private static func lines(_ index: String, _ ranges: [KeyRange]) -> [String] {
        let shown = ranges.prefix(5).map { "\(index): \($0.notation)" }
        return ranges.count > 5 ? shown + ["\(index): and \(ranges.count - 5) more ranges"] : shown
    }

    /// The access as data.
    var json: DocumentObject {
        func strings(_ texts: [String]) -> DocumentValue { .array(texts.map { .string($0) }) }
        switch self {
        case .nothing: return ["op": "nothing"]
        case .scan: return ["op": "scan"]
        case .ranges(let scan):
            return [
                "op": "index", "index": .string(scan.index), "conditions": strings(scan.conditions),
                "entryConditions": strings(scan.filterConditions), "ranges": strings(scan.ranges.map(\.notation)),
                "est": .int(Int64(scan.estimatedEntryCount)),
            ]
        case .ids(let scan):
            return [
                "op": "ids", "conditions": strings(scan.conditions), "ranges": strings(scan.ranges.map(\.notation)),
                "est": .int(Int64(scan.estimatedCount)),
            ]
        case .union(let parts): return ["op": "union", "in": .array(parts.map { .object($0.json) })]
        case .intersection(let parts): return ["op": "intersection", "in": .array(parts.map { .object($0.json) })]
        case .ordered(let scan, let filter):
            var object: DocumentObject = [
                "op": "ordered", "index": .string(scan.index), "backwards": .bool(scan.isDescending),
                "conditions": strings(scan.conditions), "ranges": strings(scan.ranges.map(\.notation)),
            ]
            if let filter { object["among"] = .object(filter.json) }
            return object
        case .nearest(let index, let center):
            return [
                "op": "nearest", "index": .string(index), "latitude": .double(center.latitude),
                "longitude": .double(center.longitude),
            ]
        case .search(let scan): return Self.json("search", scan)
        case .ranked(let scan, let filter):
            var object = Self.json("ranked", scan)
            if let filter { object["among"] = .object(filter.json) }
            return object
        }
    }
}

extension KeyRange {
    /// The bounds as bytes: printable ASCII unchanged, other bytes as `\xNN`.
    var notation: String {
        func text(_ bound: KeyBound<[UInt8]>, _ unbounded: String) -> String {
            bound.key.map { $0.map(Self.notation).joined() } ?? unbounded
        }
        return "\(text(lower, "first")) ..< \(text(upper, "end"))"
    }

    private static func notation(_ byte: UInt8) -> String {
        if (0x21...0x7e).contains(byte), byte != UInt8(ascii: "\\") { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
}

extension DocumentCollection {
    /// Runs a query and explains how it was answered.
    ///
    /// - Throws: The errors of ``find(_:options:)``.
    /// - Complexity: That of the query.
    public func explain(_ query: Query, options: Query.Options = Query.Options()) throws -> Query.Explanation {
        try query.validate()
        let rows = try reader(for: query.filter)
        let planner = try self.planner(rows, for: .documents)
        let considered = try planner.options(for: query)
        let actual = try forEach(matching: query, options: options) { _ in true }
        let used = actual.plan.indexNames
        let rejections = rows.collection.indexes.filter { !$0.isRetiring }.compactMap { entry -> Plan.Rejection? in
            if used.contains(where: { $0.hasSameBytes(as: entry.definition.name) }) { return nil }
            guard entry.isReady, entry.hasContent else {
                return Plan.Rejection(index: entry.definition.name, reason: .notReady)
            }
            return planner.rejection(of: entry.definition, query, options: considered)
        }
        return Query.Explanation(
            query: query, actual: actual,
            alternatives: considered.map(\.plan).filter { $0.identity != actual.plan.identity },
            rejections: rejections, advice: planner.advice(query, chosen: actual.plan))
    }
}
