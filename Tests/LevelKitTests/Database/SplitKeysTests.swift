import Foundation
import Testing

@testable import LevelKit

/// Deleted keys stay deleted although LevelDB splits their versions between files.
@Suite struct SplitKeysTests {
    @Test("the engine's list of files is read")
    func readsTheList() {
        let list = """
            --- level 0 ---
             9:100['x' @ 7 : 1 .. 'z' @ 8 : 1]
            --- level 2 ---
             5:1234['a' @ 5 : 1 .. 'k\\x00\\xff' @ 9 : 0]
             6:1234['k\\x00\\xff' @ 3 : 1 .. 'it's' @ 9 : 1]
             7:88['o' @ 1 : 1 .. 'q' @ 2 : 1]
            """
        let files = SplitKeys.files(in: list)
        #expect(files.map(\.level) == [0, 2, 2, 2])
        #expect(files[2].largest == "it's")
        #expect(SplitKeys.keys(in: list) == [[0x6b, 0x00, 0xff]])
        #expect(TableWatch.fileNumbers(in: list) == [9, 5, 6, 7])
        #expect(SplitKeys.files(in: "nonsense\n 1:2[\n--- level").isEmpty)
    }

    /// Values just below the size of a block make the compaction end a file behind a deletion and begin the next with
    /// the old value; which sizes do depends on the lengths of keys.
    @Test("no key is split once the last snapshot is gone, and none comes back")
    func keysAreMended() throws {
        var splitCount = 0
        for byteCount in [4054, 4055, 4056, 4057] {
            var options = DatabaseOptions()
            options.compression = .none
            options.maxFileByteCount = 1 << 20
            options.writeBufferByteCount = 64 << 20
            let database = try Database.temporary(options: options)
            let keys = (0..<1200).map { Array("k\(100_000 + $0)".utf8) }
            let value = [UInt8](repeating: 7, count: byteCount)
            for key in keys { try database.put(value, forKey: key) }
            try database.compact()
            var snapshot: Snapshot? = try database.snapshot()
            for key in keys { try database.delete(key) }
            try database.compact()
            splitCount += SplitKeys.keys(in: try database.property("leveldb.sstables") ?? "").count
            #expect(try snapshot?.value(forKey: keys[600]) == value)
            snapshot = nil
            #expect(SplitKeys.keys(in: try database.property("leveldb.sstables") ?? "").isEmpty)
            for position in stride(from: 0, to: keys.count, by: 25) {
                try database.compact(from: keys[position], to: keys[position])
            }
            #expect(try database.count() == 0)
            try database.close()
        }
        #expect(splitCount > 0, "the engine split no key: the sizes no longer provoke it")
    }
}
