import LevelFiles
import LevelKit
import TestSupport
import Testing

@Suite struct `Historical scan` {
    private static func pairs(_ path: String, _ sequence: UInt64, from lower: [UInt8] = []) throws -> [[UInt8]: [UInt8]]
    {
        var pairs: [[UInt8]: [UInt8]] = [:]
        var last: [UInt8]?
        try HistoricalScan(try DatabaseFiles(at: path), sequence: sequence).forEach(from: lower) { key, value in
            if let last { #expect(last.lexicographicallyPrecedes(key)) }
            last = key
            pairs[key] = Array(value)
            return true
        }
        return pairs
    }

    @Test func `A scan of an earlier state returns exactly that state if nothing was compacted`() throws {
        var random = TestRun.random(stream: 0x4157)
        try withTemporaryDirectory { directory in
            let sample = try SampleDatabase(
                at: directory + "/db", count: 800, keyCount: 60, reopens: false, compacts: false, random: &random)
            // A table and a log.
            var operations = sample.operations
            let database = try Database.open(at: sample.path)
            for number in 0..<50 {
                try database.put("\(number)", forKey: "key/\(number)")
                operations.append(
                    .init(
                        sequence: UInt64(operations.count) + 1, key: Array("key/\(number)".utf8),
                        value: Array("\(number)".utf8)))
            }
            try database.close()
            for _ in 0..<TestRun.rounds(40, long: 2_000) {
                let sequence = UInt64(random.number(below: operations.count + 1))
                var expected: [[UInt8]: [UInt8]] = [:]
                for operation in operations.prefix(Int(sequence)) { expected[operation.key] = operation.value }
                #expect(try Self.pairs(sample.path, sequence) == expected, "\(TestRun.repetition)")
                let lower = Array("key/3".utf8)
                let rest = expected.filter { !$0.key.lexicographicallyPrecedes(lower) }
                #expect(try Self.pairs(sample.path, sequence, from: lower) == rest, "\(TestRun.repetition)")
            }
        }
    }

    @Test func `A scan at the newest write returns what LevelDB returns`() throws {
        var random = TestRun.random(stream: 0x4159)
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        try withTemporaryDirectory { directory in
            let sample = try SampleDatabase(
                at: directory + "/db", count: 6_000, keyCount: 900, reopens: true, compacts: true, options: options,
                random: &random)
            #expect(try Self.pairs(sample.path, .max) == sample.content, "\(TestRun.repetition)")
        }
    }
}
