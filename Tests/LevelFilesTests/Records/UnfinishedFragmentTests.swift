import TestSupport
import Testing

@testable import LevelFiles

/// A log ends at an unfinished last record, but continues after a record with a damaged length.
@Suite struct UnfinishedFragmentTests {
    /// A log with the positions of its records.
    private struct Log {
        var bytes: [UInt8]
        var records: [[UInt8]]
        var ranges: [Range<Int>]

        init(_ records: [[UInt8]]) {
            var writer = RecordWriter()
            ranges = records.map { record in
                // Skips the rest of a block that is too short for a header.
                let rest = RecordReader.blockByteCount - writer.bytes.count % RecordReader.blockByteCount
                let start = writer.bytes.count + (rest < RecordReader.headerByteCount ? rest : 0)
                writer.append(record)
                return start..<writer.bytes.count
            }
            bytes = writer.bytes
            self.records = records
        }

        /// Returns the number of records that end at or before a byte.
        func count(upTo end: Int) -> Int { ranges.count { $0.upperBound <= end } }
    }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f | 0x80)] + varint(value >> 7)
    }

    /// Returns a batch that puts several values and deletes one key.
    private static func batch(_ sequence: UInt64, _ values: [[UInt8]]) -> [UInt8] {
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
        bytes += [UInt8(truncatingIfNeeded: values.count + 1), 0, 0, 0]
        for value in values { bytes += [1] + varint(3) + [0x6b, 0x65, 0x79] + varint(value.count) + value }
        return bytes + [0] + varint(3) + [0x6f, 0x6c, 0x64]
    }

    private static func log(_ byteCounts: [Int], fill: (Int) -> [UInt8]) -> Log {
        var sequence: UInt64 = 1
        return Log(
            byteCounts.map { byteCount in
                let values = byteCount > 5_000 ? [fill(byteCount)] : [fill(byteCount / 2), fill(byteCount / 2)]
                defer { sequence += UInt64(values.count) + 1 }
                return batch(sequence, values)
            })
    }

    private static func items(_ bytes: some Sequence<UInt8>) throws -> [RecordReader.Item] {
        var reader = RecordReader(Array(bytes), holding: .batches)
        var items: [RecordReader.Item] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    private static func records(_ items: [RecordReader.Item]) -> [[UInt8]] {
        items.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    private static func damage(_ items: [RecordReader.Item]) -> [RecordReader.Damage] {
        items.compactMap { if case .damage(let damage) = $0 { damage } else { nil } }
    }

    private static func randomBytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    @Test func `A record length that exceeds the file costs no record, even in the last record`() throws {
        var random = TestRun.random(stream: 0x1e46)
        for _ in 0..<TestRun.rounds(200, long: 10_000) {
            let sizes = (0..<Int.random(in: 1...30, using: &random)).map { _ in Int.random(in: 0...900, using: &random)
            }
            let log = Self.log(sizes) { Self.randomBytes($0, &random) }
            let damaged = Int.random(in: log.ranges.indices, using: &random)
            let start = log.ranges[damaged].lowerBound
            var bytes = log.bytes
            let beyond = Int.random(in: min(0xffff, bytes.count - start - 6)...0xffff, using: &random)
            bytes[start + 4] = UInt8(truncatingIfNeeded: beyond)
            bytes[start + 5] = UInt8(truncatingIfNeeded: beyond >> 8)
            let items = try Self.items(bytes)
            #expect(Self.records(items) == log.records, "\(TestRun.repetition)")
            #expect(Self.damage(items).map(\.offset) == [UInt64(start)], "\(TestRun.repetition)")
        }
    }

    @Test func `An overwritten header costs only its own record`() throws {
        var random = TestRun.random(stream: 0x1e47)
        for _ in 0..<TestRun.rounds(200, long: 10_000) {
            let sizes = (0..<Int.random(in: 2...30, using: &random)).map { _ in Int.random(in: 0...900, using: &random)
            }
            let log = Self.log(sizes) { Self.randomBytes($0, &random) }
            let damaged = Int.random(in: 0..<log.ranges.count - 1, using: &random)
            let start = log.ranges[damaged].lowerBound
            var bytes = log.bytes
            // Header and sequence number; the length may exceed the file, or the header may become zero.
            for index in start..<start + 12 { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
            if Bool.random(using: &random) {
                for index in start..<start + 7 { bytes[index] = 0 }
            } else {
                bytes[start + 5] = 0xff
            }
            let items = try Self.items(bytes)
            var expected = log.records
            expected.remove(at: damaged)
            #expect(Self.records(items) == expected, "\(TestRun.repetition)")
            let damage = Self.damage(items)
            #expect(damage.map(\.offset) == [UInt64(start)], "\(TestRun.repetition)")
            #expect(damage.first?.byteCount == UInt64(log.ranges[damaged].count), "\(TestRun.repetition)")
        }
    }

    @Test func `A damaged length in the last fragment of a long record costs no record`() throws {
        var random = TestRun.random(stream: 0x1e48)
        let log = Self.log([100, 80_000, 40, 40]) { Self.randomBytes($0, &random) }
        // The fragments of the second record fill the first two blocks and the start of the third.
        let start = 2 * RecordReader.blockByteCount
        #expect(log.bytes[start + 6] == 4)
        var bytes = log.bytes
        bytes[start + 5] = 0xff
        let items = try Self.items(bytes)
        #expect(Self.records(items) == log.records)
        #expect(Self.damage(items).map(\.offset) == [UInt64(start)])
        // Without a valid checksum, this record is lost, but the following ones are not.
        for index in start..<start + 4 { bytes[index] ^= 0x55 }
        let rest = try Self.items(bytes)
        #expect(Self.records(rest) == [log.records[0], log.records[2], log.records[3]])
        #expect(Self.damage(rest).map(\.offset) == [UInt64(log.ranges[1].lowerBound)])
    }

    @Test func `A log truncated anywhere ends there without damage, even inside a value that contains a log`() throws {
        var random = TestRun.random(stream: 0x1e49)
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            // Values that are themselves logs, with later writes than the enclosing log.
            let inner = Log((0..<40).map { Self.batch(UInt64(1000 + $0), [Self.randomBytes(10, &random)]) }).bytes
            let sizes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? Int.random(in: 0...300, using: &random) : Int.random(in: 0...70_000, using: &random)
            }
            let log = Self.log(sizes) { count in
                Array((0..<count / inner.count + 1).flatMap { _ in inner }.prefix(count))
            }
            for _ in 0..<8 {
                let cut = Int.random(in: 0...log.bytes.count, using: &random)
                let items = try Self.items(log.bytes.prefix(cut))
                #expect(
                    items == log.records.prefix(log.count(upTo: cut)).map { .record($0) },
                    "\(cut), \(TestRun.repetition)")
            }
        }
    }

    @Test func `Zeros or garbage after the last record neither hide records nor add any`() throws {
        var random = TestRun.random(stream: 0x1e50)
        let log = Self.log([30, 500, 70]) { Self.randomBytes($0, &random) }
        let old = Self.log([30, 30]) { Self.randomBytes($0, &random) }
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            let zeros = [UInt8](repeating: 0, count: Int.random(in: 0...70_000, using: &random))
            #expect(try Self.items(log.bytes + zeros) == log.records.map { .record($0) })
            // A length that exceeds the file, followed by data that includes writes of an older log.
            var garbage = Self.randomBytes(Int.random(in: 7...20_000, using: &random), &random)
            garbage[5] = 0xff
            #expect(try Self.items(log.bytes + garbage) == log.records.map { .record($0) }, "\(TestRun.repetition)")
            #expect(
                try Self.items(log.bytes + garbage + old.bytes) == log.records.map { .record($0) },
                "\(TestRun.repetition)")
        }
    }

    @Test func `A manifest edit after a damaged length is found`() throws {
        var writer = RecordWriter()
        var starts: [Int] = []
        for number in 1...4 as ClosedRange<UInt64> {
            var edit = VersionEdit()
            edit.logNumber = number
            starts.append(writer.bytes.count)
            writer.append(edit.encoded)
        }
        for start in starts {
            var bytes = writer.bytes
            bytes[start + 5] = 0x70
            var reader = RecordReader(bytes, holding: .edits)
            var (recordCount, damage): (Int, [UInt64]) = (0, [])
            while let item = try reader.next() {
                switch item {
                case .record: recordCount += 1
                case .damage(let found): damage.append(found.offset)
                }
            }
            #expect(recordCount == 4)
            #expect(damage == [UInt64(start)])
        }
    }
}
