import Synchronization
import TestSupport
import Testing

@testable import LevelKit

/// Snapshots with later writes, which share one LevelDB iterator for each point in time.
@Suite struct PinnedViewTests {
    @Test(arguments: 0..<4)
    func `Reads of a pinned snapshot match a sorted copy, in any order of cursors and seeks`(seed: Int) throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        // A few large values fill a table, so that compactions end tables between keys. With LevelDB's snapshots, they
        // would also end some between two versions of a key.
        options.maxFileByteCount = 1 << 20
        options.compression = .none
        try withTemporaryDatabase(options: options) { database in
            var random = SplitMix64(seed: UInt64(seed))
            var model: [[UInt8]: [UInt8]] = [:]
            var moments: [(snapshot: Snapshot, model: [[UInt8]: [UInt8]])] = []
            for round in 0..<300 {
                for _ in 0..<random.number(below: 8) {
                    let key = numberedKey(random.number(below: 400))
                    let isLarge = random.once(in: 40)
                    let value = [UInt8](
                        repeating: UInt8(round & 255), count: isLarge ? 200_000 : random.number(below: 300))
                    if random.once(in: 3) {
                        try database.delete(key)
                        model[key] = nil
                    } else if random.once(in: 2) {
                        try database.put(value, forKey: key)
                        model[key] = value
                    } else {
                        try database.write { try $0.put(value, forKey: key) }
                        model[key] = value
                    }
                }
                if random.once(in: 5) {
                    try database.compact()
                    let splitKeys = try SplitKeys.keys(in: Manifest(ofDatabaseAt: database.path), order: .bytewise)
                    #expect(splitKeys.isEmpty, "round \(round)")
                }
                if random.once(in: 3) { moments.append((try database.snapshot(), model)) }
                if moments.count > 5 { moments.remove(at: random.number(below: moments.count)) }
                guard !moments.isEmpty else { continue }
                let (snapshot, expected) = random.pick(moments)
                try Self.compare(snapshot, expected, &random)
            }
        }
    }

    /// Reads through two cursors alternately, with single values in between.
    private static func compare(
        _ snapshot: Snapshot, _ model: [[UInt8]: [UInt8]], _ random: inout SplitMix64
    ) throws {
        let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        var rising = try snapshot.cursor()
        var falling = try snapshot.cursor(direction: .descending)
        var next = 0
        var previous = sorted.count - 1
        for _ in 0..<random.number(below: 200) {
            switch random.number(below: 8) {
            case 0:
                let key = numberedKey(random.number(below: 420))
                rising.seek(to: key)
                next = sorted.firstIndex { !$0.lexicographicallyPrecedes(key) } ?? sorted.count
            case 1:
                let key = numberedKey(random.number(below: 420))
                falling.seek(to: key)
                previous = sorted.lastIndex { !key.lexicographicallyPrecedes($0) } ?? -1
            case 2:
                let key = numberedKey(random.number(below: 420))
                #expect(try snapshot.value(forKey: key) == model[key])
            case 3, 4:
                guard try falling.advance() else {
                    #expect(previous < 0)
                    continue
                }
                try #require(previous >= 0)
                #expect(falling.key.copied() == sorted[previous])
                #expect(falling.value.copied() == model[sorted[previous]])
                previous -= 1
            default:
                guard try rising.advance() else {
                    #expect(next >= sorted.count)
                    continue
                }
                try #require(next < sorted.count)
                #expect(rising.key.copied() == sorted[next])
                #expect(rising.value.copied() == model[sorted[next]])
                next += 1
            }
        }
        #expect(try keys(of: snapshot) == sorted)
        #expect(try keys(of: snapshot, reverse: true) == sorted.reversed())
    }

    @Test func `Threads with shared or new snapshots see only complete batches`() throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        try withTemporaryDatabase(options: options) { database in
            @Sendable func write(_ round: Int) throws(LevelError) {
                let batch = WriteBatch()
                for number in 0..<50 { try batch.put(utf8("\(round)"), forKey: numberedKey(number)) }
                try database.write(batch)
            }
            try write(0)
            let shared = try database.snapshot()
            let isOver = Atomic(false)
            let writers = (0..<2).map { writer in
                startThread { () throws(LevelError) in
                    var round = 1
                    while !isOver.load(ordering: .relaxed) {
                        try write(2 * round + writer)
                        round += 1
                    }
                }
            }
            let readers = (0..<4).map { reader in
                startThread { () throws(LevelError) in
                    for round in 0..<300 {
                        let snapshot = reader == 0 ? shared : try database.snapshot()
                        var values: Set<[UInt8]> = []
                        var cursor = try snapshot.cursor(direction: reader == 1 ? .descending : .ascending)
                        while try cursor.advance() { values.insert(cursor.value.copied()) }
                        for number in [0, round % 50] {
                            values.insert(try snapshot.value(forKey: numberedKey(number)) ?? [])
                        }
                        var second = try snapshot.cursor()
                        second.seek(to: numberedKey(49))
                        if try second.advance() { values.insert(second.value.copied()) }
                        #expect(values.count == 1)
                        if reader == 0 { #expect(values == [utf8("0")]) }
                    }
                }
            }
            for thread in readers { try thread.get() }
            isOver.store(true, ordering: .relaxed)
            for thread in writers { try thread.get() }
        }
    }

    @Test func `A pinned cursor outlives its snapshot and ends with the database`() throws {
        try withTemporaryDatabase { database in
            for number in 0..<1000 { try database.put([1], forKey: numberedKey(number)) }
            var snapshot: Snapshot? = try database.snapshot()
            for number in 0..<1000 { try database.put([2], forKey: numberedKey(number)) }
            var cursor = try #require(snapshot).cursor()
            snapshot = nil
            try database.compact()
            var count = 0
            while count < 500, try cursor.advance() {
                #expect(cursor.value[0] == 1)
                count += 1
            }
            // The cursor is at an entry, whose bytes may be in use.
            #expect(code { try database.close() } == .cursorsAlive)
            #expect(code { _ = try cursor.advance() } == .closed)
        }
    }

    @Test func `A snapshot with a custom order treats keys that compare equal as the same key`() throws {
        var options = DatabaseOptions()
        options.bloomFilterBitsPerKey = 0
        options.order = .custom("test.FirstByte") { Int($0.isEmpty ? 0 : $0[0]) - Int($1.isEmpty ? 0 : $1[0]) }
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let database = try Database.open(at: directory + "/db", options: options)
            try database.put("old", forKey: "a1")
            let snapshot = try database.snapshot()
            try database.put("new", forKey: "a2")
            #expect(try snapshot.value(forKey: utf8("a3")) == utf8("old"))
            #expect(try database.value(forKey: utf8("a3")) == utf8("new"))
            try database.close()
        }
    }
}
