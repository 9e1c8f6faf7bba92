import LevelFiles
import LevelKit
import TestSupport
import Testing

@Suite struct `Tables and logs` {
    @Test(arguments: [0, 10])
    func `Tables and logs contain all writes, and the newest version matches LevelDB's reads`(bloomBits: Int) throws {
        var random = TestRun.random(stream: 0x7ab1 + UInt64(bloomBits))
        var options = DatabaseOptions()
        options.bloomFilterBitsPerKey = bloomBits
        options.writeBufferByteCount = 64 << 10
        for round in 0..<TestRun.rounds(4, long: 60) {
            try withTemporaryDirectory { directory in
                let sample = try SampleDatabase(
                    at: directory + "/db", count: 4_000, keyCount: 700, reopens: round % 2 == 0, compacts: round > 1,
                    options: options, random: &random)
                let stored = try SampleDatabase.stored(at: sample.path)
                let written = Set(sample.operations)
                #expect(stored.allSatisfy { written.contains($0) }, "\(TestRun.repetition)")
                var newest: [[UInt8]: SampleDatabase.Operation] = [:]
                for operation in stored where operation.sequence > newest[operation.key]?.sequence ?? 0 {
                    newest[operation.key] = operation
                }
                #expect(newest.compactMapValues(\.value) == sample.content, "\(TestRun.repetition)")
                let check = FileCheck(try DatabaseFiles(at: sample.path), depth: .everything)
                #expect(check.problems.isEmpty, "\(check.problems), \(TestRun.repetition)")
                #expect(check.tableCount > 0 && check.entryCount > 0 && check.isOrderChecked)
            }
        }
    }

    @Test func `The summary of a table matches its entries`() throws {
        var random = TestRun.random(stream: 0x50b)
        try withTemporaryDirectory { directory in
            let sample = try SampleDatabase(
                at: directory + "/db", count: 3_000, keyCount: 500, reopens: true, compacts: false, random: &random)
            let files = try DatabaseFiles(at: sample.path)
            var tableCount = 0
            // A compaction that the closing interrupted leaves an unfinished table.
            for file in files.files where files.use(of: file).use == .live {
                guard case .table = file.kind else { continue }
                tableCount += 1
                let table = try Table(at: files.path(of: file.name))
                var entries: [Table.Entry] = []
                try table.forEachEntry { entry throws(FileError) in entries.append(entry) }
                let summary = try TableSummary(table)
                #expect(summary.entryCount == UInt64(entries.count))
                #expect(summary.deletionCount == UInt64(entries.count { $0.key.kind == .deletion }))
                #expect(summary.keyByteCount == entries.reduce(0) { $0 + UInt64($1.key.userKey.count) })
                #expect(summary.valueByteCount == entries.reduce(0) { $0 + UInt64($1.value.count) })
                #expect(summary.sequences?.lowerBound == entries.map(\.key.sequence).min())
                #expect(summary.sequences?.upperBound == entries.map(\.key.sequence).max())
                #expect(summary.firstKey == entries.first?.key.userKey && summary.lastKey == entries.last?.key.userKey)
                let index = try table.index()
                #expect(summary.dataBlockCount == index.count)
                #expect(summary.filters.map(\.name) == ["filter.leveldb.BuiltinBloomFilter2"])
                let filters = try #require(try table.bloomFilters())
                // The filter lets about one entry in a hundred through by mistake, and excludes none that exists.
                let block = try #require(try table.index().first).handle.offset
                let filter = try #require(filters.filter(forBlockAt: block))
                let strangers = (0..<2_000).count {
                    BloomFilter.mayContain(Array("no/\($0)".utf8)[...], filter: filter)
                }
                #expect(strangers < 200)
            }
            #expect(tableCount > 0)
        }
    }

    /// Tables that the C++ implementation wrote in 2012, with their content as text. Their keys are user keys, not
    /// internal keys.
    @Test(
        .enabled(if: SharedTestData.has("leveldb/golang-testdata"), "skipped: there is no shared data"),
        arguments: ["h.ldb", "h.no-compression.ldb", "h.bloom.no-compression.ldb"])
    func `Tables from 2012 are readable`(name: String) throws {
        let folder = SharedTestData.path(of: "leveldb/golang-testdata/")
        var expected: [[UInt8]: [UInt8]] = [:]
        for line in try SharedTestData.lines(of: "leveldb/golang-testdata/h.txt") {
            let words = line.split(separator: 0x20, omittingEmptySubsequences: true)
            if words.count == 2 { expected[Array(words[1])] = Array(words[0]) }
        }
        let table = try Table(at: folder + name)
        var found: [[UInt8]: [UInt8]] = [:]
        for entry in try table.index() {
            var entries = try table.entries(at: entry.handle)
            while try entries.next() { found[entries.key] = Array(entries.value) }
        }
        #expect(expected.count > 1_000 && found == expected)
    }
}
