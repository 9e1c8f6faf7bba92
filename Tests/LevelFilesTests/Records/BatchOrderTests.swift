import Foundation
import TestSupport
import Testing

@testable import LevelFiles

@Suite struct BatchOrderTests {
    /// Returns a batch with deletions of empty keys, and bytes that are not an operation.
    private static func batch(
        _ sequence: UInt64, _ count: UInt32, operationCount: Int? = nil, byteCount: Int = 30
    ) -> [UInt8] {
        let header = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        let operations = [UInt8](repeating: 0, count: 2 * (operationCount ?? Int(count)))
        return header + number + operations
            + [UInt8](repeating: 0xff, count: max(0, byteCount - 12 - operations.count))
    }

    @Test func `If damage is tolerated, a batch occupies as many sequence numbers as it has operations`() throws {
        let records = [Self.batch(1, 1, operationCount: 3), Self.batch(2, 1)]
        for (tolerates, isReported) in [(true, true), (false, false)] {
            var writer = RecordWriter()
            for record in records { writer.append(record) }
            let damage = try Self.withLog(writer.bytes) { log in
                var order = BatchOrder()
                return try order.enter(log, toleratesDamage: tolerates)
            }
            // LevelDB stops at the first batch, unless it tolerates damage.
            #expect((damage != nil) == isReported)
        }
        #expect(try Self.fault(inLogOf: [Self.batch(1, 3, operationCount: 1), Self.batch(4, 1)]) == nil)
    }

    private static func withLog<R>(_ bytes: [UInt8], _ body: (OpenFile) throws -> R) throws -> R {
        let url = FileManager.default.temporaryDirectory.appending(path: "BatchOrderTests-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try body(OpenFile(reading: url.path))
    }

    private static func fault(inLogOf records: [[UInt8]]) throws -> String? {
        var writer = RecordWriter()
        for record in records { writer.append(record) }
        return try withLog(writer.bytes) { log in
            var order = BatchOrder()
            return try order.enter(log)?.reason
        }
    }

    @Test func `Consecutive batches are in order, even after a gap or an empty batch`() throws {
        let records = [Self.batch(1, 3), Self.batch(4, 0), Self.batch(4, 1), Self.batch(9, 2), Self.batch(11, 1)]
        #expect(try Self.fault(inLogOf: records) == nil)
        #expect(try Self.fault(inLogOf: []) == nil)
    }

    @Test func `The writes in logs are newer than those of the tables`() throws {
        var writer = RecordWriter()
        for record in [Self.batch(5, 0), Self.batch(5, 2), Self.batch(7, 1)] { writer.append(record) }
        for (newest, isSound) in [(UInt64(0), true), (4, true), (5, false), (9, false)] {
            try Self.withLog(writer.bytes) { log in
                var order = BatchOrder(after: newest)
                let damage = try order.enter(log)
                #expect((damage == nil) == isSound)
                if let damage {
                    #expect(damage.reason.contains("write 5 is not newer than write \(newest) of the tables"))
                }
                #expect(BatchOrder.tableLimit(100, before: [log]) == 4 && BatchOrder.tableLimit(2, before: [log]) == 2)
            }
        }
        #expect(BatchOrder.tableLimit(100, before: []) == 100)
        // A damaged record says nothing, and LevelDB skips the rest of its 32 KiB.
        var bytes = writer.bytes
        bytes[7 + 30 + 7] ^= 1
        try Self.withLog(bytes) { #expect(BatchOrder.tableLimit(100, before: [$0]) == 100) }
    }

    @Test func `A repeated batch, or one that overlaps the previous batch, is reported`() throws {
        let twice = try #require(try Self.fault(inLogOf: [Self.batch(1, 3), Self.batch(4, 1), Self.batch(1, 3)]))
        #expect(twice.contains("write 1 comes after write 4"))
        #expect(try Self.fault(inLogOf: [Self.batch(5, 3), Self.batch(7, 1)]) != nil)
    }

    @Test func `A sequence number of more than 56 bits is reported`() throws {
        let limit = BatchOrder.sequenceLimit
        for (sequence, count, isFine) in [
            (limit - 1, 1, true), (limit - 1, 2, false), (limit, 0, false), (1 << 56, 1, false), (.max, 1, false),
        ] as [(UInt64, UInt32, Bool)] {
            #expect((try Self.fault(inLogOf: [Self.batch(sequence, count)]) == nil) == isFine, "\(sequence)")
        }
    }

    @Test func `A second log continues the sequence of the first`() throws {
        var writer = RecordWriter()
        writer.append(Self.batch(7, 2))
        try Self.withLog(writer.bytes) { log in
            var order = BatchOrder()
            #expect(try order.enter(log) == nil)
            try log.seek(to: 0)
            #expect(try order.enter(log) != nil)
        }
    }

    @Test func `The fast batch order check finds the same faults as reading every record`() throws {
        var random = TestRun.random(stream: 0xba7c)
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            var next: UInt64 = 1
            var writer = RecordWriter()
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                let count = UInt32.random(in: 0..<4, using: &random)
                let isBack = Int.random(in: 0..<150, using: &random) == 0
                // Occasionally large enough that the next header falls at the end of a block.
                let byteCount = Bool.random(using: &random) ? Int.random(in: 0..<60, using: &random) : 1 << 12
                writer.append(
                    Array(Self.batch(isBack ? next / 2 : next, count, byteCount: byteCount).prefix(byteCount)))
                next += UInt64(count)
            }
            var bytes = writer.bytes
            if !bytes.isEmpty, Bool.random(using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let quick = try Self.withLog(bytes) { log in
                var order = BatchOrder()
                return try order.enter(log)?.reason
            }
            var slow: String?
            var isDamaged = false
            var order = BatchOrder()
            var reader = RecordReader(bytes, holding: .batches)
            while slow == nil, let item = try reader.next() {
                switch item {
                case .record(let record): slow = order.enter(record)
                case .damage(let damage): (slow, isDamaged) = (damage.reason, true)
                }
            }
            // LevelDB reports damage itself.
            #expect(quick == slow || isDamaged && quick == nil, "\(TestRun.repetition)")
        }
    }
}
