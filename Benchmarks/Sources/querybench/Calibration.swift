import DocIndex
import Foundation
import Harness
import LevelKit

/// Measures in place what the parts of a plan cost, as `CostModel` of the planner has them, in nanoseconds.
///
/// Each is the median of several runs over a store of records, all of it in memory. Entries and seeks are measured on a
/// cursor of LevelKit plus what a query does with an entry; documents by queries with a hint, less the entries that led
/// to them.
struct Calibration {
    let store: QueryStore
    let database: Database
    private let runs = 7

    init(_ store: QueryStore, _ database: Database) {
        self.store = store
        self.database = database
    }

    func run() throws {
        let all = DocIndex.Filter.exists("width")
        guard let range = try plan(all, .index("width")).keyRanges.first else {
            throw BenchmarkError("there is no index over the width")
        }
        let keys = try self.keys(in: range)
        // An index that counts its values answers without entries, so a range with another condition is asked.
        let entry =
            try median { try time { _ = try store.pictures.count(where: all, options: options(.index("width"))) } }
            / Double(keys.count)
        line("entryForward", entry)
        let forward = try median { try walk(range, reverse: false) } / Double(keys.count)
        let backward = try median { try walk(range, reverse: true) } / Double(keys.count)
        line("entryBackward", entry + backward - forward)
        line("seek", try seek(keys, range))
        try documents(entry)
        line("condition", try condition())
        try sorting()
    }

    private func line(_ name: String, _ nanoseconds: Double) {
        say("\(name.padding(toLength: 24, withPad: " ", startingAt: 0)) \(Int(nanoseconds.rounded())) ns")
    }

    private func options(_ hint: Query.Options.Hint) -> Query.Options { Query.Options(hint: hint) }

    private func plan(_ filter: DocIndex.Filter, _ hint: Query.Options.Hint) throws -> Plan {
        try store.pictures.plan(Query(filter), options: options(hint))
    }

    private func time(_ body: () throws -> Void) rethrows -> Double { try Cost(of: body).processor }

    private func median(_ measure: () throws -> Double) rethrows -> Double {
        _ = try measure()
        return try (0..<runs).map { _ in try measure() }.sorted()[runs / 2]
    }

    // MARK: - Entries

    private func keys(in range: KeyRange) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try database.cursor(in: range)
        while try cursor.advance() { keys.append(cursor.key.copied()) }
        return keys
    }

    private func walk(_ range: KeyRange, reverse: Bool) throws -> Double {
        try time {
            var cursor = try database.cursor(in: range, direction: reverse ? .descending : .ascending)
            while try cursor.advance() {}
        }
    }

    /// To the first entry of a range that nothing was read of before.
    private func seek(_ keys: [[UInt8]], _ range: KeyRange) throws -> Double {
        var random = SplitMix64(state: 3)
        let wanted = (0..<2000).map { _ in keys[Int(random.next() % UInt64(keys.count))] }
        return try median {
            try time {
                for key in wanted {
                    var part = range
                    part.lower = .included(key)
                    var cursor = try database.cursor(in: part)
                    _ = try cursor.advance()
                }
            } / Double(wanted.count)
        }
    }

    // MARK: - Documents

    private func documents(_ entry: Double) throws {
        let count = Double(try store.pictures.count())
        let scan = try median { try time { try read(Query(), .scan) } } / count
        line("documentInScan", scan)
        // Every year of some: rows that rise, far apart.
        let rising = Query(.between("width", 300, 302))
        let risingCount = Double(try store.pictures.count(where: rising.filter))
        let byRising = try median { try time { try read(rising, .index("width")) } } / max(1, risingCount)
        line("documentByRisingRow", byRising - entry)
        // The order of widths is none of rows.
        let any = Query(.exists("width"), sort: [.ascending("width")], limit: 20_000)
        let byAny = try median { try time { try read(any, .plan("walk(width)")) } } / min(20_000, count)
        line("documentByRow", byAny - entry)
    }

    /// Reads documents and decodes nothing of them.
    private func read(_ query: Query, _ hint: Query.Options.Hint) throws {
        _ = try store.pictures.select([], query, options: options(hint))
    }

    private func condition() throws -> Double {
        let count = Double(try store.pictures.count())
        let none = DocIndex.Filter.compare("height", .equal, -1)
        let asked = try median { try time { _ = try store.pictures.count(where: none, options: options(.scan)) } }
        let unasked = try median { try time { _ = try store.pictures.count(where: .all, options: options(.scan)) } }
        // Counting all documents reads a counter; reading them is subtracted as a scan.
        let scan = try median { try time { try read(Query(), .scan) } }
        return max(0, asked - max(scan, unasked)) / count
    }

    private func sorting() throws {
        let count = Double(try store.pictures.count())
        let scan = try median { try time { try read(Query(), .scan) } }
        func sorted(_ limit: Int) throws -> Double {
            try median {
                try time { try read(Query(sort: [.ascending("height"), .ascending("title")], limit: limit), .scan) }
            }
        }
        let few = try sorted(2)
        let many = try sorted(4096)
        line("sortKey", max(0, few - scan) / count)
        line("comparison", max(0, many - few) / count / 11)
    }
}
