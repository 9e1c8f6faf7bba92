import TestSupport
import Testing

@testable import LevelFiles

@Suite struct RecordReaderTests {
    private static func items(_ bytes: some Sequence<UInt8>) throws -> [RecordReader.Item] {
        var reader = RecordReader(Array(bytes), holding: .batches)
        var items: [RecordReader.Item] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    private static func file(_ records: [[UInt8]]) -> [UInt8] {
        var writer = RecordWriter()
        for record in records { writer.append(record) }
        return writer.bytes
    }

    private static func record(_ byteCount: Int, filledWith byte: UInt8 = 0x61) -> [UInt8] {
        Array(repeating: byte, count: byteCount)
    }

    @Test func `Records of every length around the block size round-trip`() throws {
        let block = RecordReader.blockByteCount
        let sizes = [0, 1, 7, 100] + (block - 30...block + 10).map { $0 } + [2 * block, 3 * block - 21, 100_000]
        let records = sizes.enumerated().map { Self.record($1, filledWith: UInt8(truncatingIfNeeded: $0 + 1)) }
        #expect(try Self.items(Self.file(records)) == records.map { .record($0) })
    }

    @Test func `A file truncated at any byte yields the records before the cut and no damage`() throws {
        let block = RecordReader.blockByteCount
        let records = [Self.record(10), Self.record(block), Self.record(3)]
        let bytes = Self.file(records)
        let ends = [17, bytes.count - 10, bytes.count]
        // Near every boundary; the bytes between are all alike.
        for cut in [0...40, block - 40...block + 40, bytes.count - 40...bytes.count].joined() {
            let expected = zip(records, ends).filter { $1 <= cut }.map { RecordReader.Item.record($0.0) }
            #expect(try Self.items(bytes.prefix(cut)) == expected, "cut at \(cut)")
        }
    }

    @Test func `Zeros after the last record mark the end of the file`() throws {
        let bytes = Self.file([Self.record(10)])
        for count in [1, 7, 100, RecordReader.blockByteCount - 17, 3 * RecordReader.blockByteCount] {
            #expect(try Self.items(bytes + Self.record(count, filledWith: 0)).count == 1)
        }
    }

    @Test func `Zeros between records are reported as damage`() throws {
        var bytes = Self.file([Self.record(10)])
        bytes += Self.record(RecordReader.blockByteCount - bytes.count, filledWith: 0) + bytes
        let items = try Self.items(bytes)
        #expect(items.count == 3)
        #expect(items.last == .record(Self.record(10)))
        guard case .damage(let damage) = items[1] else {
            Issue.record("no damage")
            return
        }
        #expect(damage.offset == 17)
    }

    @Test func `A flipped bit is reported as damage, and the next block is read`() throws {
        let block = RecordReader.blockByteCount
        let records = [Self.record(100), Self.record(block - 7), Self.record(50)]
        let bytes = Self.file(records)
        for position in 0..<107 {
            var damaged = bytes
            damaged[position] ^= 0x10
            let items = try Self.items(damaged)
            #expect(items.last == .record(records[2]))
            #expect(items.contains { if case .damage = $0 { true } else { false } }, "byte \(position)")
            #expect(!items.contains(.record(records[0])))
        }
    }

    @Test func `A reader continues where it stopped after the file has grown`() throws {
        let records = (0..<400).map { Self.record($0 * 3, filledWith: UInt8(truncatingIfNeeded: $0)) }
        let bytes = Self.file(records)
        var random = SplitMix64(seed: 11)
        var found: [[UInt8]] = []
        var (end, cut) = (0, 0)
        while cut < bytes.count {
            cut = min(bytes.count, cut + Int.random(in: 1...5_000, using: &random))
            var reader = RecordReader(Array(bytes.prefix(cut)), from: end, holding: .batches)
            while case .record(let record) = try reader.next() { found.append(record) }
            end = Int(reader.endOffset)
        }
        #expect(found == records)
    }

    @Test func `Reading random bytes terminates, and all items lie within the file`() throws {
        var random = TestRun.random(stream: 0x4c06)
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            var bytes = Self.file((0..<20).map { _ in Self.record(Int.random(in: 0...9_000, using: &random)) })
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                let count = Int.random(in: 1...40, using: &random)
                for index in position..<min(position + count, bytes.count) {
                    bytes[index] = UInt8.random(in: 0...8, using: &random)
                }
            }
            for item in try Self.items(bytes) {
                guard case .damage(let damage) = item else { continue }
                #expect(damage.byteCount > 0)
                #expect(damage.offset + damage.byteCount <= bytes.count, "\(TestRun.repetition)")
            }
        }
    }
}
