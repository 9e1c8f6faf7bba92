import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// Segments, flushes and merges, with limits so low that a few documents pass through all of them: in every state, an
/// index finds and scores what a scan of every document does.
@Suite struct SegmentTests {
    static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.text("text", on: "title", "caption", "tags[]")])
    ])

    static let limits: TextMaintenanceLimits = {
        var limits = TextMaintenanceLimits()
        limits.mergeBytesPerDocument = 2000
        limits.mergeSliceByteCount = 3000
        limits.flushSliceByteCount = 200
        limits.loadDocumentCount = 40
        limits.loadWordCount = 4000
        limits.pendingDocumentCount = 60
        limits.mergeFactor = 4
        limits.smallLevelDocumentCount = 100
        return limits
    }()

    /// The documents as words by field; every score is computed from all of them.
    struct Model {
        /// For each row, the words of each field, string by string.
        var rows: [UInt64: [[[String]]]] = [:]
        var nextRow: UInt64 = 1

        func words(_ row: UInt64) -> [String] { rows[row]?.flatMap { $0 }.flatMap { $0 } ?? [] }

        /// Returns the score of each matching document.
        func scores(_ wanted: Wanted) -> [UInt64: Int64] {
            let filled = rows.keys.map { ($0, words($0)) }.filter { !$0.1.isEmpty }
            let average = Double(filled.reduce(0) { $0 + $1.1.count }) / Double(filled.count)
            var context = Context(rows: rows, count: Double(filled.count), average: average)
            for (row, words) in filled {
                context.lengths[row] = words.count
                for word in Set(words) { context.frequencies[word, default: 0] += 1 }
            }
            var result: [UInt64: Int64] = [:]
            for (row, _) in filled { result[row] = context.score(wanted, row, fields: nil) }
            return result
        }
    }

    struct Context {
        let rows: [UInt64: [[[String]]]]
        let count: Double
        let average: Double
        var lengths: [UInt64: Int] = [:]
        var frequencies: [String: Int] = [:]

        func contribution(_ df: Int, _ tf: Int, _ row: UInt64) -> Int64 {
            let length = TextNorm.lengths[Int(TextNorm.code(lengths[row] ?? 0))]
            let idf = log(1 + (count - Double(df) + 0.5) / (Double(df) + 0.5))
            let norm = 1.2 * (1 - 0.75 + 0.75 * Double(length) / average)
            return Int64(idf * 2.2 * 1_099_511_627_776 * Double(tf) / (Double(tf) + norm))
        }

        func texts(_ row: UInt64, _ fields: Set<Int>?) -> [[String]] {
            (rows[row] ?? []).enumerated().filter { fields?.contains($0.offset) != false }.flatMap(\.element)
        }

        func any(_ row: UInt64, _ fields: Set<Int>?, _ accepts: (String) -> Bool) -> Int64? {
            let tf = texts(row, fields).joined().count(where: accepts)
            if tf == 0 { return nil }
            let df = frequencies.filter { accepts($0.key) }.values.max() ?? 0
            return contribution(df, tf, row)
        }

        func score(_ wanted: Wanted, _ row: UInt64, fields: Set<Int>?) -> Int64? {
            switch wanted {
            case .word(let word): return any(row, fields) { $0 == word }
            case .prefix(let prefix): return any(row, fields) { $0.hasPrefix(prefix) }
            case .phrase(let words):
                guard
                    texts(row, fields).contains(where: { text in
                        text.indices.contains { text[$0...].starts(with: words) }
                    })
                else { return nil }
                return words.reduce(0) { sum, word in sum + (any(row, fields) { $0 == word } ?? 0) }
            case .near(let words, let slop):
                guard
                    texts(row, fields).contains(where: { text in
                        text.indices.contains { start in
                            let window = text[start..<min(text.count, start + words.count + slop)]
                            return words.allSatisfy(window.contains)
                        }
                    })
                else { return nil }
                return words.reduce(0) { sum, word in sum + (any(row, fields) { $0 == word } ?? 0) }
            case .and(let parts):
                let scores = parts.map { score($0, row, fields: fields) }
                return scores.contains { $0 == nil } ? nil : scores.compactMap { $0 }.reduce(0, +)
            case .or(let parts):
                let scores = parts.compactMap { score($0, row, fields: fields) }
                return scores.isEmpty ? nil : scores.reduce(0, +)
            case .except(let wanted, let unwanted):
                return score(unwanted, row, fields: fields) != nil ? nil : score(wanted, row, fields: fields)
            case .prefer(let wanted, let optional):
                return score(wanted, row, fields: fields).map { $0 + (score(optional, row, fields: fields) ?? 0) }
            case .field(let field, let part):
                let inner: Set<Int> = [field]
                return score(part, row, fields: fields.map { $0.intersection(inner) } ?? inner)
            }
        }
    }

    indirect enum Wanted {
        case word(String)
        case prefix(String)
        case phrase([String])
        case near([String], Int)
        case and([Wanted])
        case or([Wanted])
        case except(Wanted, Wanted)
        case prefer(Wanted, Wanted)
        case field(Int, Wanted)

        var query: TextQuery {
            switch self {
            case .word(let word): .word(word)
            case .prefix(let prefix): .prefix(prefix)
            case .phrase(let words): .phrase(words.joined(separator: " "))
            case .near(let words, let slop): .near(words.joined(separator: " "), slop: slop)
            case .and(let parts): .and(parts.map(\.query))
            case .or(let parts): .or(parts.map(\.query))
            case .except(let wanted, let unwanted): .except(wanted.query, unwanted.query)
            case .prefer(let wanted, let optional): .prefer(wanted.query, optional.query)
            case .field(let field, let part): .field(["title", "caption", "tags"][field], part.query)
            }
        }

        static func random(_ random: inout SplitMix64, depth: Int) -> Wanted {
            switch random.number(below: depth > 0 ? 14 : 6) {
            case 0, 1, 2: return .word(SegmentTests.word(&random))
            case 3: return .prefix(random.pick(["w", "w1", "w2", "w3", "rare", "x"]))
            case 4: return .phrase((0..<random.pick([2, 2, 3])).map { _ in SegmentTests.word(&random) })
            case 5:
                return .near(
                    Array(Set((0..<2).map { _ in SegmentTests.word(&random) })).sorted(), random.number(below: 4))
            case 6, 7: return .and((0..<random.pick([2, 3])).map { _ in Wanted.random(&random, depth: depth - 1) })
            case 8, 9, 10:
                return .or((0..<random.pick([2, 3, 5])).map { _ in Wanted.random(&random, depth: depth - 1) })
            case 11:
                return .except(
                    Wanted.random(&random, depth: depth - 1), Wanted.random(&random, depth: depth - 1))
            case 12:
                return .prefer(
                    Wanted.random(&random, depth: depth - 1), Wanted.random(&random, depth: depth - 1))
            default: return .field(random.number(below: 3), Wanted.random(&random, depth: depth - 1))
            }
        }
    }

    /// Returns a word; as in natural text, few words are frequent and many are rare.
    static func word(_ random: inout SplitMix64) -> String {
        let limit = random.pick([2, 5, 20, 20, 200])
        return "w\(random.number(below: limit))"
    }

    private static func text(_ random: inout SplitMix64) -> [String] {
        let count = random.pick([0, 1, 2, 4, 8, 8, 60])
        return (0..<count).map { _ in random.once(in: 400) ? "rare\(random.number(below: 9))" : word(&random) }
    }

    private static func document(_ row: Int64, _ fields: [[[String]]]) -> DocumentObject {
        var document: DocumentObject = ["id": .int(row)]
        document["title"] = .string(fields[0].first?.joined(separator: " ") ?? "")
        document["caption"] = .string(fields[1].first?.joined(separator: ", ") ?? "")
        document["tags"] = .array(fields[2].map { .string($0.joined(separator: " ")) })
        return document
    }

    /// Rows equal IDs: every document is stored under a new ID or an existing one.
    private static func change(_ model: inout Model, in store: DocumentStore, _ random: inout SplitMix64) throws {
        let count = random.pick([1, 1, 5, 30, 60])
        // A document created and deleted in one transaction would not take a row.
        let known = model.rows.keys.sorted()
        try store.write { transaction in
            for _ in 0..<count {
                if random.once(in: 3), !known.isEmpty, case let row = random.pick(known), model.rows[row] != nil {
                    if random.once(in: 3) {
                        try transaction.delete(.int(Int64(row)), in: "c")
                        model.rows[row] = nil
                        continue
                    }
                    let fields = [
                        [text(&random)], [text(&random)], (0..<random.number(below: 3)).map { _ in text(&random) },
                    ]
                    try transaction.put(document(Int64(row), fields), in: "c")
                    model.rows[row] = fields
                    continue
                }
                let fields = [
                    [text(&random)], [text(&random)], (0..<random.number(below: 3)).map { _ in text(&random) },
                ]
                try transaction.put(document(Int64(model.nextRow), fields), in: "c")
                model.rows[model.nextRow] = fields
                model.nextRow += 1
            }
        }
    }

    /// - Parameter other: The ID of a document that the model does not know and no query finds.
    private static func check(
        _ model: Model, _ collection: DocumentCollection, _ random: inout SplitMix64, except other: Int? = nil
    ) throws {
        if let other { try collection.delete(.int(Int64(other))) }
        try check(model, collection, Wanted.random(&random, depth: 2))
    }

    static func check(_ model: Model, _ collection: DocumentCollection, _ wanted: Wanted) throws {
        let comment: Comment = "\(wanted), \(TestRun.repetition)"
        let expected = model.scores(wanted)
        let ranked = expected.map { TopHits.Hit(score: $0.value, row: $0.key) }.sorted { $0.precedes($1) }
        let search = try collection.textSearch(in: try collection.reader())
        let all = try search.top(wanted.query, limit: nil)
        #expect(all == ranked, comment)
        // Skipped documents cannot be among the best: exact to the last bit, including ties.
        for limit in [1, 3, 10] {
            let best = try search.top(wanted.query, limit: limit)
            #expect(best == Array(ranked.prefix(limit)), "\(limit): \(comment)")
        }
        let filtered = try search.top(wanted.query, limit: 3) { $0 % 3 == 1 }
        #expect(filtered == Array(ranked.filter { $0.row % 3 == 1 }.prefix(3)), comment)
        let rows = try search.rows(wanted.query)
        #expect(rows == expected.keys.sorted(), comment)
        #expect(try search.count(wanted.query) == expected.count, comment)
        let estimate = try search.estimatedCount(wanted.query)
        #expect(estimate >= expected.count, comment)
        // The same for single rows.
        for row in model.rows.keys where row % 5 == UInt64(expected.count % 5) {
            #expect(try search.finds(row, wanted.query) == (expected[row] != nil), "\(row): \(comment)")
        }
    }

    @Test func `In every flush and merge state, searches rank exactly as a scan of all documents`() throws {
        var random = TestRun.random(stream: 61)
        for _ in 0..<TestRun.rounds(1, long: 60) {
            try withTemporaryDirectory { directory in
                var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
                try store.withWriter { _ in store.texts.setLimits(Self.limits) }
                var model = Model()
                var largest = 0
                for round in 0..<60 {
                    try Self.change(&model, in: store, &random)
                    let collection = try store.collection("c")
                    for _ in 0..<2 { try Self.check(model, collection, &random) }
                    if round % 17 == 16 {
                        try expectSound(store)
                        try store.close()
                        store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
                        try store.withWriter { _ in store.texts.setLimits(Self.limits) }
                    }
                    if round == 45 { try store.optimizeTextIndexes() }
                    let structure = try TextStructure.read(1, name: "text", in: store.database)
                    largest = max(largest, structure.segments.count)
                    if round == 45 { #expect(structure.segments.count == 1) }
                }
                // Several at a time, and not more than the levels allow.
                #expect(largest >= 3 && largest <= 24, "\(largest), \(TestRun.repetition)")
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `A reader that started before a flush and a merge finds the same as before`() throws {
        var random = TestRun.random(stream: 62)
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            try store.withWriter { _ in store.texts.setLimits(Self.limits) }
            var model = Model()
            for _ in 0..<10 { try Self.change(&model, in: store, &random) }
            let snapshot = try store.snapshot()
            let old = model
            for _ in 0..<15 { try Self.change(&model, in: store, &random) }
            try store.optimizeTextIndexes()
            for _ in 0..<12 {
                try Self.check(old, snapshot.collections[0], &random)
                try Self.check(model, try store.collection("c"), &random)
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A segment is written in slices, and documents deleted during the flush are subtracted`() throws {
        var random = TestRun.random(stream: 69)
        for _ in 0..<TestRun.rounds(3, long: 200) {
            try withTemporaryDirectory { directory in
                var limits = Self.limits
                limits.pendingDocumentCount = 100
                limits.flushSliceByteCount = 8
                var options = DocumentStore.Options()
                options.textMaintenance = limits
                var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema, options: options)
                var model = Model()
                var frozenCount = 0
                for round in 0..<60 {
                    try Self.change(&model, in: store, &random)
                    let collection = try store.collection("c")
                    let view = try collection.textSearch(in: try collection.reader()).view
                    guard view.frozen != nil else { continue }
                    frozenCount += 1
                    try Self.check(model, collection, &random)
                    // The state after a kill: the written part of the segment is harmless.
                    if frozenCount % 5 == 4 {
                        try expectSound(store)
                        try store.close()
                        store = try DocumentStore.open(at: directory + "/s", schema: Self.schema, options: options)
                        try Self.check(model, try store.collection("c"), &random)
                    }
                    if round % 7 == 6 { try store.flushTextIndexes() }
                }
                #expect(frozenCount > 8, "\(frozenCount), \(TestRun.repetition)")
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `An error while merging segments is reported, and the commit is still stored`() throws {
        var random = TestRun.random(stream: 70)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema, textMaintenance: Self.limits)
            let collection = try store.collection("c")
            var model = Model()
            func segments() throws -> [TextSegment] {
                try TextStructure.read(1, name: "text", in: database).segments
            }
            while try segments().count < 2 { try Self.change(&model, in: store, &random) }
            #expect(store.textIndexFailures.isEmpty)
            // Damages the record of a term in a segment that will be merged.
            let damaged = try segments()[0].number
            let prefix = TextIndexKey.terms.segment(1, damaged)
            let key = try #require(try allPairs(in: database).first { $0.key.starts(with: prefix) }?.key)
            try database.put([0xff], forKey: key)
            var count = 0
            while store.textIndexFailures.isEmpty, count < 300 {
                try Self.change(&model, in: store, &random)
                count += 1
            }
            let failure = try #require(store.textIndexFailures.first)
            #expect(failure.collection == "c" && failure.index == "text")
            #expect(failure.reason.contains("cannot be read"))
            let documents = try collection.count()
            try collection.put(["id": 1_000_000, "title": "found at once"])
            #expect(try collection.count() == documents + 1)
            #expect(try collection.search("\"found at once\"").map(\.document.id) == [1_000_000])
            #expect(try store.verify().problems.contains { $0.contains("c.text: its segments could not be") })
            expectFailure(.corruption, containing: "rebuild") { try store.optimizeTextIndexes() }
            try store.rebuildIndex("text", of: "c")
            #expect(store.textIndexFailures.isEmpty)
            try Self.check(model, collection, &random, except: 1_000_000)
            try expectSound(store)
            try database.close()
        }
    }

    @Test func `A total is exact for a single word, and otherwise counted up to the requested limit`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            let collection = try store.collection("c")
            for id in 0..<300 {
                try collection.put(["id": .int(Int64(id)), "title": .string(id % 3 == 0 ? "fog bridge" : "fog")])
            }
            try store.flushTextIndexes()
            for id in 0..<30 { try collection.delete(.int(Int64(id))) }
            func total(_ text: String, _ limit: Int) throws -> TextQuery.Total {
                try collection.count(matching: try TextQuery(parsing: text), upTo: limit)
            }
            #expect(try total("fog", 10) == TextQuery.Total(count: 270, isExact: true))
            #expect(try total("fog bridge", 10) == TextQuery.Total(count: 10, isExact: false))
            #expect(try total("fog bridge", 90) == TextQuery.Total(count: 90, isExact: true))
            #expect(try total("fog bridge", 89) == TextQuery.Total(count: 89, isExact: false))
            #expect(try total("fog OR bridge", 1000) == TextQuery.Total(count: 270, isExact: true))
            #expect(try total("title:fog", 5) == TextQuery.Total(count: 5, isExact: false))
            #expect(try total("rain", 5) == TextQuery.Total(count: 0, isExact: true))
            #expect(try total("\"bridge fog\"", 5) == TextQuery.Total(count: 0, isExact: true))
        }
    }

    @Test func `A snapshot taken before any search loads its index once`() throws {
        try withTemporaryDirectory { directory in
            var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            for id in 0..<20 { try store.collection("c").put(["id": .int(Int64(id)), "title": "fog"]) }
            try store.close()
            store = try DocumentStore.open(at: directory + "/s")
            let snapshot = try store.snapshot()
            try store.collection("c").put(["id": 100, "title": "fog"])
            func view() throws -> TextIndexReader {
                try snapshot.collections[0].textSearch(in: try snapshot.collections[0].reader()).view
            }
            let (first, second) = (try view(), try view())
            #expect(first.pending === second.pending)
            #expect(try snapshot.collections[0].search("fog", limit: nil).count == 20)
            #expect(try store.collection("c").search("fog", limit: nil).count == 21)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `An unfinished segment is removed, and its number is not reused`() throws {
        var random = TestRun.random(stream: 63)
        try withTemporaryDirectory { directory in
            var database = try Database.open(at: directory + "/s")
            var store = try DocumentStore.open(on: database, schema: Self.schema)
            var model = Model()
            try Self.change(&model, in: store, &random)
            try store.flushTextIndexes()
            // The state after a flush or a merge was killed before it took effect.
            for kind in [TextIndexKey.terms, .groups, .positions] {
                for term in ["a", "b"] { try database.put([1], forKey: kind.term(1, 7, Array(term.utf8))) }
            }
            try expectSound(store)
            try store.close()
            database = try Database.open(at: directory + "/s")
            store = try DocumentStore.open(on: database)
            try Self.change(&model, in: store, &random)
            try store.optimizeTextIndexes()
            let left = try allPairs(in: database).filter {
                $0.key.starts(with: TextIndexKey.terms.segment(1, 7))
                    || $0.key.starts(with: TextIndexKey.groups.segment(1, 7))
                    || $0.key.starts(with: TextIndexKey.positions.segment(1, 7))
            }
            #expect(left.isEmpty)
            let structure = try TextStructure.read(1, name: "text", in: database)
            #expect(structure.segments.allSatisfy { $0.number > 7 })
            try Self.check(model, try store.collection("c"), &random)
            try expectSound(store)
            try database.close()
        }
    }
}
