import LevelKit
import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Compaction pieces` {
    private func table(_ key: String, _ mebibytes: UInt64) -> CompactionPieces.Table {
        CompactionPieces.Table(largest: Array(key.utf8), byteCount: mebibytes << 20)
    }

    @Test func `A small range is compacted in one piece`() {
        #expect(CompactionPieces(of: .all, tables: []).bounds == [.init(lower: nil, upper: nil)])
        let few = CompactionPieces(of: .prefix(Array("k".utf8)), tables: [table("k1", 2), table("k2", 2)])
        #expect(few.bounds == [.init(lower: Array("k".utf8), upper: Array("l".utf8))])
    }

    @Test func `Compaction pieces are contiguous, and are several megabytes each`() throws {
        var random = TestRun.random(stream: 0xc0a7)
        for _ in 0..<TestRun.rounds(50, long: 2_000) {
            let tables = (0..<random.number(below: 100)).map { _ in
                table(String(100 + random.number(below: 800)), UInt64(1 + random.number(below: 4)))
            }
            let range = random.number(below: 2) == 0 ? KeyRange.all : .range(from: Array("2".utf8), to: Array("7".utf8))
            let pieces = CompactionPieces(of: range, tables: tables).bounds
            let ends: ([UInt8]?, [UInt8]?) = range == .all ? (nil, nil) : (Array("2".utf8), Array("7".utf8))
            #expect(pieces.first?.lower == ends.0 && pieces.last?.upper == ends.1, "\(TestRun.repetition)")
            for (left, right) in zip(pieces, pieces.dropFirst()) {
                let end = try #require(left.upper)
                #expect(right.lower == end + [0], "no key lies between \(left) and \(right)")
                #expect(tables.contains { $0.largest == end })
            }
            for piece in pieces {
                let within = tables.filter { table in
                    (piece.lower.map { $0.lexicographicallyPrecedes(table.largest) } ?? true)
                        && (piece.upper.map { table.largest.lexicographicallyPrecedes($0) } ?? true)
                }
                #expect(within.reduce(0) { $0 + $1.byteCount } < CompactionPieces.pieceByteCount)
            }
        }
    }

    @Test func `A compaction in pieces drops overwritten values and keeps stored ones`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            var random = TestRun.random(stream: 0xc0a8)
            // Incompressible: LevelDB compresses blocks of a few kilobytes, and each value is about that size.
            let value = (0..<4_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for _ in 0..<2 {
                let batch = WriteBatch()
                for number in 0..<6_000 {
                    try batch.put(value, forKey: Array("key-\(10_000 + number)".utf8))
                    guard batch.byteCount > 1 << 20 || number == 5_999 else { continue }
                    try database.write(batch)
                    batch.removeAll()
                }
            }
            let tables = try Manifest(ofDatabaseAt: directory + "/db").tables
            let pieces = CompactionPieces(
                of: .all, tables: tables.map { .init(largest: $0.largestKey, byteCount: UInt64($0.byteCount)) })
            #expect(pieces.bounds.count > 1, "\(tables.count) tables")
            for piece in pieces.bounds { try database.compact(in: piece.range) }
            #expect(try database.count(in: .all) == 6_000)
            let byteCount = try database.statistics().tableByteCount
            #expect(byteCount < 25 << 20, "\(byteCount) bytes of 24 million that are stored")
            #expect(try database.verify().isSound)
            try database.close()
        }
    }
}
