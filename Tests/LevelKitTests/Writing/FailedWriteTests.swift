import Foundation
import LevelKit
import Testing

/// Behavior on a full disk, simulated by a limit on the size of files.
///
/// LevelDB alone continues to write records that no later open can read.
@Suite struct FailedWriteTests {
    @Test(arguments: [0, 1, 5000, 32_761, 32_770, 100_000], [100, 40_000])
    func `After a failed write, every acknowledged write is present, and nothing else`(
        limit: Int, valueByteCount: Int
    ) async throws {
        try await withSharedDirectory { directory in
            let input = "\(limit) \(valueByteCount) \(directory)"
            await #expect(processExitsWith: .success) { [input = input as String] in
                try reportingErrors {
                    let words = input.split(separator: " ", maxSplits: 2)
                    let (limit, valueByteCount) = (try #require(Int(words[0])), try #require(Int(words[1])))
                    try FailedWriteTests.writeUntilRefused(
                        at: words[2] + "/db", limit: limit, valueByteCount: valueByteCount)
                }
            }
        }
    }

    private static func writeUntilRefused(at path: String, limit: Int, valueByteCount: Int) throws {
        let database = try Database.open(at: path)
        var acknowledged: [[UInt8]] = []
        var refused: [[UInt8]] = []
        func write(_ number: Int) {
            let key = numberedKey(number)
            let value = Array(repeating: UInt8(truncatingIfNeeded: number), count: valueByteCount)
            do throws(LevelError) {
                if number % 3 == 0 {
                    let batch = WriteBatch()
                    try batch.put(value, forKey: key)
                    try batch.put(value, forKey: key + [0])
                    try database.write(batch)
                    acknowledged += [key, key + [0]]
                } else {
                    try database.put(value, forKey: key)
                    acknowledged.append(key)
                }
            } catch {
                #expect(error.code == .io, "\(error)")
                refused += number % 3 == 0 ? [key, key + [0]] : [key]
            }
        }
        write(0)
        #expect(refused == [])
        try limitFileByteCount(to: limit)
        for number in 1... {
            write(number)
            if !refused.isEmpty { break }
        }
        // Some writes fail and others succeed while the disk is full and after there is space again.
        for number in 1000..<1010 { write(number) }
        #expect(try keys(of: database) == acknowledged.sorted { $0.lexicographicallyPrecedes($1) })
        try limitFileByteCount(to: nil)
        for number in 2000..<2010 { write(number) }

        let expected = acknowledged.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try keys(of: database) == expected)
        for key in refused { #expect(try database.value(forKey: key) == nil) }
        try database.close()
        let again = try Database.open(at: path)
        let found = try entries(of: again)
        #expect(found.map(\.key) == expected)
        #expect(found.allSatisfy { $0.value.count == valueByteCount && Set($0.value).count <= 1 })
        try again.put("1", forKey: "after")
        try again.close()
    }

    @Test func `On a full disk every write fails until there is space, and none after that`()
        async throws
    {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try reportingErrors {
                    let database = try Database.open(at: directory + "/db")
                    try database.put("1", forKey: "a")
                    try limitFileByteCount(to: 0)
                    let first = thrownError { try database.put("2", forKey: "b") }
                    #expect(first?.code == .io)
                    let later = [
                        thrownError { try database.put("2", forKey: "b") },
                        thrownError { try database.delete("a") },
                        thrownError { try database.write { try $0.put("2", forKey: "b") } },
                        thrownError { try database.put("2", forKey: "b", durability: .synced) },
                    ]
                    for error in later {
                        #expect(error?.code == .io)
                        #expect(error?.message.contains("refuses writes since one failed") == true)
                        #expect(error?.message.contains(database.path) == true)
                        #expect(error?.cause?.isEmpty == false)
                    }
                    // Reads still work, and an empty batch writes nothing.
                    #expect(try keys(of: database) == [utf8("a")])
                    try database.write(WriteBatch())
                    try limitFileByteCount(to: nil)
                    try database.put("2", forKey: "b")
                    #expect(try keys(of: database) == [utf8("a"), utf8("b")])
                }
            }
            let database = try Database.open(at: directory + "/db")
            #expect(try keys(of: database) == [utf8("a"), utf8("b")])
        }
    }

    @Test func `A failed compaction loses nothing`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try reportingErrors {
                    var options = DatabaseOptions()
                    options.writeBufferByteCount = 64 << 10
                    options.compression = .none
                    let database = try Database.open(at: directory + "/db", options: options)
                    try limitFileByteCount(to: 200_000)
                    var acknowledged: [[UInt8]] = []
                    var error: LevelError?
                    for number in 0..<5000 where error == nil {
                        let key = numberedKey(number * 7919 % 5000)
                        error = thrownError {
                            try database.put(Array(repeating: 1, count: 500), forKey: key)
                            acknowledged.append(key)
                        }
                    }
                    #expect(error?.code == .io)
                    let expected = acknowledged.sorted { $0.lexicographicallyPrecedes($1) }
                    #expect(try keys(of: database) == expected)
                    try database.close()
                    try limitFileByteCount(to: nil)
                    let again = try Database.open(at: directory + "/db")
                    #expect(try keys(of: again) == expected)
                    try again.compact()
                    #expect(try keys(of: again) == expected)
                }
            }
        }
    }
}
