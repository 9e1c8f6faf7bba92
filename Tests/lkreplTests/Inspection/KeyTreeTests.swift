import LevelFiles
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Key tree` {
    /// Returns the children found by examining every key.
    private static func grouped(_ keys: [[UInt8]], below prefix: [UInt8], _ delimiters: Set<UInt8>) -> [KeyTree.Node] {
        var nodes: [KeyTree.Node] = []
        for key in keys where key.starts(with: prefix) {
            let end = key.indices.dropFirst(prefix.count).first { delimiters.contains(key[$0]) }
            let node = KeyTree.Node(prefix: end.map { Array(key[...$0]) } ?? key, isBranch: end != nil)
            if nodes.last != node { nodes.append(node) }
        }
        return nodes
    }

    @Test func `The key tree equals grouping all keys, below any prefix and with any delimiters`() throws {
        var random = TestRun.random(stream: 0x73ee)
        for _ in 0..<TestRun.rounds(30, long: 1_000) {
            try withTemporaryDirectory { directory in
                let database = try Database.open(at: directory + "/db")
                let alphabet = Array("ab/:\u{0}".utf8) + [0xff]
                var keys: Set<[UInt8]> = []
                for _ in 0..<200 { keys.insert((0..<random.number(below: 7)).map { _ in random.pick(alphabet) }) }
                try database.write { batch in for key in keys { try batch.put([1], forKey: key) } }
                let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
                for delimiters: Set<UInt8> in [[0x2f], [0x2f, 0x3a], [0xff], [0], []] {
                    for prefix in [[], Array("a".utf8), Array("a/".utf8), [0xff], [0xff, 0xff], random.pick(sorted)] {
                        var tree = KeyTree(database, reader: database, levels: .delimiters(delimiters))
                        let level = try tree.children(of: prefix)
                        #expect(
                            level.nodes == Self.grouped(sorted, below: prefix, delimiters),
                            "below \(prefix), delimiters \(delimiters), \(TestRun.repetition)")
                        #expect(level.nextPrefix == nil)
                        guard level.nodes.count > 1 else { continue }
                        let part = try tree.children(of: prefix, limit: level.nodes.count - 1)
                        #expect(part.nodes == level.nodes.dropLast())
                        #expect(part.nextPrefix == level.nodes.last?.prefix)
                    }
                }
                try database.close()
            }
        }
    }

    /// Each seek may read one block of every level, and of every table in level 0.
    @Test func `The tree of many keys is computed from few blocks`() throws {
        let keyCount = TestRun.isLong ? 10_000_000 : 400_000
        let groupCount = 20
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions.bulkLoad
            options.bloomFilterBitsPerKey = 0
            let database = try Database.open(at: directory + "/db", options: options)
            let batch = WriteBatch()
            let value = Array(repeating: UInt8(ascii: "v"), count: 100)
            for number in 0..<keyCount {
                let group = number / (keyCount / groupCount)
                let digits = String(10_000_000 + number)
                try batch.put(value, forKey: Array("group-\(100 + group)/\(digits)".utf8))
                if batch.count == 10_000 {
                    try database.write(batch)
                    batch.removeAll()
                }
            }
            try database.write(batch)
            try database.compact()
            var tree = KeyTree(database, reader: database, levels: .delimiters([0x2f]))
            var level = try tree.children(of: [])
            #expect(
                level.nodes.map { String(decoding: $0.prefix, as: UTF8.self) }
                    == (0..<groupCount).map { "group-\(100 + $0)/" })
            try tree.measure(&level.nodes, counting: !TestRun.isLong)
            if !TestRun.isLong { #expect(level.nodes.allSatisfy { $0.keyCount == keyCount / groupCount }) }
            let sizes = level.nodes.map(\.approximateByteCount)
            #expect(sizes.min()! * 3 > sizes.max()!, "equal groups have sizes alike: \(sizes)")
            let manifest = try Manifest(ofDatabaseAt: directory + "/db")
            try database.close()
            var blockCount = 0
            let files = try DatabaseFiles(at: directory + "/db")
            for file in files.files {
                guard case .table = file.kind, files.use(of: file).use == .live else { continue }
                blockCount += try Table(at: files.path(of: file.name)).index().count
            }
            let sources =
                Set(manifest.tables.filter { $0.level > 0 }.map(\.level)).count
                + manifest.tables.count { $0.level == 0 }
            // A step may lead to the next block of a table.
            let touched = (tree.seekCount + tree.stepCount) * sources
            #expect(touched * 100 < blockCount, "\(touched) of \(blockCount) blocks")
        }
    }

    @Test(arguments: [
        (["user/1", "user/2", "photo/3/a"], "/"), (["a:1:x", "a:2:y", "b:1:z"], ":"), (["!meta!a", "!meta!b"], "!"),
        (["abc", "def"], ""), (["2024-01-02/a", "2024-01-03/b"], "/"),
    ])
    func `The key tree detects the delimiter automatically`(keys: [String], expected: String) throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            for key in keys { try database.put("", forKey: key) }
            let found = try KeyTree.levels(of: database, below: [])
            #expect(found == expected.utf8.first.map { .delimiters([$0]) })
            try database.close()
        }
    }

    @Test func `The size distribution matches a full sort`() {
        var random = TestRun.random(stream: 0xb16)
        for topCount in [1, 2, 7, 50] {
            let sizes = (0..<500).map { _ in random.number(below: random.once(in: 3) ? 4 : 5_000) }
            var distribution = SizeDistribution(topCount: topCount)
            for (index, size) in sizes.enumerated() where distribution.add(size) {
                distribution.keep(size, key: Array("\(index)".utf8), valueByteCount: size)
            }
            #expect(
                distribution.largest.map(\.size) == Array(sizes.sorted(by: >).prefix(topCount)), "\(TestRun.repetition)"
            )
            #expect(distribution.buckets.reduce(0) { $0 + $1.count } == sizes.count)
            #expect(distribution.buckets.reduce(0) { $0 + $1.byteCount } == sizes.reduce(0, +))
            for bucket in distribution.buckets { #expect(bucket.count == sizes.count { bucket.range.contains($0) }) }
        }
    }
}
