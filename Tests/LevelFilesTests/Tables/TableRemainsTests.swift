import LevelKit
import TestSupport
import Testing

@testable import LevelFiles

/// Tables whose end is missing or damaged.
@Suite struct TableRemainsTests {
    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// Writes a database with one table, and returns the path of the table.
    private static func table(
        in directory: String, count: Int, compression: DatabaseOptions.Compression = .snappy, bloomBits: Int = 10
    ) throws -> String {
        var options = DatabaseOptions()
        options.compression = compression
        options.bloomFilterBitsPerKey = bloomBits
        let database = try Database.open(at: directory + "/db", options: options)
        for index in 0..<count {
            try database.put(Array("\(index)".utf8), forKey: Array("key \(index * 7919 % count)".utf8))
        }
        try database.compact()
        try database.close()
        let name = try #require(try TestFiles.names(in: directory + "/db").first { $0.hasSuffix(".ldb") })
        return directory + "/db/" + name
    }

    private static func entries(_ table: Table, _ index: some Sequence<Table.IndexEntry>) throws -> [Table.Entry] {
        var entries: [Table.Entry] = []
        for block in index {
            try table.forEachEntry(inBlockAt: block.handle) { entry throws(FileError) in entries.append(entry) }
        }
        return entries
    }

    @Test(arguments: [DatabaseOptions.Compression.none, .snappy], [0, 10])
    func `The blocks before a cut are found, wherever it is`(
        compression: DatabaseOptions.Compression, bloomBits: Int
    ) throws {
        try withTemporaryDirectory { directory in
            let path = try Self.table(in: directory, count: 3000, compression: compression, bloomBits: bloomBits)
            let bytes = try TestFiles.bytes(of: path)
            let table = try Table(at: path)
            let index = try table.index()
            #expect(try index.count > 3 && TableRemains(ofTableAt: path, order: Self.order) == nil)
            let ends = index.flatMap { [$0.handle.offset, $0.handle.end - 1, $0.handle.end, $0.handle.end + 1] }
            let others = [table.footer.metaIndex.offset, table.footer.index.offset, table.footer.index.end]
            for end in Set(ends + others + [0, table.byteCount - 1]).sorted() {
                try TestFiles.write(bytes.prefix(Int(end)), to: path)
                let whole = index.prefix { $0.handle.end <= end }
                let remains = try TableRemains(ofTableAt: path, order: Self.order)
                #expect(remains?.index.map(\.handle) ?? [] == whole.map(\.handle), "cut at \(end)")
                guard let remains else { continue }
                try TestFiles.write(try remains.completeTable(), to: path)
                let saved = try Table(at: path)
                #expect(try saved.hazard(.everything, isBytewise: true, upTo: .max, within: nil) == nil)
                let entries = try Self.entries(saved, saved.index())
                try TestFiles.write(bytes, to: path)
                #expect(try entries == Self.entries(table, whole) && entries.last?.key == remains.lastKey)
            }
        }
    }

    @Test(arguments: [1, 40])
    func `The index of a small table is not taken for data`(count: Int) throws {
        try withTemporaryDirectory { directory in
            for bloomBits in [0, 10] {
                let path = try Self.table(
                    in: directory + "/\(bloomBits)", count: count, compression: .none, bloomBits: bloomBits)
                let entries = try Self.entries(try Table(at: path), try Table(at: path).index())
                try TestFiles.write(try TestFiles.bytes(of: path).dropLast(1), to: path)
                let remains = try #require(try TableRemains(ofTableAt: path, order: Self.order))
                #expect(remains.index.count == 1 && remains.lastKey == entries.last?.key)
            }
        }
    }

    /// Each five of these bytes end with the checksum of the bytes before.
    @Test func `A file in which many places have a matching checksum is searched in linear time`() throws {
        try withTemporaryDirectory { directory in
            var bytes: [UInt8] = []
            var crc = CRC32C.Running()
            while bytes.count < 400_000 {
                crc.add(0)
                let checksum = CRC32C.masked(crc.checksum)
                bytes.append(0)
                for shift in stride(from: UInt32(0), to: 32, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: checksum >> shift))
                    crc.add(bytes[bytes.count - 1])
                }
            }
            try TestFiles.write(bytes, to: directory + "/000007.ldb")
            let time = try processorTime {
                let remains = try TableRemains(ofTableAt: directory + "/000007.ldb", order: Self.order)
                #expect(remains == nil)
            }
            #expect(time < .seconds(10))
        }
    }

    @Test func `Recovery stops at random bytes and at a block whose keys are out of order`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.table(in: directory, count: 3000)
            let bytes = try TestFiles.bytes(of: path)
            let blocks = try Table(at: path).index().map(\.handle)
            let first = bytes[..<Int(blocks[0].end)]
            var random = SplitMix64(seed: 3)
            let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
            for (tail, what) in [(noise, "noise"), (Array(first), "the first block again")] {
                try TestFiles.write(first + tail, to: path)
                let remains = try TableRemains(ofTableAt: path, order: Self.order)
                #expect(remains?.index.map(\.handle) == [blocks[0]], "\(what)")
            }
            try TestFiles.write(noise, to: path)
            #expect(try TableRemains(ofTableAt: path, order: Self.order) == nil)
        }
    }
}
