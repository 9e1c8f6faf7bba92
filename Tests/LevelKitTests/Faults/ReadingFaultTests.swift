import Foundation
import Testing

@testable import LevelKit

/// Faults of reading: damage, missing tables, deleted keys that reappear.
@Suite struct ReadingFaultTests {
    /// Flips one bit of an entry's value in the table.
    private static func damage(_ directory: String, atValue number: Int) throws {
        let table = try #require(try files(ofKind: "ldb", in: directory).first)
        var bytes = try content(of: table)
        let place = try #require(bytes.firstRange(of: TableFixture.value(number))).lowerBound
        bytes[place + 30] ^= 0x10
        try write(bytes, to: table)
    }

    @Test func `An empty key and an empty value are distinct from absence`() throws {
        try withTemporaryDatabase { database in
            try database.put([], forKey: [])
            #expect(try database.value(forKey: []) == [])
            #expect(try database.contains([]))
            #expect(try database.value(forKey: [0]) == nil)
        }
    }

    @Test func `A read from a missing table reports corruption, not a missing key`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            let database = try Database.open(at: directory)
            for table in try files(ofKind: "ldb", in: directory) { try FileManager.default.removeItem(atPath: table) }
            for number in 0..<200 {
                #expect(code { _ = try database.value(forKey: numberedKey(number)) } == .corruption)
            }
            #expect(code { _ = try keys(of: database) } == .corruption)
        }
    }

    @Test(arguments: [false, true])
    func `A scan over a damaged last block ends with an error, not after the previous entries`(reverse: Bool) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 20_000)
            try Self.damage(directory, atValue: 19_999)
            let database = try Database.open(at: directory)
            var count = 0
            let error = thrownError {
                var cursor = try database.cursor(direction: reverse ? .descending : .ascending)
                while try cursor.advance() { count += 1 }
            }
            #expect(error?.code == .corruption)
            #expect(reverse ? count == 0 : (19_900..<20_000).contains(count))
        }
    }

    @Test func `A flipped byte in a table is never returned as part of a value`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: 100)
            let database = try Database.open(at: directory)
            #expect(code { _ = try database.value(forKey: numberedKey(100)) } == .corruption)
            #expect(try database.value(forKey: numberedKey(0)) == TableFixture.value(0))
        }
    }

    @Test func `A damaged Bloom filter hides no key`() throws {
        try withTemporaryDirectory { directory in
            try TableFixture.make(at: directory, count: 200)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            let intact = try content(of: table)
            // The filter follows the last entry; its bits are cleared one section at a time.
            let filter = try #require(intact.lastRange(of: TableFixture.value(199))).upperBound + 20
            for start in stride(from: filter, to: filter + 250, by: 25) {
                var bytes = intact
                for place in start..<start + 25 { bytes[place] = 0 }
                try write(bytes, to: table)
                let database = try Database.open(at: directory)
                for number in 0..<200 {
                    #expect(try database.value(forKey: numberedKey(number)) == TableFixture.value(number))
                }
                try database.close()
            }
            try write(intact, to: table)
        }
    }

    @Test func `Compaction does not give damaged data a new checksum`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: 100)
            let database = try Database.open(at: directory)
            for number in [0, 199] { try database.put([1], forKey: numberedKey(number)) }
            try database.compact()
            for number in 1..<199 {
                let found = Result { try database.value(forKey: numberedKey(number)) }
                if case .success(let value) = found { #expect(value == TableFixture.value(number)) }
            }
            #expect(code { _ = try database.value(forKey: numberedKey(100)) } == .corruption)
        }
    }

    /// The only fault that cannot be caught: the system kills a process that reads a mapped page beyond the end of the
    /// file.
    @Test func `A table truncated while it is memory-mapped ends the process`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 2000)
            await #expect(processExitsWith: .signal(SIGBUS)) { [directory = directory as String] in
                signal(SIGBUS, SIG_DFL)
                let database = try Database.open(at: directory)
                _ = try database.value(forKey: numberedKey(0))
                let table = try #require(try files(ofKind: "ldb", in: directory).first)
                #expect(unsafe truncate(table, 0) == 0)
                _ = try keys(of: database)
            }
        }
    }

    @Test func `A table with a forged footer causes an error, not a crash`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 2000)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            let bytes = try content(of: table)
            // The footer has no checksum: here it names an index block of 32 TiB.
            let handles: [UInt8] = [0x00, 0x32, 0x64, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08]
            let footer = handles + Array(repeating: 0, count: 30) + bytes.suffix(8)
            try write(bytes.dropLast(48) + footer, to: table)
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                signal(SIGABRT, SIG_DFL)
                let error = thrownError { _ = try keys(of: Database.open(at: directory)) }
                #expect(error?.code == .corruption)
                let report = try Database.repair(at: directory)
                #expect(!report.archivedNames.isEmpty)
            }
        }
    }

    /// The sizes at which LevelDB ends a file between a deletion and the old value.
    @Test func `A deleted key does not reappear after a compaction under a snapshot`() throws {
        for byteCount in [4054, 4055, 4056, 4057] {
            var options = DatabaseOptions()
            options.compression = .none
            options.maxFileByteCount = 1 << 20
            options.writeBufferByteCount = 64 << 20
            try withTemporaryDatabase(options: options) { database in
                let keys = (0..<1200).map { utf8("k\(100_000 + $0)") }
                for key in keys { try database.put(Array(repeating: 7, count: byteCount), forKey: key) }
                try database.compact()
                var snapshot: Snapshot? = try database.snapshot()
                for key in keys { try database.delete(key) }
                try database.compact()
                #expect(try snapshot?.count() == 1200)
                snapshot = nil
                // The neighbor moves to the next level together with the deletion, but without the old value.
                for position in stride(from: 0, to: keys.count, by: 25) {
                    try database.put([1], forKey: keys[position] + utf8("n"))
                    try database.compact(in: .range(from: keys[position], to: keys[position] + utf8("n")))
                }
                #expect(try database.count() == 48)
            }
        }
    }
}
