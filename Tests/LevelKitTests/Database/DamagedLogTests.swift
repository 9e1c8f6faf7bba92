import Foundation
import LevelKit
import Testing

/// Damaged logs and manifests: an error, or the beginning of what was written, never a hole.
@Suite struct DamagedLogTests {
    /// Makes a database whose writes are all in the log.
    ///
    /// - Returns: the size of the log after each write.
    private static func makeLog(at path: String, count: Int, valueByteCount: Int) throws -> [Int] {
        let database = try Database.open(at: path)
        var ends: [Int] = []
        for number in 0..<count {
            try database.put(Array(repeating: 7, count: valueByteCount), forKey: numberedKey(number))
            ends.append(try content(of: try #require(try files(ofKind: "log", in: path).last)).count)
        }
        try database.close()
        return ends
    }

    @Test func `a flipped byte in the log is corruption or cuts off the end, and never leaves a hole`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 12, valueByteCount: 30)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            var corruptionCount = 0
            // Every byte of two headers, and some of the others.
            let places = Array(0..<7) + Array(ends[10]..<ends[10] + 7) + Array(stride(from: 7, to: ends[11], by: 13))
            for place in places {
                let path = directory + "/\(place)"
                try copyDatabase(from: directory + "/db", to: path)
                var bytes = try content(of: path + "/" + log)
                bytes[place] ^= 0x40
                try write(bytes, to: path + "/" + log)
                let before = try contents(of: path)
                do throws(LevelError) {
                    let found = try keys(of: Database.open(at: path))
                    // A length that leads behind the end looks like a write that was cut off.
                    let start = place - (ends.last { $0 <= place } ?? 0)
                    #expect(start == 4 || start == 5, "byte \(start) of a record was changed and not noticed")
                    #expect(found == (0..<found.count).map(numberedKey))
                } catch {
                    corruptionCount += 1
                    #expect(error.code == .corruption)
                    #expect(try contents(of: path) == before, "a failed open leaves the files as they are")
                }
                try FileManager.default.removeItem(atPath: path)
            }
            #expect(corruptionCount > places.count * 8 / 10)
        }
    }

    @Test func `a flipped byte in the middle of a long log is corruption`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 200, valueByteCount: 1000)
            let log = try #require(try files(ofKind: "log", in: directory + "/db").first)
            let intact = try content(of: log)
            for number in [0, 1, 50, 100, 150] {
                for offset in [0, 3, 4, 5, 6, 7, 500] {
                    var bytes = intact
                    bytes[ends[number] + offset] ^= 0x80
                    try write(bytes, to: log)
                    #expect(
                        code { _ = try Database.open(at: directory + "/db") } == .corruption,
                        "byte \(offset) of record \(number + 1)")
                }
            }
            try write(intact, to: log)
            #expect(try keys(of: Database.open(at: directory + "/db")).count == 200)
        }
    }

    @Test func `a log that was cut short opens with the writes before the cut`() throws {
        try withTemporaryDirectory { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 10, valueByteCount: 30)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            let byteCounts = Array(stride(from: 0, to: ends[9], by: 11)) + ends.flatMap { [$0 - 1, $0] }
            for byteCount in byteCounts {
                let path = directory + "/\(byteCount)"
                try copyDatabase(from: directory + "/db", to: path)
                try write(Array(try content(of: path + "/" + log).prefix(byteCount)), to: path + "/" + log)
                let expected = ends.filter { $0 <= byteCount }.indices.map(numberedKey)
                #expect(try keys(of: Database.open(at: path)) == expected, "\(byteCount) bytes")
                if byteCount % 4 != 0 { try FileManager.default.removeItem(atPath: path) }
            }
        }
    }

    @Test func `a long log that was cut short in any block opens with the writes before the cut`() throws {
        try withTemporaryDirectory { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 120, valueByteCount: 1000)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            for byteCount in [32_760, 32_768, 32_775, 50_000, 65_536, 65_543, 98_304, 100_000] {
                let path = directory + "/\(byteCount)"
                try copyDatabase(from: directory + "/db", to: path)
                try write(Array(try content(of: path + "/" + log).prefix(byteCount)), to: path + "/" + log)
                let expected = ends.filter { $0 <= byteCount }.indices.map(numberedKey)
                #expect(try keys(of: Database.open(at: path)) == expected, "\(byteCount) bytes")
            }
        }
    }

    @Test(arguments: [
        0..<32_768, 32_768..<65_536, 32_768..<36_864, 32_768..<32_775, 40_960..<65_536, 131_072..<163_840,
    ])
    func `a part of the log that became zeros is corruption`(zeros: Range<Int>) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            _ = try Self.makeLog(at: directory, count: 200, valueByteCount: 1000)
            let log = try #require(try files(ofKind: "log", in: directory).first)
            let intact = try content(of: log)
            var bytes = intact
            for place in zeros { bytes[place] = 0 }
            try write(bytes, to: log)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            // Zeros behind the end are what some file systems leave after a loss of power.
            try write(intact + Array(repeating: 0, count: zeros.count), to: log)
            #expect(try keys(of: Database.open(at: directory)).count == 200)
        }
    }

    @Test func `a damaged manifest is corruption, and no file is removed`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let manifest = try Self.makeManifest(at: directory)
            let intact = try content(of: manifest)
            for place in stride(from: 0, to: intact.count, by: 5) {
                var bytes = intact
                bytes[place] ^= 0x40
                try write(bytes, to: manifest)
                let before = try contents(of: directory)
                #expect(code { _ = try Database.open(at: directory) } == .corruption)
                #expect(try contents(of: directory) == before)
            }
            try write(intact, to: manifest)
            #expect(try keys(of: Database.open(at: directory)).count == 150)
        }
    }

    @Test func `a manifest that lost its end is corruption, and no file is removed`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let manifest = try Self.makeManifest(at: directory)
            try write(try content(of: manifest).dropLast(5), to: manifest)
            let before = try contents(of: directory)
            // LevelDB takes it for a write that was cut off, goes back to the state before the last flush, whose log is
            // gone, and removes the table that the lost record named. That the log is gone gives it away: each state
            // that can be gone back to has the log of its number.
            let found = code { _ = try Database.open(at: directory) }
            let after = try contents(of: directory)
            #expect(found == .corruption)
            #expect(after == before)
        }
    }

    /// Makes a database of 150 entries in three tables.
    ///
    /// - Returns: the path of its manifest.
    private static func makeManifest(at path: String) throws -> String {
        for part in 0..<3 {
            let database = try Database.open(at: path)
            for number in 0..<50 { try database.put([1], forKey: numberedKey(part * 50 + number)) }
            try database.compact()
            try database.close()
        }
        return path + "/" + (try #require(try fileNames(in: path).first { $0.hasPrefix("MANIFEST-") }))
    }
}
