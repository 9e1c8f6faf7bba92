import LevelFiles
import LevelKit
import TestSupport
import Testing

@Suite struct DiagnosisTests {
    private static func make(_ directory: String, _ options: DatabaseOptions = DatabaseOptions()) throws -> String {
        let database = try Database.open(at: directory + "/db", options: options)
        for number in 0..<500 { try database.put("value \(number)", forKey: "key/\(number)") }
        try database.compact()
        try database.close()
        return directory + "/db"
    }

    private static func findings(_ path: String) throws -> [Diagnosis] {
        Diagnosis.findings(in: try DatabaseFiles(at: path))
    }

    @Test func `The diagnosis of an ordinary database has no findings`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory)
            #expect(try Self.findings(path).isEmpty)
            #expect(try Self.findings(directory).isEmpty)
        }
    }

    @Test(arguments: [("idb_cmp1", Diagnosis.Finding.chromeIndexedDB), ("my.order", .foreignOrder)])
    func `The diagnosis names an unknown comparator`(name: String, finding: Diagnosis.Finding) throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory, ForeignOrder.options(name))
            let findings = try Self.findings(path)
            #expect(findings.map(\.finding) == [finding])
            #expect(findings.first?.explanation.contains(name) == true && findings.first?.advice.isEmpty == false)
        }
    }

    @Test(arguments: [
        (UInt8(4), [UInt8](), Diagnosis.Finding.minecraft), (2, [0x78, 0x9c], .minecraft),
        (2, [0x28, 0xb5, 0x2f, 0xfd], .laterLevelDB), (9, [], .laterLevelDB),
    ])
    func `The diagnosis identifies the program that compressed the blocks`(
        type: UInt8, beginning: [UInt8], finding: Diagnosis.Finding
    ) throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory)
            let files = try DatabaseFiles(at: path)
            for file in files.files {
                guard case .table = file.kind else { continue }
                let name = files.path(of: file.name)
                for entry in try Table(at: name).index() {
                    try BlockForgery(name).replace(entry.handle, type: type) { block in
                        block.replaceSubrange(0..<beginning.count, with: beginning)
                    }
                }
            }
            let findings = try Self.findings(path)
            #expect(findings.map(\.finding) == [finding], "\(findings)")
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(!check.problems.isEmpty)
        }
    }

    @Test func `The diagnosis names the files that are lost`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory)
            let current = try TestFiles.bytes(of: path + "/CURRENT")
            let manifest = String(decoding: current.dropLast(), as: UTF8.self)
            try TestFiles.remove(path + "/CURRENT")
            let lost = try Self.findings(path)
            #expect(lost.map(\.finding) == [.lostCurrent] && lost[0].advice.contains(manifest))
            for bytes in [Array("MANIFEST-x\n".utf8), Array(manifest.utf8), [], Array("../../etc/passwd\n".utf8)] {
                try TestFiles.write(bytes, to: path + "/CURRENT")
                #expect(try Self.findings(path).map(\.finding) == [.lostCurrent])
            }
            try TestFiles.write(current, to: path + "/CURRENT")
            let bytes = try TestFiles.bytes(of: path + "/" + manifest)
            var damaged = bytes
            damaged[20] ^= 1
            try TestFiles.write(damaged, to: path + "/" + manifest)
            #expect(try Self.findings(path).contains { $0.finding == .damagedManifest })
            try TestFiles.remove(path + "/" + manifest)
            #expect(try Self.findings(path).map(\.finding) == [.lostManifest])
        }
    }

    @Test func `The diagnosis recognizes a RocksDB table`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory)
            let files = try DatabaseFiles(at: path)
            let table = try #require(files.files.first { if case .table = $0.kind { true } else { false } })
            let bytes = try TestFiles.bytes(of: path + "/" + table.name)
            let magic: [UInt8] = [0xf7, 0xcf, 0xf4, 0x85, 0xb7, 0x41, 0xe2, 0x88]
            try TestFiles.write(bytes.dropLast(8) + magic, to: path + "/" + table.name)
            #expect(try Self.findings(path).map(\.finding) == [.rocksDB])
        }
    }

    @Test func `The diagnosis of a damaged manifest names the record and does not report missing tables`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.make(directory)
            // Reopened repeatedly, so that the manifest has several records that replace tables.
            let database = try Database.open(at: path)
            for round in 0..<5 {
                for number in 0..<200 { try database.put("value \(round)", forKey: "key/\(number)") }
                try database.compact()
            }
            try database.close()
            let name = try DatabaseFiles.currentManifestName(in: path)
            let original = try TestFiles.bytes(of: path + "/" + name)
            var reader = RecordReader(original, holding: .edits)
            var ends: [Int] = []
            while case .record? = try reader.next() { ends.append(Int(reader.endOffset)) }
            for end in ends.dropFirst() {
                var bytes = original
                bytes[end - 3] ^= 0x10
                try TestFiles.write(bytes, to: path + "/" + name)
                let findings = try Self.findings(path)
                #expect(findings.map(\.finding) == [.damagedManifest], "byte \(end - 3): \(findings)")
                #expect(findings.first?.explanation.contains("\(name), byte ") == true, "\(findings)")
                let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
                #expect(check.problems.allSatisfy { $0.file == name && $0.offset != nil }, "\(check.problems)")
            }
        }
    }
}
