import LevelFiles
import LevelKit
import TestSupport
import Testing

/// No input makes a decoder trap: it decodes the bytes or throws.
@Suite struct `Fuzzed input` {
    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<1 + random.number(below: 4) {
            switch random.number(below: 5) {
            case 0 where !bytes.isEmpty: bytes[random.number(below: bytes.count)] = UInt8(random.number(below: 256))
            case 1 where !bytes.isEmpty: bytes[random.number(below: bytes.count)] ^= 1 << UInt8(random.number(below: 8))
            case 2 where !bytes.isEmpty:
                bytes.removeLast(random.number(below: bytes.count) / (random.once(in: 3) ? 1 : 20))
            case 3:
                let index = random.number(below: bytes.count + 1)
                let extra = (0..<random.number(below: 9)).map { _ in
                    random.once(in: 2) ? 0xff : UInt8(random.number(below: 256))
                }
                bytes.insert(contentsOf: extra, at: index)
            default:
                let index = random.number(below: bytes.count + 1)
                let end = min(bytes.count, index + random.number(below: 8))
                bytes.replaceSubrange(index..<end, with: Array(repeating: 0xff, count: end - index))
            }
        }
        return bytes
    }

    /// Reads everything readable in a directory.
    private static func readAll(_ path: String) throws {
        let files = try DatabaseFiles(at: path)
        _ = FileCheck(files, depth: .everything)
        _ = Diagnosis.findings(in: files)
        _ = KeyHistory(of: Array("key/7".utf8), in: files)
        for file in files.files {
            guard case .table = file.kind, let table = try? Table(at: files.path(of: file.name)) else { continue }
            _ = try? TableSummary(table)
            _ = try? table.bloomFilters()
        }
    }

    @Test func `Random bytes in any file are decoded or rejected without a trap`() throws {
        var random = TestRun.random(stream: 0xf022)
        try withTemporaryDirectory { directory in
            let sample = try SampleDatabase(
                at: directory + "/db", count: 400, keyCount: 40, reopens: true, compacts: false, random: &random)
            let database = try Database.open(at: sample.path)
            try database.compact()
            try database.put("last", forKey: "key/7")
            try database.close()
            let names = try TestFiles.names(in: sample.path).filter { !["LOCK", "LOG", "LOG.old"].contains($0) }
            for _ in 0..<TestRun.rounds(400, long: 20_000) {
                let name = sample.path + "/" + random.pick(names)
                let original = try TestFiles.bytes(of: name)
                try TestFiles.write(Self.mutate(original, &random), to: name)
                try Self.readAll(sample.path)
                try TestFiles.write(original, to: name)
            }
            #expect(FileCheck(try DatabaseFiles(at: sample.path), depth: .everything).problems.isEmpty)
        }
    }

    /// With valid checksums, so that the bytes reach the decoders.
    @Test func `Random bytes in blocks with valid checksums are decoded or rejected without a trap`() throws {
        var random = TestRun.random(stream: 0xf023)
        try withTemporaryDirectory { directory in
            let sample = try SampleDatabase(
                at: directory + "/db", count: 400, keyCount: 40, reopens: true, compacts: false, random: &random)
            let database = try Database.open(at: sample.path)
            try database.compact()
            try database.close()
            let files = try DatabaseFiles(at: sample.path)
            let file = try #require(files.files.first { if case .table = $0.kind { true } else { false } })
            let name = files.path(of: file.name)
            let original = try TestFiles.bytes(of: name)
            let table = try Table(at: name)
            let handles =
                try [table.footer.index, table.footer.metaIndex] + table.index().map(\.handle)
                + table.metaIndex().map { $0.handle }
            for _ in 0..<TestRun.rounds(400, long: 20_000) {
                let handle = random.pick(handles)
                let types: [UInt8?] = [nil, nil, 0, 1, 2, 4, 7]
                try BlockForgery(name).replace(handle, type: random.pick(types)) { block in
                    let changed = Self.mutate(block, &random)
                    block = Array((changed + block).prefix(block.count))
                }
                try Self.readAll(sample.path)
                try TestFiles.write(original, to: name)
            }
        }
    }

    @Test func `Every decoder accepts or rejects random bytes without a trap`() throws {
        var random = TestRun.random(stream: 0xf024)
        var accepted = 0
        for _ in 0..<TestRun.rounds(20_000, long: 2_000_000) {
            let bytes = (0..<random.number(below: 80)).map { _ in
                random.once(in: 4)
                    ? [0, 1, 0x7f, 0x80, 0xff][random.number(below: 5)] : UInt8(random.number(below: 256))
            }
            if let block = try? Block(bytes) {
                var entries = block.entries()
                while (try? entries.next()) == true { accepted += 1 }
                _ = block.restarts
            }
            if let filters = try? FilterBlock(bytes) {
                for offset in [0, 2048, 1 << 20, UInt64.max] {
                    guard let filter = filters.filter(forBlockAt: offset) else { continue }
                    _ = BloomFilter.mayContain(bytes[...], filter: filter)
                    accepted += 1
                }
            }
            _ = try? BatchRecord(decoding: bytes)
            _ = try? VersionEdit(decoding: bytes)
            _ = try? InternalKey(decoding: bytes[...])
            _ = try? Footer(decoding: bytes)
            _ = try? Footer(decoding: Array((bytes + Array(repeating: 0x80, count: 40)).prefix(40)) + Footer.magic)
            for type: UInt8 in [0, 1, 2, 4, 200] {
                if (try? Compression(type: type, stored: bytes[...]).unpack(bytes)) != nil { accepted += 1 }
            }
            var reader = RecordReader(bytes, holding: .batches)
            while let item = try? reader.next() { if case .record = item { accepted += 1 } }
        }
        #expect(accepted > 0)
    }
}
