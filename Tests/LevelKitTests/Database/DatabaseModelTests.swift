import Foundation
import LevelKit
import TestSupport
import Testing

/// Random operations performed on both a database and a sorted array.
@Suite struct DatabaseModelTests {
    @Test func `Random operations have the same effect on a database as on a model`() throws {
        let roundCount = TupleTestPlan.rounds(20_000, long: 1_000_000)
        try withTemporaryDirectory { directory in
            var run = try ModelRun(path: directory + "/db", seed: TupleTestPlan.seed ^ 0xdb)
            for round in 0..<roundCount {
                let problem: String?
                do { problem = try run.step() } catch { problem = "\(error)" }
                if let problem {
                    Issue.record("round \(round): \(problem); \(TupleTestPlan.repetition)")
                    return
                }
            }
            #expect(try run.problemOfEverything() == nil)
            // The run was meaningful: tables were created, and every kind of operation occurred.
            #expect(run.lastTableNumber > 30)
            #expect(run.counts.count == 10, "\(run.counts)")
        }
    }
}

/// The expected content of a database: sorted keys with their values.
private struct Model {
    private(set) var keys: [[UInt8]] = []
    private(set) var values: [[UInt8]: [UInt8]] = [:]

    mutating func put(_ value: [UInt8], forKey key: [UInt8]) {
        if values.updateValue(value, forKey: key) == nil { keys.insert(key, at: firstIndex(notBefore: key)) }
    }

    mutating func delete(_ key: [UInt8]) {
        if values.removeValue(forKey: key) != nil { keys.remove(at: firstIndex(notBefore: key)) }
    }

    private func firstIndex(notBefore key: [UInt8]) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func entries(in range: KeyRange, reverse: Bool, from target: [UInt8]?) -> [Entry] {
        let inside = keys.filter { key in
            switch range.lower {
            case .unbounded: break
            case .included(let bound): if key.lexicographicallyPrecedes(bound) { return false }
            case .excluded(let bound): if !bound.lexicographicallyPrecedes(key) { return false }
            }
            switch range.upper {
            case .unbounded: break
            case .included(let bound): if bound.lexicographicallyPrecedes(key) { return false }
            case .excluded(let bound): if !key.lexicographicallyPrecedes(bound) { return false }
            }
            guard let target else { return true }
            return reverse ? !target.lexicographicallyPrecedes(key) : !key.lexicographicallyPrecedes(target)
        }
        return (reverse ? inside.reversed() : inside).map { Entry(key: $0, value: values[$0] ?? []) }
    }
}

/// A database, its model, and the source of random operations.
private struct ModelRun {
    private let path: String
    private var random: SplitMix64
    private var database: Database
    private var model = Model()
    private var snapshots: [(snapshot: Snapshot, model: Model)] = []
    /// The number of times each operation was performed.
    private(set) var counts: [String: Int] = [:]

    init(path: String, seed: UInt64) throws {
        self.path = path
        random = SplitMix64(seed: seed)
        database = try Self.open(path)
    }

    private static func open(_ path: String) throws -> Database {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        options.blockByteCount = 1 << 10
        options.maxFileByteCount = 1 << 20
        return try Database.open(at: path, options: options)
    }

    /// The number of the newest table; each log and each table has taken one.
    var lastTableNumber: Int {
        let names = (try? fileNames(in: path).filter { $0.hasSuffix(".ldb") }) ?? []
        return names.compactMap { Int($0.dropLast(4)) }.max() ?? 0
    }

    /// Performs one operation.
    ///
    /// - Returns: A description of the problem, or `nil` if there is none.
    mutating func step() throws -> String? {
        switch below(1000) {
        case ..<400: try put()
        case ..<520: try delete()
        case ..<620: try writeBatch()
        case ..<900: return try problemOfReading()
        case ..<960: return try problemOfScanning()
        case ..<975: try makeSnapshot()
        case ..<990: dropSnapshot()
        case ..<993: try compact()
        case ..<996: try reopen()
        default: return try problemOfEverything()
        }
        return nil
    }

    // MARK: - Writing

    private mutating func put() throws {
        count("put")
        let (key, value) = (key(), value())
        try database.put(value, forKey: key, durability: below(500) == 0 ? .synced : .buffered)
        model.put(value, forKey: key)
    }

    private mutating func delete() throws {
        count("delete")
        let key = existingKey()
        try database.delete(key)
        model.delete(key)
    }

    private mutating func writeBatch() throws {
        count("batch")
        var copy = model
        let batch = WriteBatch()
        for _ in 0..<below(12) {
            if below(3) == 0 {
                let key = existingKey()
                try batch.delete(key)
                copy.delete(key)
            } else {
                let (key, value) = (key(), value())
                try batch.put(value, forKey: key)
                copy.put(value, forKey: key)
            }
        }
        // Some batches are discarded.
        if below(8) > 0 {
            try database.write(batch)
            model = copy
        }
    }

    // MARK: - Reading

    /// Returns the database or one of the snapshots, with its model.
    private mutating func reader() -> (any KeyValueReader, Model) {
        let choice = below(snapshots.count + 2)
        return choice < snapshots.count ? (snapshots[choice].snapshot, snapshots[choice].model) : (database, model)
    }

    private mutating func problemOfReading() throws -> String? {
        count("read")
        let (reader, model) = reader()
        let key = below(2) == 0 ? key() : existingKey()
        guard try reader.value(forKey: key) == model.values[key] else { return "value of \(hex(key))" }
        return try reader.contains(key) == (model.values[key] != nil) ? nil : "presence of \(hex(key))"
    }

    private mutating func problemOfScanning() throws -> String? {
        count("scan")
        let (reader, model) = reader()
        let range = below(4) == 0 ? KeyRange.prefix(key(maxCount: 2)) : KeyRange(lower: bound(), upper: bound())
        let reverse = below(2) == 0
        let target = below(2) == 0 ? key() : nil
        var cursor = try reader.cursor(
            in: range, direction: reverse ? .descending : .ascending, cache: below(2) == 0 ? .fill : .bypass)
        if below(3) == 0 { _ = try cursor.advance() }
        if let target {
            cursor.seek(to: target)
        } else {
            cursor = try reader.cursor(in: range, direction: reverse ? .descending : .ascending)
        }
        var found: [Entry] = []
        while try cursor.advance() { found.append(Entry(key: cursor.key.copied(), value: cursor.value.copied())) }
        let expected = model.entries(in: range, reverse: reverse, from: target)
        return found == expected
            ? nil : "\(found.count) instead of \(expected.count) entries in \(range), reverse: \(reverse)"
    }

    /// Returns a problem of the database or one of its snapshots, or `nil`.
    mutating func problemOfEverything() throws -> String? {
        count("everything")
        for (reader, model) in [(database, model)] + snapshots as [(any KeyValueReader, Model)] {
            let expected = model.entries(in: .all, reverse: false, from: nil)
            guard try entries(of: reader) == expected else { return "all entries" }
        }
        return nil
    }

    // MARK: - Lifetimes

    private mutating func makeSnapshot() throws {
        count("snapshot")
        if snapshots.count < 4 { snapshots.append((try database.snapshot(), model)) }
    }

    private mutating func dropSnapshot() {
        count("drop")
        if !snapshots.isEmpty { snapshots.remove(at: below(snapshots.count)) }
    }

    private mutating func compact() throws {
        count("compact")
        switch below(3) {
        case 0: try database.compact()
        case 1: try database.compact(in: .range(from: key(), to: key()))
        default: try database.compact(in: .range(from: existingKey()))
        }
    }

    private mutating func reopen() throws {
        count("reopen")
        // The database may close before its snapshots, or after.
        if below(2) == 0 { snapshots = [] }
        try database.close()
        snapshots = []
        database = try Self.open(path)
    }

    // MARK: - Random choices

    private mutating func count(_ operation: String) { counts[operation, default: 0] += 1 }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// Returns one of several hundred keys, many of them prefixes of others.
    private mutating func key(maxCount: Int = 4) -> [UInt8] {
        let alphabet: [UInt8] = [0x00, 0x01, 0x61, 0xfe, 0xff]
        return (0..<below(maxCount + 1)).map { _ in alphabet[below(alphabet.count)] }
    }

    private mutating func existingKey() -> [UInt8] {
        model.keys.isEmpty ? key() : model.keys[below(model.keys.count)]
    }

    private mutating func bound() -> KeyBound<[UInt8]> {
        switch below(4) {
        case 0: .unbounded
        case 1: .excluded(key())
        default: .included(key())
        }
    }

    /// Returns a value that identifies when it was written; occasionally larger than a block, or empty.
    private mutating func value() -> [UInt8] {
        let count = below(40) == 0 ? below(6000) : below(200)
        return Array(repeating: UInt8(truncatingIfNeeded: random.next()), count: count)
    }
}
