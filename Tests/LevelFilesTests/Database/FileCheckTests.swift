import LevelFiles
import LevelKit
import TestSupport
import Testing

@Suite struct `File check` {
    private static func sample(_ directory: String, _ random: inout SplitMix64) throws -> SampleDatabase {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        return try SampleDatabase(
            at: directory + "/db", count: 3_000, keyCount: 900, reopens: true, compacts: false, options: options,
            random: &random)
    }

    private static func tables(_ path: String) throws -> [DatabaseFiles.File] {
        let files = try DatabaseFiles(at: path)
        return files.files.filter { file in
            if case .table = file.kind { files.use(of: file).use == .live } else { false }
        }
    }

    @Test func `The file check finds every flipped byte of a table and names the file`() throws {
        var random = TestRun.random(stream: 0xf11)
        try withTemporaryDirectory { directory in
            let path = try Self.sample(directory, &random).path
            for _ in 0..<TestRun.rounds(60, long: 3_000) {
                let file = random.pick(try Self.tables(path))
                let name = path + "/" + file.name
                let original = try TestFiles.bytes(of: name)
                var offset = random.number(below: original.count)
                // The padding between the handles and the magic number has no meaning.
                if offset >= original.count - 44, offset < original.count - 8 { offset = original.count - 1 }
                var bytes = original
                bytes[offset] ^= 1 << UInt8(random.number(below: 8))
                try TestFiles.write(bytes, to: name)
                let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
                #expect(
                    check.problems.contains { $0.file == file.name },
                    "byte \(offset) of \(file.name), \(TestRun.repetition)")
                try TestFiles.write(original, to: name)
            }
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(check.problems.isEmpty)
        }
    }

    @Test func `The file check finds tables that are missing, truncated or too long`() throws {
        var random = TestRun.random(stream: 0xf12)
        try withTemporaryDirectory { directory in
            let path = try Self.sample(directory, &random).path
            let file = random.pick(try Self.tables(path))
            let original = try TestFiles.bytes(of: path + "/" + file.name)
            for bytes in [Array(original.dropLast()), original + [0], Array(original.prefix(10)), []] {
                try TestFiles.write(bytes, to: path + "/" + file.name)
                let check = FileCheck(try DatabaseFiles(at: path), depth: .outline)
                #expect(check.problems.contains { $0.file == file.name }, "\(bytes.count)")
            }
            try TestFiles.remove(path + "/" + file.name)
            let check = FileCheck(try DatabaseFiles(at: path), depth: .outline)
            #expect(check.problems.map(\.reason) == ["the table is missing"])
            let findings = Diagnosis.findings(in: try DatabaseFiles(at: path))
            #expect(findings.map(\.finding) == [.lostTables])
        }
    }

    @Test func `The file check finds a Bloom filter that excludes an existing key`() throws {
        var random = TestRun.random(stream: 0xf13)
        try withTemporaryDirectory { directory in
            let path = try Self.sample(directory, &random).path
            let file = try #require(try Self.tables(path).first)
            let name = path + "/" + file.name
            let handle = try #require(try Table(at: name).metaIndex().first).handle
            // Clears the first bits of the first filter; the checksum is valid.
            try BlockForgery(name).replace(handle) { block in
                for index in 0..<min(20, block.count - 10) { block[index] = 0 }
            }
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(check.problems.contains { $0.file == file.name && $0.reason.contains("filter excludes") })
        }
    }

    @Test func `The file check reports a hole in a log but not an unfinished record at its end`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            for number in 0..<2_000 {
                try database.put(Array(repeating: 0x61, count: 100), forKey: Array("\(number)".utf8))
            }
            try database.close()
            let files = try DatabaseFiles(at: path)
            let log = try #require(files.files.first { if case .log = $0.kind { true } else { false } })
            let bytes = try TestFiles.bytes(of: path + "/" + log.name)
            try TestFiles.write(bytes.dropLast(3), to: path + "/" + log.name)
            let torn = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(torn.problems.isEmpty && torn.tornByteCount > 0 && torn.operationCount == 1_999)
            var damaged = bytes
            damaged[40_000] ^= 1
            try TestFiles.write(damaged, to: path + "/" + log.name)
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(check.problems.contains { $0.file == log.name && $0.reason.contains("lost") })
        }
    }

    /// Databases that the C++ implementation wrote in 2012: tables end in `.sst`, and logs and manifests end with 64
    /// KiB of zeros.
    @Test(
        .enabled(if: SharedTestData.has("leveldb/golang-testdata"), "skipped: there is no shared data"),
        arguments: [(1, 0), (2, 2), (3, 2), (4, 2)])
    func `The file check finds no problems in databases from 2012`(stage: Int, keyCount: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try TestFiles.copy(SharedTestData.path(of: "leveldb/golang-testdata/db-stage-\(stage)"), to: path)
            let files = try DatabaseFiles(at: path)
            let check = FileCheck(files, depth: .everything)
            #expect(check.problems.isEmpty, "\(check.problems)")
            #expect(Diagnosis.findings(in: files).isEmpty)
            #expect(check.entryCount + check.operationCount >= UInt64(keyCount))
            var keys: Set<[UInt8]> = []
            for operation in try SampleDatabase.stored(at: path).sorted(by: { $0.sequence < $1.sequence }) {
                if operation.value == nil { keys.remove(operation.key) } else { keys.insert(operation.key) }
            }
            #expect(keys.count == keyCount)
        }
    }

    @Test func `The file check counts all problems, including those beyond the listing limit`() throws {
        var random = TestRun.random(stream: 0xf19)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            for index in 0..<1_100 {
                try database.put(
                    (0..<4_200).map { _ in UInt8(random.number(below: 256)) }, forKey: Array("k\(index)".utf8))
            }
            try database.compact()
            try database.close()
            let path = directory + "/db"
            for file in try Self.tables(path) {
                let handles = try Table(at: path + "/" + file.name).index().map(\.handle)
                var bytes = try TestFiles.bytes(of: path + "/" + file.name)
                for handle in handles { bytes[Int(handle.offset) + 9] ^= 1 }
                try TestFiles.write(bytes, to: path + "/" + file.name)
            }
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(check.problems.count == FileCheck.problemLimit)
            #expect(check.problemCount >= 1_100)
        }
    }
}
