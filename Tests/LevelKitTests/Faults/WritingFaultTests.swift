import Foundation
import LevelKit
import Testing

/// Faults of writing: full disks, sizes, durability, batches.
@Suite struct WritingFaultTests {
    @Test func `After a full disk, every acknowledged write is present, even after reopening`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [path = directory + "/db" as String] in
                try reportingErrors {
                    let database = try Database.open(at: path)
                    let value = [UInt8](repeating: 1, count: 1000)
                    var acknowledged: [[UInt8]] = []
                    func put(_ number: Int) -> LevelError.Code? {
                        let found = code { try database.put(value, forKey: numberedKey(number), durability: .synced) }
                        if found == nil { acknowledged.append(numberedKey(number)) }
                        return found
                    }
                    try limitFileByteCount(to: 100_000)
                    let refused = try #require((0..<200).first { put($0) != nil })
                    #expect(refused > 50)
                    // The disk stays full, so each later write also fails.
                    for number in 500..<700 { #expect(put(number) == .io) }
                    let before = acknowledged
                    #expect(try keys(of: database) == before)
                    // Once there is space again, all writes succeed without reopening.
                    try limitFileByteCount(to: nil)
                    for number in 1000..<1200 { #expect(put(number) == nil) }
                    #expect(acknowledged.count == before.count + 200)
                    #expect(try keys(of: database) == acknowledged)
                    try database.close()
                    let again = try Database.open(at: path)
                    #expect(try keys(of: again) == acknowledged)
                    try again.put("1", forKey: "after")
                }
            }
        }
    }

    @Test func `Flushed writes are present even if the log is lost`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory)
            for number in 0..<100 { try database.put([1], forKey: numberedKey(number)) }
            try database.put([1], forKey: numberedKey(100), durability: .flushed)
            try database.close()
            for log in try files(ofKind: "log", in: directory) { try write([], to: log) }
            #expect(try keys(of: Database.open(at: directory)) == (0...100).map(numberedKey))
        }
    }

    @Test func `A value of 4 GiB is rejected before memory is allocated for it`() throws {
        try withTemporaryDatabase { database in
            // Untouched memory occupies no pages.
            let value = unsafe [UInt8](unsafeUninitializedCapacity: 4 << 30 | 5) { $1 = 4 << 30 | 5 }
            let before = Self.peakKibibytes
            let batch = WriteBatch()
            #expect(code { try database.put(value, forKey: utf8("a")) } == .tooLarge)
            #expect(code { try batch.put(value, forKey: utf8("a")) } == .tooLarge)
            #expect(batch.count == 0)
            #expect(Self.peakKibibytes - before < 1 << 20)
            let found = try keys(of: database)
            #expect(found == [])
        }
    }

    private static var peakKibibytes: Int {
        var usage = rusage()
        #if canImport(Glibc)
            unsafe getrusage(.init(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss
        #else
            unsafe getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss / 1024
        #endif
    }

    @Test func `Writers that LevelDB throttles finish, and the cause is readable`() throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        try withTemporaryDatabase(options: options) { database in
            var most = 0
            for number in 0..<20_000 {
                try database.put(Array(repeating: 1, count: 100), forKey: numberedKey(number * 7919 % 20_000))
                if number % 500 == 0 { most = max(most, try database.statistics().levels[0].tableCount) }
            }
            #expect((0...12).contains(most))
            #expect(try database.count() == 20_000)
        }
    }

    @Test func `Threads can write a batch one after another, and the batch keeps its content`() throws {
        // Two threads cannot share a batch concurrently: it is not Sendable, so that does not compile.
        try withTemporaryDirectory { directory in
            let batch = WriteBatch()
            try batch.put("1", forKey: "a")
            try batch.delete("b")
            for name in ["/first", "/second", "/first"] {
                let database = try Database.open(at: directory + name)
                try database.put("1", forKey: "b")
                try database.write(batch)
                #expect(try keys(of: database) == [utf8("a")])
            }
            #expect(batch.count == 2)
        }
    }

    @Test func `Empty batches write nothing`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            let before = try files(ofKind: "log", in: database.path).map { try content(of: $0).count }
            for _ in 0..<10_000 { try database.write(WriteBatch(), durability: .synced) }
            #expect(try files(ofKind: "log", in: database.path).map { try content(of: $0).count } == before)
        }
    }
}
