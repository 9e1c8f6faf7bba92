import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// Lists of many blocks and more than one group: what is skipped without being decoded is never among the best.
@Suite struct SkippingTests {
    typealias Wanted = SegmentTests.Wanted
    typealias Model = SegmentTests.Model

    /// Returns a few words in nearly every document, more in some, most in hardly any; sometimes adjacent.
    private static func text(_ random: inout SplitMix64) -> [String] {
        (0..<random.pick([1, 2, 3, 3, 5, 12])).flatMap { _ -> [String] in
            if random.once(in: 30) { return ["w5", "w6"] }
            return ["w\(random.number(below: random.pick([2, 2, 7, 7, 50, 3000])))"]
        }
    }

    private static func put(
        _ rows: Range<UInt64>, into model: inout Model, _ store: DocumentStore, _ random: inout SplitMix64
    ) throws {
        try store.write { transaction in
            for row in rows {
                let fields = [
                    [text(&random)], random.once(in: 2) ? [text(&random)] : [[]],
                    random.once(in: 8) ? [text(&random)] : [],
                ]
                var document: DocumentObject = ["id": .int(Int64(row))]
                document["title"] = .string(fields[0][0].joined(separator: " "))
                document["caption"] = .string(fields[1][0].joined(separator: " "))
                document["tags"] = .array(fields[2].map { .string($0.joined(separator: " ")) })
                try transaction.put(document, in: "c")
                model.rows[row] = fields
            }
        }
    }

    private static func conjunction(_ random: inout SplitMix64) -> Wanted {
        func word() -> Wanted { .word("w\(random.number(below: random.pick([2, 7, 50, 3000])))") }
        func phrase() -> Wanted { random.once(in: 2) ? .phrase(["w5", "w6"]) : .phrase(["w0", "w1", "w0"]) }
        switch random.number(below: 12) {
        case 0: return word()
        case 8: return .or([word(), word()])
        case 9: return .or((0..<5).map { _ in word() })
        case 10: return .or([word(), .field(random.number(below: 3), word())])
        case 1: return .field(random.number(below: 3), word())
        case 2: return .and([word(), word()])
        case 3: return .and([word(), .field(random.number(below: 3), word()), word()])
        case 4: return phrase()
        case 5: return .and([phrase(), word()])
        case 6: return .and([.near(["w1", "w5"], 2), .field(0, phrase())])
        case 7: return .except(.and([word(), .except(word(), word())]), phrase())
        default: return .or([.and([word(), word()]), phrase(), word()])
        }
    }

    @Test func `In long posting lists, skipping finds what a scan of every document finds`() throws {
        var random = TestRun.random(stream: 121)
        try withTemporaryStore(schema: SegmentTests.schema) { store in
            var model = Model()
            var next: UInt64 = 1
            func add(_ count: Int) throws {
                try Self.put(next..<next + UInt64(count), into: &model, store, &random)
                next += UInt64(count)
            }
            for _ in 0..<8 { try add(800) }
            try store.flushTextIndexes()
            let collection = try store.collection("c")
            let search = try collection.textSearch(in: try collection.reader())
            let segment = try #require(search.view.structure.segments.first)
            let record = try #require(
                try SegmentReader(reader: search.reader, index: search.index, segment: segment).record(Array("w0".utf8))
            )
            guard case .long(let groups, _) = record.postings, groups.count > 1 else {
                Issue.record("there is one group only")
                return
            }
            // Deleted documents among them, a second segment, and pending documents.
            for _ in 0..<3 {
                let first = 1 + UInt64(random.number(below: Int(next) - 200))
                try Self.put(first..<first + 150, into: &model, store, &random)
            }
            try add(400)
            try store.flushTextIndexes()
            try add(90)
            for _ in 0..<TestRun.rounds(15, long: 2000) {
                try SegmentTests.check(model, collection, Self.conjunction(&random))
            }
        }
    }

    @Test func `Cached segment records are kept by use, and return unchanged`() throws {
        try withTemporaryStore(schema: SegmentTests.schema) { (store) throws in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<2000 {
                    try transaction.put(["id": .int(Int64(id)), "title": .string("w0 w1 u\(id)")], in: "c")
                }
            }
            try store.flushTextIndexes()
            let search = try collection.textSearch(in: try collection.reader())
            let segment = try #require(search.view.structure.segments.first)
            let reader = SegmentReader(reader: search.reader, index: search.index, segment: segment)
            // Room for a few records in each generation.
            let cache = TermCache(generationByteLimit: 8 << 10)
            let kept = try #require(try cache.record(Array("w0".utf8), in: reader))
            guard case .long(_, let group) = kept.postings else {
                Issue.record("not in blocks")
                return
            }
            let positions = try cache.positions(0, of: group, term: Array("w0".utf8), in: reader)
            for id in 0..<2000 {
                let record = try #require(try cache.record(Array("u\(id)".utf8), in: reader))
                #expect(record.documentCount == 1)
                if id % 4 == 0 { #expect(try cache.record(Array("w0".utf8), in: reader) === kept) }
                #expect(try cache.record(Array("none\(id)".utf8), in: reader) == nil)
                #expect(cache.byteCount <= 2 * 8 << 10)
            }
            #expect(try cache.positions(0, of: group, term: Array("w0".utf8), in: reader) == positions)
            // Records unused in the meantime were evicted, and are read again.
            let first = try #require(try cache.record(Array("u0".utf8), in: reader))
            let again = try #require(try cache.record(Array("u0".utf8), in: reader))
            #expect(first === again)
            for id in 100..<300 { _ = try cache.record(Array("u\(id)".utf8), in: reader) }
            #expect(try cache.record(Array("u0".utf8), in: reader) !== first)
        }
    }
}
