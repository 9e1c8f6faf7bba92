import Foundation
import LevelKit
import TestSupport
import Testing

/// Damaged logs and manifests cause an error or yield a prefix of the writes, never a gap.
@Suite struct DamagedLogTests {
    /// Creates a database whose writes are all in the log.
    ///
    /// - Returns: The size of the log after each write.
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

    @Test func `A flipped byte in the log is corruption, and no file is changed`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 12, valueByteCount: 30)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            // Every byte of two headers, and a sample of the others.
            let places = Array(0..<7) + Array(ends[10]..<ends[10] + 7) + Array(stride(from: 7, to: ends[11], by: 13))
            for place in places {
                let path = directory + "/\(place)"
                try copyDatabase(from: directory + "/db", to: path)
                var bytes = try content(of: path + "/" + log)
                bytes[place] ^= 0x40
                try write(bytes, to: path + "/" + log)
                let before = try contents(of: path)
                #expect(code { _ = try Database.open(at: path) } == .corruption, "byte \(place)")
                #expect(try contents(of: path) == before, "byte \(place)")
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// LevelDB treats such a record as an unfinished write, and opens without the later ones.
    @Test func `A damaged length in the last block is a located error, and repair loses no write`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 12, valueByteCount: 30)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            for number in 0..<12 {
                let path = directory + "/\(number)"
                let start = number == 0 ? 0 : ends[number - 1]
                try copyDatabase(from: directory + "/db", to: path)
                var bytes = try content(of: path + "/" + log)
                bytes[start + 5] = 0x60
                try write(bytes, to: path + "/" + log)
                let before = try DirectoryState(path)
                for mode in [Database.Mode.readWrite, .readOnly] {
                    let error = thrownError { _ = try Database.open(at: path, mode: mode) }
                    #expect(error?.code == .corruption, "record \(number), \(mode)")
                    #expect(error?.file == log && error?.offset == UInt64(start), "\(String(describing: error))")
                    #expect(error?.message.contains("repair") == true)
                    #expect(try DirectoryState(path).difference(from: before) == [], "record \(number), \(mode)")
                }
                let report = try Database.repair(at: path)
                #expect(report.losses.places.map(\.offset) == [UInt64(start)])
                #expect(report.losses.places.map(\.entryCount) == [0])
                let database = try Database.open(at: path)
                #expect(try keys(of: database) == (0..<12).map(numberedKey), "record \(number)")
                try database.close()
            }
        }
    }

    @Test func `An overwritten header in the last block is an error, and repair loses only its write`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory + "/db", count: 12, valueByteCount: 30)
            let log = try #require(try fileNames(in: directory + "/db").first { $0.hasSuffix(".log") })
            for header in [[1, 2, 3, 4, 5, 0xf0, 7], [0, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
                for number in 1..<11 {
                    let path = directory + "/\(number)"
                    try copyDatabase(from: directory + "/db", to: path)
                    var bytes = try content(of: path + "/" + log)
                    bytes.replaceSubrange(ends[number - 1]..<ends[number - 1] + 7, with: header)
                    try write(bytes, to: path + "/" + log)
                    for mode in [Database.Mode.readWrite, .readOnly] {
                        let error = thrownError { _ = try Database.open(at: path, mode: mode) }
                        #expect(error?.code == .corruption, "record \(number), \(mode), \(header)")
                        #expect(error?.offset == UInt64(ends[number - 1]))
                    }
                    let report = try Database.repair(at: path)
                    #expect(report.droppedByteCount == UInt64(ends[number] - ends[number - 1]))
                    #expect(report.losses.places.map(\.entryCount) == [1])
                    let database = try Database.open(at: path)
                    #expect(try keys(of: database) == (0..<12).filter { $0 != number }.map(numberedKey))
                    try database.close()
                    try FileManager.default.removeItem(atPath: path)
                }
            }
        }
    }

    @Test func `A damaged length in the last block does not prevent opening with relaxed integrity`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let ends = try Self.makeLog(at: directory, count: 12, valueByteCount: 30)
            let log = try #require(try files(ofKind: "log", in: directory).first)
            var bytes = try content(of: log)
            bytes[ends[5] + 5] = 0x60
            try write(bytes, to: log)
            var options = DatabaseOptions()
            options.integrity = .relaxed
            for mode in [Database.Mode.readOnly, .readWrite] {
                let database = try Database.open(at: directory, options: options, mode: mode)
                #expect(try keys(of: database) == (0..<6).map(numberedKey))
                try database.close()
            }
        }
    }

    @Test func `A log truncated anywhere, with or without trailing zeros, opens in both modes`() throws {
        try withTemporaryDirectory { directory in
            let source = directory + "/db"
            let database = try Database.open(at: source)
            var random = TestRun.random(stream: 0x70a1)
            var ends: [Int] = []
            for number in 0..<60 {
                let count = Bool.random(using: &random) ? 40 : Int.random(in: 0...9_000, using: &random)
                let value = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                try database.put(value, forKey: numberedKey(number))
                ends.append(try content(of: try #require(try files(ofKind: "log", in: source).last)).count)
            }
            try database.close()
            let log = try #require(try fileNames(in: source).first { $0.hasSuffix(".log") })
            let bytes = try content(of: source + "/" + log)
            for _ in 0..<TestRun.rounds(60, long: 2_000) {
                let path = directory + "/copy"
                try copyDatabase(from: source, to: path)
                var cut = Int.random(in: 0...bytes.count, using: &random)
                var zeros = 0
                if Bool.random(using: &random) {
                    cut = ends.randomElement(using: &random)!
                    zeros = Int.random(in: 0...50_000, using: &random)
                }
                try write(bytes.prefix(cut) + Array(repeating: 0, count: zeros), to: path + "/" + log)
                let expected = ends.filter { $0 <= cut }.indices.map(numberedKey)
                for mode in [Database.Mode.readOnly, .readWrite] {
                    let opened = try Database.open(at: path, mode: mode)
                    #expect(try keys(of: opened) == expected, "cut at \(cut), \(zeros) zeros, \(TestRun.repetition)")
                    try opened.close()
                }
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test func `A flipped byte in the middle of a long log is corruption`() throws {
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

    @Test func `A truncated log opens with the writes before the cut`() throws {
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

    @Test func `A long log truncated in any block opens with the writes before the cut`() throws {
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
    func `A zeroed part of a log is corruption`(zeros: Range<Int>) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            _ = try Self.makeLog(at: directory, count: 200, valueByteCount: 1000)
            let log = try #require(try files(ofKind: "log", in: directory).first)
            let intact = try content(of: log)
            var bytes = intact
            for place in zeros { bytes[place] = 0 }
            try write(bytes, to: log)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            // Some file systems leave zeros after the end when power is lost.
            try write(intact + Array(repeating: 0, count: zeros.count), to: log)
            #expect(try keys(of: Database.open(at: directory)).count == 200)
        }
    }

    @Test func `A damaged manifest is corruption, and no file is deleted`() throws {
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

    @Test func `A manifest without its end is corruption, and no file is deleted`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let manifest = try Self.makeManifest(at: directory)
            try write(try content(of: manifest).dropLast(5), to: manifest)
            let before = try contents(of: directory)
            // LevelDB treats this as an interrupted write, reverts to the state before the last flush, whose log is
            // gone, and deletes the table that the lost record named. The missing log is detectable: every state that
            // can be reverted to has the log with its number.
            let found = code { _ = try Database.open(at: directory) }
            let after = try contents(of: directory)
            #expect(found == .corruption)
            #expect(after == before)
        }
    }

    /// Creates a database of 150 entries in three tables.
    ///
    /// - Returns: The path of its manifest.
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
