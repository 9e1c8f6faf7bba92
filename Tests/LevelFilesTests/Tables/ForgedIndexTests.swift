import LevelFiles
import LevelKit
import TestSupport
import Testing

/// A forged index of a table cannot make reading take much longer, or much more memory, than the file is large.
@Suite struct ForgedIndexTests {
    /// Creates a database and returns the path of its only table.
    private static func table(in directory: String) throws -> String {
        let database = try Database.open(at: directory + "/db")
        for number in 0..<5_000 { try database.put(String(repeating: "v", count: 50), forKey: "key \(number)") }
        try database.compact()
        try database.close()
        return directory + "/db/"
            + (try #require(try TestFiles.names(in: directory + "/db").last { $0.hasSuffix("db") }))
    }

    private static func expectDamage(_ path: String, _ reason: String, offset: UInt64? = nil) throws {
        let table = try Table(at: path)
        var error: FileError?
        let time = try processorTime {
            error = #expect(throws: FileError.self) { _ = try table.index() }
            for depth in [Table.SafetyDepth.outline, .everything] {
                let hazard = try table.hazard(depth, isBytewise: true, upTo: .max, within: nil)
                #expect(hazard == error)
            }
            let blocks = try table.hazardousBlocks(isBytewise: true, upTo: .max)
            #expect(blocks == nil)
            #expect(throws: FileError.self) { _ = try TableSummary(table) }
        }
        #expect(time < .seconds(30))
        #expect(error?.kind == .damaged && error?.reason.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.offset == table.footer.index.offset && path.hasSuffix(error?.file ?? "-"))
    }

    @Test func `An index that names one block 200000 times is reported as damage`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.table(in: directory)
            let entry = try #require(try Table(at: path).index().first)
            let repeated = Array(
                repeating: (shared: entry.separator.count, key: [UInt8](), handle: entry.handle), count: 200_000)
            try TableForgery.appendIndex([(0, entry.separator, entry.handle)] + repeated, toTableAt: path)
            try Self.expectDamage(path, "does not follow the block before it")
        }
    }

    @Test func `An index whose blocks overlap or are out of order is reported as damage`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.table(in: directory)
            let original = try TestFiles.bytes(of: path)
            let index = try Table(at: path).index()
            var swapped = index.map { (shared: 0, key: $0.separator, handle: $0.handle) }
            var overlapping = swapped
            swapped.swapAt(3, 4)
            // Three bytes of the trailer of the block before.
            overlapping[2].handle = BlockHandle(
                offset: overlapping[2].handle.offset - 3, byteCount: overlapping[2].handle.byteCount)
            for entries in [swapped, overlapping] {
                try TestFiles.write(original, to: path)
                try TableForgery.appendIndex(entries, toTableAt: path)
                try Self.expectDamage(path, "does not follow the block before it")
            }
        }
    }

    @Test func `An index whose keys share a prefix of a megabyte is reported as damage`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.table(in: directory)
            let long = Array(repeating: UInt8(ascii: "k"), count: 1 << 20)
            let shared = (1..<100_000).map {
                (shared: long.count, key: [UInt8](), handle: BlockHandle(offset: UInt64(5 * $0), byteCount: 0))
            }
            try TableForgery.appendIndex(
                [(0, long, BlockHandle(offset: 0, byteCount: 0))] + shared, toTableAt: path)
            try Self.expectDamage(path, "many times the size")
        }
    }

    @Test(.enabled(if: SharedTestData.has("leveldb/golang-testdata"), "skipped: there is no shared data"))
    func `Tables written by other programs index their blocks in order`() throws {
        let folder = SharedTestData.path(of: "leveldb/golang-testdata/")
        var blockCount = 0
        for name in ["h.ldb", "h.no-compression.ldb", "h.bloom.no-compression.ldb", "db-stage-4/000005.sst"] {
            let table = try Table(at: folder + name)
            blockCount += try table.index().count
            #expect(
                try table.hazard(.outline, isBytewise: false, upTo: .max, within: nil)?.reason.contains("follow")
                    != true)
        }
        #expect(blockCount > 4)
    }
}
