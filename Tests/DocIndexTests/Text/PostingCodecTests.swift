import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Postings come back as they were written, and bytes that are no postings are refused and never trap.
@Suite struct PostingCodecTests {
    private static let lower: UInt32 = 5000

    private struct Posting: Equatable {
        var slot: UInt32
        var frequency: UInt32
        var places: [TextPlace]
    }

    private static func postings(_ count: Int, fields: Int, _ random: inout SplitMix64) -> [Posting] {
        var slot = lower
        let step = random.pick([1, 1, 3, 100, 5000])
        return (0..<count).map { _ in
            slot += UInt32(random.number(below: step))
            defer { slot += 1 }
            var places: Set<TextPlace> = []
            for _ in 0...random.number(below: random.pick([1, 2, 12])) {
                places.insert(
                    TextPlace(field: random.number(below: fields), position: UInt32(random.number(below: 70_000))))
            }
            return Posting(slot: slot, frequency: UInt32(places.count), places: places.sorted())
        }
    }

    private static func encode(
        _ postings: [Posting], _ slots: SlotTable, fields: Int
    ) -> (output: TermEncoder.Output, segment: TextSegment) {
        var list = PostingList()
        for posting in postings {
            list.append(slot: posting.slot, frequency: posting.frequency, places: posting.places.span)
        }
        var output = TermEncoder.Output()
        TermEncoder(slots: slots, lower: lower, hasFields: fields > 1).encode(list, correction: -3, into: &output)
        let upper = (postings.last?.slot ?? lower) + 1
        return (
            output, TextSegment(number: 1, lower: lower, upper: upper, documentCount: upper - lower, byteCount: 0)
        )
    }

    private static func read(
        _ output: TermEncoder.Output, _ segment: TextSegment, fields: Int, in database: Database
    ) throws -> (record: TermRecord, postings: [Posting]) {
        let paths = try (0..<fields).map { try FieldPath(parsing: "f\($0)") }
        let index = TextIndex(number: 1, definition: IndexDefinition("text", kind: .text, fields: paths))
        let term: [UInt8] = [0x61, 0x00, 0xff]
        try database.write { batch in
            for (number, bytes) in output.groups.enumerated() {
                try batch.put(bytes, forKey: SegmentReader.key(.groups, 1, 1, term, number + 1))
            }
            for (number, bytes) in output.positions.enumerated() {
                try batch.put(bytes, forKey: SegmentReader.key(.positions, 1, 1, term, number))
            }
        }
        let reader = SegmentReader(reader: database, index: index, segment: segment)
        let record = try reader.record(output.record.span)
        var postings: [Posting] = []
        try reader.forEachPosting(of: record, term: term) { slot, frequency, set, positions in
            var places: [TextPlace] = []
            var offset = 0
            let isRead = TextPlace.read(positions, &offset, fields: set, into: &places)
            guard isRead, offset == positions.count else { throw reader.damage("positions") }
            postings.append(Posting(slot: slot, frequency: frequency, places: places))
        }
        return (record, postings)
    }

    @Test(arguments: [1, 3, 32]) func `Postings come back as they were`(fields: Int) throws {
        var random = TestRun.random(stream: 64)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/d")
            for count in [0, 1, 2, 127, 128, 129, 255, 256, 1000, 4095, 4096, 4097, 9000] {
                let postings = Self.postings(count, fields: fields, &random)
                let slots = SlotTable(capacity: Int(postings.last?.slot ?? 0) + 1)
                for posting in postings {
                    slots.set(posting.slot, row: 1, norm: UInt8(random.number(below: 256)))
                }
                let (output, segment) = Self.encode(postings, slots, fields: fields)
                let (record, read) = try Self.read(output, segment, fields: fields, in: database)
                #expect(record.documentCount == count)
                #expect(record.correction == -3)
                #expect(read == postings, "\(count), \(TestRun.repetition)")
            }
            try database.close()
        }
    }

    @Test func `Every block and group says the largest score in it, whatever the average length is`() {
        var random = TestRun.random(stream: 65)
        for _ in 0..<TestRun.rounds(6, long: 200) {
            let postings = Self.postings(5000, fields: 2, &random)
            let slots = SlotTable(capacity: Int(postings.last?.slot ?? 0) + 1)
            for posting in postings { slots.set(posting.slot, row: 1, norm: UInt8(random.number(below: 90))) }
            let (output, segment) = Self.encode(postings, slots, fields: 2)
            let record = TermRecord(output.record.span, segment: segment, hasFields: true)
            guard case .long(let groups, let first) = record?.postings else {
                Issue.record("not in blocks")
                return
            }
            for average in [1, 7, 40, 3000] as [Int64] {
                let scorer = BM25(IndexStatistics(documents: 10, words: average * 10))
                func largest(_ range: ArraySlice<Posting>) -> Int64? {
                    range.map {
                        scorer.contribution(1e9, frequency: $0.frequency, norm: slots.norm($0.slot))
                    }.max()
                }
                func bound(_ impacts: [TermImpact]) -> Int64? {
                    impacts.map { scorer.contribution(1e9, frequency: $0.frequency, norm: $0.norm) }.max()
                }
                for (number, group) in groups.enumerated() {
                    let range = postings[number * 4096..<min(5000, (number + 1) * 4096)]
                    #expect(bound(group.impacts) == largest(range))
                }
                for (number, block) in first.blocks.enumerated() {
                    let impacts = Array(first.impacts[block.impacts])
                    #expect(bound(impacts) == largest(postings[number * 128..<(number + 1) * 128]))
                }
            }
        }
    }

    @Test func `Bytes that were changed are refused or read, and never trap`() throws {
        var random = TestRun.random(stream: 66)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/d")
            for _ in 0..<TestRun.rounds(150, long: 20_000) {
                let count = random.pick([1, 5, 100, 128, 300, 5000])
                let postings = Self.postings(count, fields: 3, &random)
                let slots = SlotTable(capacity: Int(postings.last?.slot ?? 0) + 1)
                var (output, segment) = Self.encode(postings, slots, fields: 3)
                func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
                    for _ in 0...random.number(below: 3) where !bytes.isEmpty {
                        switch random.number(below: 4) {
                        case 0: bytes.removeLast(random.number(below: min(bytes.count, 20)))
                        case 1: bytes.append(UInt8(random.number(below: 256)))
                        default:
                            bytes[random.number(below: random.once(in: 2) ? min(30, bytes.count) : bytes.count)] =
                                UInt8(random.number(below: 256))
                        }
                    }
                }
                switch random.number(below: 3) {
                case 0: damage(&output.record, &random)
                case 1:
                    for number in output.groups.indices { damage(&output.groups[number], &random) }
                    if output.groups.isEmpty { damage(&output.record, &random) }
                default:
                    for number in output.positions.indices { damage(&output.positions[number], &random) }
                }
                do {
                    let read = try Self.read(output, segment, fields: 3, in: database).postings
                    // Whatever it says, it is in order and within the segment.
                    #expect(zip(read, read.dropFirst()).allSatisfy { $0.slot < $1.slot }, "\(TestRun.repetition)")
                    #expect(read.allSatisfy { $0.slot >= segment.lower && $0.slot < segment.upper })
                } catch let error as DocIndexError {
                    #expect(error.code == .corruption)
                }
            }
            try database.close()
        }
    }

    @Test func `A structure that was changed is refused or read, and never traps`() {
        var random = TestRun.random(stream: 67)
        var structure = TextStructure()
        structure.statistics = IndexStatistics(documents: 90, words: 1000)
        structure.nextSlot = 300
        structure.nextSegment = 9
        structure.segments = [
            TextSegment(number: 3, lower: 0, upper: 100, documentCount: 50, byteCount: 1000),
            TextSegment(number: 8, lower: 100, upper: 250, documentCount: 150, byteCount: 5),
        ]
        #expect(TextStructure(encoded: structure.encoded) == structure)
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            var bytes = structure.encoded
            for _ in 0...random.number(below: 3) {
                bytes[random.number(below: bytes.count)] = UInt8(random.number(below: 256))
            }
            if random.once(in: 4) { bytes.removeLast(random.number(below: bytes.count)) }
            guard let read = TextStructure(encoded: bytes) else { continue }
            #expect(read.pendingSlot <= read.nextSlot)
        }
    }

    @Test func `Norms are exact up to forty and never too long`() {
        for length in 0..<3000 {
            let stored = Int(TextNorm.lengths[Int(TextNorm.code(length))])
            #expect(stored <= length && length - stored <= length / 16)
            if length <= 40 { #expect(stored == length) }
        }
        #expect(TextNorm.code(.max) == 255)
    }

    @Test func `Records of slots and structures come back, and other bytes are refused and never trap`() {
        var random = TestRun.random(stream: 95)
        for _ in 0..<TestRun.rounds(3000, long: 500_000) {
            var structure = TextStructure()
            structure.generation = UInt64(random.number(below: 1 << 40))
            structure.nextSegment = 50
            for number in 1..<UInt32(1 + random.number(below: 5)) {
                let upper = structure.pendingSlot + UInt32(random.number(below: 1000))
                structure.segments.append(
                    TextSegment(
                        number: number, lower: structure.pendingSlot, upper: upper, documentCount: 0,
                        byteCount: UInt64(random.number(below: 1 << 40))))
            }
            structure.nextSlot = structure.pendingSlot + 7
            #expect(TextStructure(encoded: structure.encoded) == structure)
            let rows = (0..<random.number(below: 20)).map { _ in UInt32.random(in: 0...(.max), using: &random) }
            #expect(SlotRows.decoded(SlotRows.encoded(rows)) == rows)
            var bytes = random.pick([structure.encoded, SlotRows.encoded(rows), [3, 0x61, 0x62, 0x63, 1, 0x64]])
            for _ in 0...random.number(below: 4) where !bytes.isEmpty {
                switch random.number(below: 4) {
                case 0: bytes.removeLast(random.number(below: bytes.count))
                case 1: bytes.append(UInt8(random.number(below: 256)))
                default: bytes[random.number(below: bytes.count)] = UInt8(random.pick([0, 1, 0x7f, 0x80, 0xff, 0x14]))
                }
            }
            if let read = TextStructure(encoded: bytes) {
                #expect(read.segments.allSatisfy { $0.lower <= $0.upper && $0.upper <= read.nextSlot })
            }
            if let read = SlotRows.decoded(bytes) { #expect(read.count <= bytes.count) }
            if let read = KillRecord.terms(bytes.span) { #expect(read.count <= bytes.count) }
            #expect(DeadSlots(encoded: bytes) == nil || bytes.count == 512)
            for offset in 0..<min(3, bytes.count) {
                let term = TextKeyspace.term(in: bytes.span, at: offset)
                #expect(term == nil || (term?.count ?? 0) < bytes.count)
            }
        }
    }
}
