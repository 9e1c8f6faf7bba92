import DocIndex
import Foundation
import Harness

/// All comparisons, one after the other.
struct Suite {
    var recordCount = 118_357
    var rounds = 5
    var loadRounds = 7
    var openingRounds = 5
    /// Operations in one round.
    var operationCount = 2000
    var syncedCount = 50
    var growth = [10_000, 100_000]
    let directory: String
    let records: Records

    private(set) var lines: [Line] = []

    init(directory: String, records: Records) {
        self.directory = directory
        self.records = records
    }

    /// - Parameters:
    ///   - growthOnly: whether only loads of several sizes are compared.
    ///   - manyOnly: whether only updates of many documents at once are compared.
    mutating func run(growthOnly: Bool = false, manyOnly: Bool = false) throws {
        if manyOnly {
            _ = try load("ours", form: "text", count: recordCount)
            _ = try load("peer", form: "text", count: recordCount)
            let (ours, peer) = (try DocIndexSide(directory: place("ours")), try SQLiteSide(directory: place("peer")))
            let texts = try LineReader(path: records.path, count: recordCount).rest()
            let ids = try texts.prefix(operationCount).map { try SQLiteSide.prepare($0).id }
            try updatesOfMany(ours, peer)
            try checkEqual(ours, peer, ids: ids, texts: texts)
            try ours.close()
            try peer.close()
            return
        }
        if !growthOnly {
            try loads()
            try operations()
        }
        try growthOfLoads()
    }

    private mutating func add(_ line: Line) {
        lines.append(line)
        say(line.text)
    }

    private func place(_ side: String) -> String { directory + "/" + side }

    /// What the disk has still to write from before is written before a load begins, so that it is not counted for that.
    private func load(_ side: String, form: String, count: Int) throws -> LoadReport {
        try? FileManager.default.removeItem(atPath: place(side))
        sync()
        return try LoadReport.ofChild(
            side: side, form: form, path: records.path, count: count, directory: place(side))
    }

    // MARK: - Loads

    private mutating func loads() throws {
        let forms = [("decoded", "load, decoded documents"), ("text", "load, from JSON text")]
        var amounts = forms.map { _ in Amounts() }
        var costs = forms.map { _ in [(ours: Cost, peer: Cost)]() }
        var (compactions, openings) = ([(ours: Cost, peer: Cost)](), [(ours: Cost, peer: Cost)]())
        var readOnlyOpenings: [(ours: Cost, peer: Cost)] = []
        // Both forms in turns: so the spread tells of how the machine drifts. The last load is that of texts.
        for round in 0..<loadRounds {
            for (position, form) in forms.enumerated() {
                costs[position].append(
                    try loadBoth(form.0, count: recordCount, round: round, noting: &amounts[position]))
                // Opening read-only changes nothing, so the next opening is still the first.
                let readOnly = try openReadOnly("ours")
                openings.append(try openBoth(round))
                readOnlyOpenings.append((readOnly, openings[openings.count - 1].ours))
                if form.0 == "decoded" { compactions.append(try compactBoth(round)) }
            }
        }
        for (position, form) in forms.enumerated() {
            add(Line(form.1, unit: "µs/record", divisor: Double(recordCount) * 1e3, rounds: costs[position]))
        }
        let ofTexts = amounts[1]
        add(Line("peak memory of that load", unit: "MB", ours: ofTexts.ours.peaks, peer: ofTexts.peer.peaks))
        add(Line("size on disk after the load", unit: "MB", ours: ofTexts.ours.sizes, peer: ofTexts.peer.sizes))
        add(Line("compact after a load", unit: "s", divisor: 1e9, rounds: compactions))
        add(Line("open, the first time after a load", unit: "ms", divisor: 1e6, rounds: openings))
        add(
            Line(
                "open read-only, the first time after a load", unit: "ms", peerName: "writable", divisor: 1e6,
                rounds: readOnlyOpenings))
    }

    private func compactBoth(_ round: Int) throws -> (ours: Cost, peer: Cost) {
        func compact<S: Side>(_ type: S.Type, _ name: String) throws -> Cost {
            let side = try S(directory: place(name))
            let cost = try Cost { try side.compact() }
            try side.close()
            return cost
        }
        return try inTurn(round) {
            try compact(DocIndexSide.self, "ours")
        } peer: {
            try compact(SQLiteSide.self, "peer")
        }
    }

    /// Loads both sides; which goes first alternates with the rounds.
    private func loadBoth(
        _ form: String, count: Int, round: Int, noting amounts: inout Amounts
    ) throws -> (ours: Cost, peer: Cost) {
        try inTurn(round) {
            amounts.ours.note(try load("ours", form: form, count: count), place("ours"))
        } peer: {
            amounts.peer.note(try load("peer", form: form, count: count), place("peer"))
        }
    }

    /// What loads took of memory and disk, in megabytes.
    private struct Amounts {
        struct OfSide {
            var peaks: [Double] = []
            var sizes: [Double] = []

            mutating func note(_ report: LoadReport, _ place: String) -> Cost {
                peaks.append(report.peakByteCount / 1e6)
                sizes.append(byteCount(of: place) / 1e6)
                return report.cost
            }
        }

        var ours = OfSide()
        var peer = OfSide()
    }

    /// Megabytes on disk, ours and the peer's.
    private var sizes: (ours: Double, peer: Double) {
        (byteCount(of: place("ours")) / 1e6, byteCount(of: place("peer")) / 1e6)
    }

    private mutating func growthOfLoads() throws {
        for count in growth {
            var amounts = Amounts()
            var (rounds, openings) = ([(ours: Cost, peer: Cost)](), [(ours: Cost, peer: Cost)]())
            for round in 0..<(count > 500_000 ? 1 : loadRounds) {
                rounds.append(try loadBoth("text", count: count, round: round, noting: &amounts))
                openings.append(try openBoth(round))
            }
            add(
                Line(
                    "load of \(count), from JSON text", unit: "µs/record", divisor: Double(count) * 1e3, rounds: rounds)
            )
            add(Line("its peak memory, \(count)", unit: "MB", ours: amounts.ours.peaks, peer: amounts.peer.peaks))
            // For each record, so that the growth is seen.
            let perRecord = { (sizes: [Double]) in sizes.map { $0 * 1e6 / Double(count) } }
            add(
                Line(
                    "its size on disk, \(count)", unit: "B/record", ours: perRecord(amounts.ours.sizes),
                    peer: perRecord(amounts.peer.sizes)))
            let name = "open a store of \(count)"
            add(Line("\(name), the first time", unit: "ms", divisor: 1e6, rounds: openings))
            try opening(name)
        }
    }

    private mutating func opening(_ name: String) throws {
        add(Line(name, unit: "ms", divisor: 1e6, rounds: try (0..<openingRounds).map(openBoth)))
    }

    /// Opens both sides, and closes them again. The first opening after a load puts what that left in the log into a table.
    private func openBoth(_ round: Int) throws -> (ours: Cost, peer: Cost) {
        try inTurn(round) {
            try open(DocIndexSide.self, "ours")
        } peer: {
            try open(SQLiteSide.self, "peer")
        }
    }

    private func open<S: Side>(_ type: S.Type, _ side: String) throws -> Cost {
        var opened: S?
        let cost = try Cost { opened = try S(directory: place(side)) }
        try opened?.close()
        return cost
    }

    // MARK: - Read-only

    /// Compares our side, opened read-only, with itself, opened for writing.
    private mutating func readOnly(ids: [String]) throws {
        _ = try LoadReport.ofChild(
            side: "ours", form: "text", path: records.path, count: min(recordCount, 300), directory: place("small"))
        for (name, place) in [("open read-only", "ours"), ("open a store of 300 read-only", "small")] {
            _ = try open(DocIndexSide.self, place)
            let rounds = try (0..<(3 * openingRounds)).map { round in
                try inTurn(round) {
                    try openReadOnly(place)
                } peer: {
                    try open(DocIndexSide.self, place)
                }
            }
            add(Line(name, unit: "ms", peerName: "writable", divisor: 1e6, rounds: rounds))
        }
        let writable = try DocIndexSide(directory: place("ours"))
        let readOnly = try DocIndexSide(directory: place("ours"), mode: .readOnly)
        try compare(
            [
                Operation(name: "get by id, read-only", count: ids.count) { _ in
                    try ids.reduce(0) { $0 + (try readOnly.get($1)) }
                } peer: { _ in
                    try ids.reduce(0) { $0 + (try writable.get($1)) }
                }
            ], peerName: "writable")
        try readOnly.close()
        try writable.close()
    }

    private func openReadOnly(_ side: String) throws -> Cost {
        var opened: DocIndexSide?
        let cost = try Cost { opened = try DocIndexSide(directory: place(side), mode: .readOnly) }
        try opened?.close()
        return cost
    }

    /// Opens both sides and reads some documents while nothing of them is in the system's cache. Other documents in each round.
    private mutating func coldReads() throws {
        var random = SplitMix64(state: 11)
        let ids = try LineReader(path: records.path, count: recordCount).rest().shuffled(using: &random)
            .prefix(100 * openingRounds).map { try SQLiteSide.prepare($0).id }
        let (ours, peer) = (try DocIndexSide(directory: place("ours")), try SQLiteSide(directory: place("peer")))
        guard try ours.get(ids) == peer.get(ids) else { throw BenchmarkError("the two sides hold different documents") }
        try ours.close()
        try peer.close()
        let hundreds = stride(from: 0, to: ids.count, by: 100).map { Array(ids[$0..<min($0 + 100, ids.count)]) }
        var areCold = true
        func read<S: Side>(_ type: S.Type, _ name: String, _ ids: [String]) throws -> Cost {
            ColdCache.evict(place(name))
            let before = ColdCache.readByteCount()
            var side: S?
            let cost = try Cost {
                side = try S(directory: place(name))
                _ = try side?.get(ids)
            }
            areCold = areCold && ColdCache.readByteCount() > before
            try side?.close()
            return cost
        }
        let name = "open and get 100 by ids, nothing in the cache"
        let rounds = try (0..<openingRounds).map { round in
            try inTurn(round) {
                try read(DocIndexSide.self, "ours", hundreds[round % hundreds.count])
            } peer: {
                try read(SQLiteSide.self, "peer", hundreds[round % hundreds.count])
            }
        }
        for side in ["ours", "peer"] { try ColdCache.fill(from: place(side)) }
        if areCold {
            add(Line(name, unit: "ms", divisor: 1e6, rounds: rounds))
        } else {
            say("\(name): skipped, the files in \(directory) cannot be put out of the cache")
        }
    }

    // MARK: - Operations

    private mutating func operations() throws {
        try opening("open")
        try coldReads()
        let texts = try LineReader(path: records.path, count: recordCount).rest()
        var random = SplitMix64(state: 7)
        let ids = try texts.shuffled(using: &random).prefix(operationCount).map { try SQLiteSide.prepare($0).id }
        let hundreds = stride(from: 0, to: ids.count, by: 100).map { Array(ids[$0..<min($0 + 100, ids.count)]) }
        try readOnly(ids: ids)
        let ours = try DocIndexSide(directory: place("ours"))
        let peer = try SQLiteSide(directory: place("peer"))
        try checkEqual(ours, peer, ids: ids, texts: texts)

        try compare([
            Operation(name: "get by id, decoded", count: ids.count) { _ in
                try ids.reduce(0) { $0 + (try ours.get($1)) }
            } peer: { _ in
                try ids.reduce(0) { $0 + (try peer.get($1)) }
            },
            Operation(name: "get by id, GRDB: text only", count: ids.count, checks: false) { _ in
                try ids.reduce(0) { $0 + (try ours.get($1)) }
            } peer: { _ in
                try ids.reduce(0) { $0 + (try peer.getText($1)) }
            },
            Operation(name: "get 100 by ids, decoded", count: hundreds.count) { _ in
                try hundreds.reduce(0) { $0 + (try ours.get($1)) }
            } peer: { _ in
                try hundreds.reduce(0) { $0 + (try peer.get($1)) }
            },
            Operation(name: "get 100 by ids, GRDB: text only", count: hundreds.count, checks: false) { _ in
                try hundreds.reduce(0) { $0 + (try ours.get($1)) }
            } peer: { _ in
                try hundreds.reduce(0) { $0 + (try peer.getTexts($1)) }
            },
        ])
        try commits(ours, peer, ids: ids)
        try checkEqual(ours, peer, ids: ids, texts: texts)
        try updatesOfMany(ours, peer)
        try checkEqual(ours, peer, ids: ids, texts: texts)

        try ours.compact()
        try peer.compact()
        try checkEqual(ours, peer, ids: ids, texts: texts)
        try ours.close()
        try peer.close()
        let sizes = self.sizes
        add(Line("size on disk after compacting", unit: "MB", ours: [sizes.ours], peer: [sizes.peer]))
    }

    private mutating func commits(_ ours: DocIndexSide, _ peer: SQLiteSide, ids: [String]) throws {
        /// New records, other ones in each round.
        func fresh(_ count: Int, _ mark: String) throws -> [[UInt8]] {
            try LineReader(path: records.path, count: count, mark: mark).rest()
        }
        // Decoded before the clock runs.
        let rounds = self.rounds + 1
        let oursNew = try (0..<rounds).map { try fresh(operationCount, "new\($0)-").map(DocIndexSide.prepare) }
        let peerNew = try (0..<rounds).map { try fresh(operationCount, "new\($0)-").map(SQLiteSide.prepare) }
        let oursSynced = try (0..<rounds).map { try fresh(syncedCount, "synced\($0)-").map(DocIndexSide.prepare) }
        let peerSynced = try (0..<rounds).map { try fresh(syncedCount, "synced\($0)-").map(SQLiteSide.prepare) }
        let doomed = peerNew.map { $0.map(\.id) }
        var sizesAfter: (ours: [Double], peer: [Double]) = ([], [])
        try compare([
            Operation(name: "commit one new document", count: operationCount) { round in
                for record in oursNew[round] { try ours.commit(record) }
                return 0
            } peer: { round in
                for record in peerNew[round] { try peer.commit(record) }
                return 0
            },
            Operation(name: "commit one new document, synced", count: syncedCount) { round in
                for record in oursSynced[round] { try ours.commitSynced(record) }
                return 0
            } peer: { round in
                for record in peerSynced[round] { try peer.commitSynced(record) }
                return 0
            },
            Operation(name: "update a field with an index", count: ids.count) { round in
                for id in ids { try ours.updateIndexed(id, year: 1800 + round) }
                return 0
            } peer: { round in
                for id in ids { try peer.updateIndexed(id, year: 1800 + round) }
                return 0
            },
            Operation(name: "update a field without an index", count: ids.count) { round in
                for id in ids { try ours.updateUnindexed(id, title: "Title \(round) of \(id)") }
                return 0
            } peer: { round in
                for id in ids { try peer.updateUnindexed(id, title: "Title \(round) of \(id)") }
                return 0
            },
            Operation(name: "delete", count: operationCount) { round in
                for id in doomed[round] { try ours.delete(id) }
                return 0
            } peer: { round in
                for id in doomed[round] { try peer.delete(id) }
                return 0
            },
        ]) { suite in
            let sizes = suite.sizes
            sizesAfter.ours.append(sizes.ours)
            sizesAfter.peer.append(sizes.peer)
        }
        add(
            Line("size on disk after a round of changes", unit: "MB", ours: sizesAfter.ours, peer: sizesAfter.peer))
    }

    /// Updates of 100,000 documents in one statement, which finds them by the index on the year.
    private mutating func updatesOfMany(_ ours: DocIndexSide, _ peer: SQLiteSide) throws {
        let year = try peer.year(ofLast: recordCount > 100_000 ? 100_000 : recordCount / 2)
        let count = Int(try ours.updateManyUnindexed(from: year, rating: -1))
        _ = try peer.updateManyUnindexed(from: year, rating: -1)
        try compare([
            Operation(name: "update \(count) by a condition, an index", count: count) { round in
                try ours.updateManyIndexed(from: year, acquired: 3000 + round)
            } peer: { round in
                try peer.updateManyIndexed(from: year, acquired: 3000 + round)
            },
            Operation(name: "update \(count) by a condition, no index", count: count) { round in
                try ours.updateManyUnindexed(from: year, rating: round)
            } peer: { round in
                try peer.updateManyUnindexed(from: year, rating: round)
            },
        ])
    }

    /// An operation of both sides. The closures get the number of the round.
    private struct Operation {
        let name: String
        let count: Int
        var checks = true
        let ours: (Int) throws -> UInt64
        let peer: (Int) throws -> UInt64
    }

    /// Compares operations, rounds of all in turns: so the spread of each tells of how the machine drifts. A first round,
    /// which has the number behind the last, is not counted.
    private mutating func compare(
        _ operations: [Operation], peerName: String = "GRDB", afterRound: (Suite) -> Void = { _ in }
    ) throws {
        for operation in operations {
            let (first, second) = (try operation.ours(rounds), try operation.peer(rounds))
            guard !operation.checks || first == second else {
                throw BenchmarkError(
                    "\(operation.name): the two sides did different things: \(first) and \(second)")
            }
        }
        var costs = operations.map { _ in [(ours: Cost, peer: Cost)]() }
        for round in 0..<rounds {
            for (position, operation) in operations.enumerated() {
                let cost = try inTurn(round) {
                    try Cost { _ = try operation.ours(round) }
                } peer: {
                    try Cost { _ = try operation.peer(round) }
                }
                costs[position].append(cost)
            }
            afterRound(self)
        }
        for (operation, costs) in zip(operations, costs) {
            add(
                Line(
                    operation.name, unit: "µs", peerName: peerName, divisor: Double(operation.count) * 1e3,
                    rounds: costs))
        }
    }

    // MARK: - Checks

    /// Throws unless both sides hold the same documents and each index answers the same.
    private func checkEqual(_ ours: DocIndexSide, _ peer: SQLiteSide, ids: [String], texts: [[UInt8]]) throws {
        guard try ours.count() == peer.count() else {
            throw BenchmarkError("the two sides hold \(try ours.count()) and \(try peer.count()) documents")
        }
        for id in ids {
            guard let a = try ours.json(id), let b = try peer.json(id),
                try JSONParser().parse(a) == JSONParser().parse(b)
            else { throw BenchmarkError("the two sides hold different documents under the id \(id)") }
        }
        for text in texts.prefix(300) {
            let record = try SQLiteSide.prepare(text)
            let probe = Probe(
                year: Int.fromDatabaseValue(record.year) ?? 0, acquired: Int.fromDatabaseValue(record.acquired) ?? 0,
                keyword: record.keywords.first ?? "", creator: String.fromDatabaseValue(record.creator) ?? "")
            let (a, b) = (try ours.counts(probe), try peer.counts(probe))
            guard a == b else { throw BenchmarkError("the indexes answer \(a) and \(b) to \(probe)") }
        }
    }
}
