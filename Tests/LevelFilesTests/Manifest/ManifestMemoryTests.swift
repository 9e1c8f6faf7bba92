import LevelFiles
import LevelKit
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reading a manifest takes memory for the tables in use, not for its edits.
@Suite struct ManifestMemoryTests {
    private static func largestMemory() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
            unsafe getrusage(.init(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss * 1024
        #else
            unsafe getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    private static func writeManifest(_ records: some Sequence<[UInt8]>, in directory: String) throws {
        var writer = RecordWriter()
        var first = VersionEdit()
        first.comparatorName = Version.bytewiseName
        first.logNumber = 3
        first.nextFileNumber = 1 << 30
        first.lastSequence = 0
        writer.append(first.encoded)
        for record in records { writer.append(record) }
        try TestFiles.write(writer.bytes, to: directory + "/MANIFEST-000002")
        try TestFiles.write(Array("MANIFEST-000002\n".utf8), to: directory + "/CURRENT")
    }

    /// The record of a table with the keys "" and "", in level 6.
    private static func table(_ number: Int) -> [UInt8] {
        var record: [UInt8] = [7, 6]
        Varint.append(UInt64(number), to: &record)
        let key: [UInt8] = [8] + Array(repeating: 0, count: 8)
        return record + [1] + key + key
    }

    @Test func `A manifest of 300000 small edits takes little memory`() async throws {
        try await withTemporaryPath { directory in
            // Each table is deleted by the next edit.
            try Self.writeManifest(
                (0..<300_000).lazy.map { number in
                    var deletion: [UInt8] = [6, 6]
                    Varint.append(UInt64(number), to: &deletion)
                    return deletion + Self.table(number + 1)
                }, in: directory)
            await #expect(processExitsWith: .success) { [path = directory as String] in
                let before = Self.largestMemory()
                let manifest = try ManifestFile(at: path + "/MANIFEST-000002")
                let growth = Self.largestMemory() - before
                precondition(manifest.editCount == 300_001 && manifest.version.tableCount == 1)
                precondition(manifest.faults.isEmpty && growth < 8 << 20, "\(growth) bytes")
                // LevelKit also keeps the bytes of the file, which has 13 MB.
                let opened = try Manifest(ofDatabaseAt: path)
                let total = Self.largestMemory() - before
                precondition(opened.tables.count == 1 && total < 60 << 20, "\(total) bytes")
            }
        }
    }

    @Test func `A manifest that names more than a million tables is reported as damage, with its position`() throws {
        try withTemporaryDirectory { directory in
            let first = 1 << 19
            let record = Self.table(first)
            let block = Array(repeatElement(record, count: 1_000).joined())
            try Self.writeManifest(
                (0..<1_100).lazy.map { number in
                    var block = block
                    for table in 0..<1_000 {
                        // The number has three bytes, after the tag and the level.
                        let (value, offset) = (first + number * 1_000 + table, table * record.count + 2)
                        block[offset] = UInt8(truncatingIfNeeded: value) | 0x80
                        block[offset + 1] = UInt8(truncatingIfNeeded: value >> 7) | 0x80
                        block[offset + 2] = UInt8(truncatingIfNeeded: value >> 14)
                    }
                    return block
                }, in: directory)
            let manifest = try ManifestFile(at: directory + "/MANIFEST-000002")
            #expect(manifest.faults.count == 1 && manifest.faults.first?.offset != nil)
            #expect(manifest.faults.first?.reason.contains("1048576 tables") == true)
            let error = #expect(throws: LevelError.self) { try Manifest(ofDatabaseAt: directory) }
            #expect(error?.code == .corruption && error?.message.contains("1048576 tables") == true)
        }
    }

    @Test func `A manifest full of invalid records reports its first faults`() throws {
        try withTemporaryDirectory { directory in
            try Self.writeManifest(repeatElement([99], count: 50_000), in: directory)
            let manifest = try ManifestFile(at: directory + "/MANIFEST-000002")
            #expect(manifest.editCount == 1 && manifest.faults.count == 1_000)
        }
    }
}
