import LevelKit
import TestSupport
import Testing

@testable import TextIndexing

/// Postings round-trip, and bytes that are not postings are rejected without a trap.
@Suite struct PostingCodecTests {
    private static let lower: UInt32 = 5000

    private struct Posting: Equatable {
        var slot: UInt32
        var frequency: UInt32
        var places: [TextPosition]
    }

    private static func postings(_ count: Int, fields: Int, _ random: inout SplitMix64) -> [Posting] {
        var slot = lower
        let step = random.pick([1, 1, 3, 100, 5000])
        return (0..<count).map { _ in
            slot += UInt32(random.number(below: step))
            defer { slot += 1 }
            var places: Set<TextPosition> = []
            for _ in 0...random.number(below: random.pick([1, 2, 12])) {
                places.insert(
                    TextPosition(field: random.number(below: fields), position: UInt32(random.number(below: 70_000))))
            }
            return Posting(slot: slot, frequency: UInt32(places.count), places: places.sorted())
        }
    }

    private static func encode(
        _ postings: [Posting], _ slots: SlotTable, fields: Int
    ) -> (output: TermEncoder.Output, segment: TextSegment) {
        var list = PostingList()
        for posting in postings {
            list.append(slot: posting.slot, frequency: posting.frequency, positions: posting.places.span)
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
        let index = TextIndex(
            number: 1, name: "text", fields: paths.map { TextField(path: $0, weight: 1, analyzer: .simple) })
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
            var places: [TextPosition] = []
            var offset = 0
            let isRead = TextPosition.read(positions, &offset, fields: set, into: &places)
            guard isRead, offset == positions.count else { throw reader.damage("positions") }
            postings.append(Posting(slot: slot, frequency: frequency, places: places))
        }
        return (record, postings)
    }

    @Test(arguments: [1, 3, 32]) func `Postings round-trip through segments`(fields: Int) throws {
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

    @Test func `Every block and group states its highest score, whatever the average length`() {
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
                let bm25 = BM25(IndexStatistics(documents: 10, words: average * 10))
                func largest(_ range: ArraySlice<Posting>) -> Int64? {
                    range.map {
                        bm25.contribution(1e9, frequency: $0.frequency, norm: slots.norm($0.slot))
                    }.max()
                }
                func bound(_ impacts: [TermImpact]) -> Int64? {
                    impacts.map { bm25.contribution(1e9, frequency: $0.frequency, norm: $0.norm) }.max()
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

    @Test func `The single impact kept for a block gives its highest score for every weight`() {
        var random = TestRun.random(stream: 165)
        for _ in 0..<TestRun.rounds(4, long: 100) {
            let postings = Self.postings(5000, fields: 2, &random)
            let slots = SlotTable(capacity: Int(postings.last?.slot ?? 0) + 1)
            for posting in postings { slots.set(posting.slot, row: 1, norm: UInt8(random.number(below: 90))) }
            let (output, segment) = Self.encode(postings, slots, fields: 2)
            guard case .long(_, let group) = TermRecord(output.record.span, segment: segment, hasFields: true)?.postings
            else {
                Issue.record("not in blocks")
                return
            }
            var knownCount = 0
            for average in [1, 7, 40, 3000, 7] as [Int64] {
                let bm25 = BM25(IndexStatistics(documents: 10, words: average * 10))
                let best = group.bestImpacts(bm25)
                #expect(best.count == group.blocks.count)
                for (number, block) in group.blocks.enumerated() where best[number].frequency > 0 {
                    knownCount += 1
                    for weight in [1, 7e3, 1.23456789e13, 9e17] {
                        let largest = group.impacts[block.impacts].map {
                            bm25.contribution(weight, frequency: $0.frequency, norm: $0.norm)
                        }.max()
                        let kept = bm25.contribution(
                            weight, frequency: best[number].frequency, norm: best[number].norm)
                        #expect(kept == largest, "\(TestRun.repetition)")
                    }
                }
            }
            // Nearly all are known.
            #expect(knownCount > 4 * group.blocks.count)
        }
    }

    @Test func `A damaged word count of zero still gives a score for every length`() {
        let bm25 = BM25(IndexStatistics(documents: 5, words: 0))
        for norm in UInt8.min...UInt8.max {
            #expect((0...1_000_000_000_000).contains(bm25.contribution(1e12, frequency: 1, norm: norm)))
        }
    }

    /// Frequencies and lengths at which scores differ by less than their last digit, although the pairs differ by more.
    @Test func `The best impact scores no less than any other for any weight`() {
        func check(_ statistics: IndexStatistics, _ impacts: [(UInt32, UInt8)], _ weight: Double) {
            let bm25 = BM25(statistics)
            for impacts in [impacts, impacts.reversed()] {
                var best = BestImpact()
                for (frequency, norm) in impacts { best.offer(frequency: frequency, norm: norm, bm25) }
                if best.isUnsure { continue }
                let largest = impacts.map { bm25.contribution(weight, frequency: $0.0, norm: $0.1) }.max()
                let kept = bm25.contribution(weight, frequency: best.impact.frequency, norm: best.impact.norm)
                #expect(kept == largest, "\(statistics) \(impacts) \(weight) \(TestRun.repetition)")
            }
        }
        check(
            IndexStatistics(documents: 1_028_883, words: 2_306_787_998), [(3624, 119), (4229, 122)],
            4_723_358_331_097_013)
        check(IndexStatistics(documents: 1_696_114, words: 5_652_236_770), [(8822, 135), (9319, 136)], 1.2598e18)
        var random = TestRun.random(stream: 168)
        for _ in 0..<TestRun.rounds(2000, long: 1_000_000) {
            let documents = Int64(1 + random.number(below: 1_000_000))
            let statistics = IndexStatistics(
                documents: documents,
                words: documents * Int64(1 + random.number(below: 4000)) + Int64(random.number(below: 1000)))
            let (norm, frequency) = (random.number(below: 250), 1 + random.number(below: 20_000))
            // With about the same frequency relative to its length as the first.
            let bm25 = BM25(statistics)
            let impacts = (0..<4).map { _ -> (UInt32, UInt8) in
                let other = UInt8(norm + random.number(below: 6))
                let same = unsafe Double(frequency) * bm25.factors[Int(other)] / bm25.factors[norm]
                return (UInt32(max(1, same)) + UInt32(random.number(below: 2)), other)
            }
            check(statistics, impacts, Double(1 + random.number(below: 1 << 60)))
        }
    }

    @Test func `Among impacts with equal scores, none is called the best`() {
        // Four occurrences score like two of a length at which the factor is half as large.
        let bm25 = BM25(IndexStatistics(documents: 1, words: 9))
        func factor(_ norm: UInt8) -> Double { unsafe bm25.factors[Int(norm)] }
        // 1 - b + b · 21 / 9 is twice 1 - b + b · 9 / 9.
        #expect(factor(21) == 2 * factor(9))
        for (first, second) in [((4, 21), (2, 9)), ((2, 9), (4, 21))] as [((UInt32, UInt8), (UInt32, UInt8))] {
            var best = BestImpact()
            best.offer(frequency: first.0, norm: first.1, bm25)
            #expect(!best.isUnsure)
            best.offer(frequency: first.0, norm: first.1, bm25)
            #expect(!best.isUnsure, "the same again is no other")
            best.offer(frequency: second.0, norm: second.1, bm25)
            #expect(best.isUnsure)
            best.offer(frequency: 5, norm: 9, bm25)
            #expect(!best.isUnsure && best.impact == TermImpact(frequency: 5, norm: 9))
        }
    }

    @Test(arguments: [1, 3, 32]) func `Postings read one by one equal those read as blocks`(fields: Int)
        throws
    {
        var random = TestRun.random(stream: 166)
        for _ in 0..<TestRun.rounds(6, long: 200) {
            let postings = Self.postings(random.pick([130, 300, 4096]), fields: fields, &random)
            let slots = SlotTable(capacity: Int(postings.last?.slot ?? 0) + 1)
            let (output, segment) = Self.encode(postings, slots, fields: fields)
            let record = TermRecord(output.record.span, segment: segment, hasFields: fields > 1)
            guard case .long(_, let group) = record?.postings else {
                Issue.record("not in blocks")
                return
            }
            let buffer = BlockBuffer()
            buffer.use(group)
            for block in group.blocks.indices {
                let expected = Array(postings.dropFirst(block * 128).prefix(128))
                let sets = expected.map { $0.places.reduce(UInt32(0)) { $0 | 1 << UInt32($1.field) } }
                #expect(buffer.readSlots(block: block))
                #expect(buffer.count == expected.count)
                // A few, so that no more of the block is read, and then more than that covers.
                for count in [3, 60] {
                    for _ in 0..<count {
                        let index = random.number(below: expected.count)
                        #expect(unsafe buffer.slots[index] == expected[index].slot)
                        #expect(buffer.frequency(at: index) == expected[index].frequency)
                        #expect(buffer.fieldSet(at: index) == sets[index])
                    }
                }
                #expect(buffer.readFields())
                for index in expected.indices {
                    #expect(buffer.frequency(at: index) == expected[index].frequency)
                    #expect(buffer.fieldSet(at: index) == sets[index])
                    #expect(buffer.fieldSet(ofCode: Int(unsafe buffer.codes[index])) == sets[index])
                }
                let range = random.number(below: 50)..<50 + random.number(below: max(1, expected.count - 50))
                if range.upperBound <= expected.count {
                    #expect(buffer.fieldCount(range) == sets[range].reduce(0) { $0 + $1.nonzeroBitCount })
                }
            }
        }
    }

    @Test func `Numbers of every bit width are read both together and one by one`() {
        var random = TestRun.random(stream: 167)
        let room = UnsafeMutablePointer<UInt32>.allocate(capacity: 128)
        defer { unsafe room.deallocate() }
        for width in 0...32 {
            let largest = width == 0 ? 0 : UInt32.max >> UInt32(32 - width)
            let values = (0..<128).map { _ in UInt32(truncatingIfNeeded: random.next()) & largest }
            var bytes: [UInt8] = []
            BitPacking.append(values[...], width: width, to: &bytes)
            #expect(bytes.count == 16 * width)
            bytes += [UInt8](repeating: 0xff, count: TermEncoder.padding)
            let (plain, single, gaps, end) = unsafe bytes.withUnsafeBytes {
                bytes -> ([UInt32], [UInt32], [UInt32], UInt64) in
                guard let start = bytes.baseAddress else { return ([], [], [], 0) }
                unsafe BitPacking.read(start, width: width, adding: 7, into: room)
                let plain = (0..<128).map { unsafe room[$0] }
                let single = (0..<128).map { unsafe BitPacking.number(at: $0, of: start, width: width) }
                let end = unsafe BitPacking.readGaps(start, width: width, base: 9, into: room)
                return (plain, single, (0..<128).map { unsafe room[$0] }, end)
            }
            #expect(plain == values.map { $0 &+ 7 })
            #expect(single == values)
            var next: UInt64 = 9
            for (value, gap) in zip(gaps, values) {
                next += UInt64(gap)
                #expect(value == UInt32(truncatingIfNeeded: next))
                next += 1
            }
            #expect(end == next)
        }
    }

    @Test func `Damaged postings are rejected or read, and never trap`() throws {
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
                    // Whatever is read is in order and within the segment.
                    #expect(zip(read, read.dropFirst()).allSatisfy { $0.slot < $1.slot }, "\(TestRun.repetition)")
                    #expect(read.allSatisfy { $0.slot >= segment.lower && $0.slot < segment.upper })
                } catch let error as DocIndexError {
                    #expect(error.code == .corruption)
                }
            }
            try database.close()
        }
    }

    @Test func `A damaged structure is rejected or read, and never traps`() {
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

    @Test func `Slot records and structures round-trip, and other bytes are rejected without a trap`() {
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
            if let read = TombstoneRecord.terms(bytes.span) { #expect(read.count <= bytes.count) }
            #expect(DeletedSlots(encoded: bytes) == nil || bytes.count == 512)
            for offset in 0..<min(3, bytes.count) {
                let term = TextIndexKey.term(in: bytes.span, at: offset)
                #expect(term == nil || (term?.count ?? 0) < bytes.count)
            }
        }
    }
}
