import LevelKit
import TestSupport
import Testing

@testable import LevelFiles

@Suite struct `Version merge` {
    private static func merge(_ path: String) throws -> VersionMerge {
        let files = try DatabaseFiles(at: path)
        let version = try #require(files.manifest?.version)
        let tables = version.tables.compactMap { listed in
            files.tableFile(listed.number).map {
                VersionMerge.TableFile(path: files.path(of: $0.name), listed: listed)
            }
        }
        let logs = files.files.filter { file in
            if case .log(let number) = file.kind { version.needsLog(number) } else { false }
        }.map { files.path(of: $0.name) }
        return VersionMerge(tables: tables, logs: logs) { left, right in
            left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
    }

    private static func sample(_ directory: String, reopens: Bool, _ random: inout SplitMix64) throws -> SampleDatabase
    {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        return try SampleDatabase(
            at: directory + "/db", count: 3_000, keyCount: 700, reopens: reopens, compacts: reopens, options: options,
            random: &random)
    }

    @Test func `A version merge returns each version once, by key, newest first, without false damage`()
        throws
    {
        var random = TestRun.random(stream: 0x3e6)
        try withTemporaryDirectory { directory in
            let sample = try Self.sample(directory, reopens: true, &random)
            var merge = try Self.merge(sample.path)
            var versions: [SampleDatabase.Operation] = []
            var last: InternalKey?
            while let version = merge.next() {
                let key = version.entry.key
                if let last { #expect(last.precedesBytewise(key)) }
                last = key
                versions.append(SampleDatabase.Operation(key, version.entry.value))
            }
            #expect(merge.damage.isEmpty)
            #expect(Set(versions) == Set(try SampleDatabase.stored(at: sample.path)))
        }
    }

    @Test func `A version merge names each damaged block with its keys and its entry count`() throws {
        var random = TestRun.random(stream: 0x3e7)
        try withTemporaryDirectory { directory in
            let sample = try Self.sample(directory, reopens: true, &random)
            let files = try DatabaseFiles(at: sample.path)
            let listed = try #require(files.manifest?.version.tables.max { $0.byteCount < $1.byteCount })
            let name = try #require(files.tableFile(listed.number)).name
            let table = try Table(at: files.path(of: name))
            let block = random.pick(try table.index())
            var keys: [[UInt8]] = []
            try table.forEachEntry(inBlockAt: block.handle) { entry throws(FileError) in keys.append(entry.key.userKey)
            }
            var bytes = try TestFiles.bytes(of: files.path(of: name))
            bytes[Int(block.handle.offset) + random.number(below: Int(block.handle.byteCount))] ^= 0x40
            try TestFiles.write(bytes, to: files.path(of: name))
            var merge = try Self.merge(sample.path)
            while merge.next() != nil {}
            #expect(merge.damage.count == 1, "\(TestRun.repetition)")
            let place = try #require(merge.damage.first)
            #expect(place.kind == .block && place.file == name && place.offset == block.handle.offset)
            #expect(place.byteCount == block.handle.byteCount && place.entryCount == 1)
            #expect(try #require(place.estimatedEntryCount) >= 1)
            let range = try #require(place.keys)
            for key in keys {
                #expect(!key.lexicographicallyPrecedes(range.lower) && !range.upper.lexicographicallyPrecedes(key))
            }
        }
    }

    @Test func `A version merge counts the writes lost to a damaged log by the surrounding sequence numbers`() throws {
        var random = TestRun.random(stream: 0x3e8)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            for index in 0..<3_000 {
                try database.put(Array(repeating: UInt8(index % 251), count: 100), forKey: Array("key/\(index)".utf8))
            }
            try database.close()
            let files = try DatabaseFiles(at: directory + "/db")
            let log = try #require(files.files.last { if case .log = $0.kind { true } else { false } })
            var bytes = try TestFiles.bytes(of: files.path(of: log.name))
            bytes[40_000 + random.number(below: 10_000)] ^= 1
            try TestFiles.write(bytes, to: files.path(of: log.name))
            var merge = try Self.merge(files.path)
            var count: UInt64 = 0
            while merge.next() != nil { count += 1 }
            #expect(merge.damage.reduce(0) { $0 + $1.entryCount } == 3_000 - count, "\(merge.damage)")
            #expect(merge.damage.allSatisfy { $0.kind == .log && $0.file == log.name && $0.offset != nil })
        }
    }
}
