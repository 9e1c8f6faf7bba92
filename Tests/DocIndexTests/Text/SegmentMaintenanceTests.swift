import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// What segments guarantee to writers and to readers.
@Suite struct SegmentMaintenanceTests {
    private static func document(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        let words = (0..<4).map { _ in SegmentTests.word(&random) }
        return ["id": .int(Int64(id)), "title": .string(words.joined(separator: " ")), "caption": "w0 w1"]
    }

    /// Flushes and merges after few documents.
    private static let fewDocuments: DocumentStore.Options = {
        var options = DocumentStore.Options()
        options.textMaintenance.pendingDocumentCount = 32
        options.textMaintenance.smallLevelDocumentCount = 64
        options.textMaintenance.mergeFactor = 4
        // Reduced in proportion to the other limits: each commit pays for two slices.
        options.textMaintenance.mergeSliceByteCount = 4 << 10
        return options
    }()

    @Test func `After any number of commits there are few segments, and the last commit is found`() throws {
        var random = TestRun.random(stream: 122)
        let commitCount = TestRun.rounds(600, long: 20_000)
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(
                at: directory + "/s", schema: SegmentTests.schema, options: Self.fewDocuments)
            let collection = try store.collection("c")
            let documentCount = 300
            for id in 0..<documentCount { try collection.put(Self.document(id, &random)) }
            var largest = 0
            var flushed: UInt32 = 0
            for number in 0..<commitCount {
                let id = random.number(below: documentCount)
                var document = Self.document(id, &random)
                document["tags"] = .array([.string("mark\(number)")])
                try collection.put(document)
                // Found by the next search.
                if number % 50 == 0 {
                    #expect(try collection.search("mark\(number)").map(\.document.id) == [.int(Int64(id))])
                }
                let structure = try TextStructure.read(1, name: "text", in: store.database)
                largest = max(largest, structure.segments.count)
                flushed = structure.nextSegment
                #expect(structure.nextSlot - structure.pendingSlot <= 2 * 32)
            }
            #expect(Int(flushed) > commitCount / 32)
            // Fewer than four of each level below that of 300 documents, one of that, and segments waiting for a merge.
            #expect(largest >= 3 && largest <= 3 * 4, "\(largest), \(TestRun.repetition)")
            #expect(store.textIndexFailures.isEmpty)
            #expect(try collection.count(matching: TextQuery(parsing: "w0")) == documentCount)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `No terms of merged segments stay in the cache`() throws {
        var random = TestRun.random(stream: 125)
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(
                at: directory + "/s", schema: SegmentTests.schema, options: Self.fewDocuments)
            let collection = try store.collection("c")
            let cache = store.texts.cache
            var used: Set<UInt32> = []
            for number in 0..<1000 {
                try collection.put(Self.document(number % 300, &random))
                if number % 20 == 0 {
                    for text in ["w0", "w0 w1", "\"w0 w1\"", "w*"] { _ = try collection.search(text) }
                }
                let cached = cache.segments(of: 1)
                used.formUnion(cached)
                let structure = try TextStructure.read(1, name: "text", in: store.database)
                #expect(cached.isSubset(of: structure.segments.map(\.number)), "\(TestRun.repetition)")
            }
            _ = try collection.search("w0")
            #expect(used.count > 10 && cache.byteCount > 0)
            try store.optimizeTextIndexes()
            #expect(cache.segments(of: 1).isEmpty && cache.byteCount == 0)
            _ = try collection.search("w0")
            #expect(!cache.segments(of: 1).isEmpty)
            try store.apply(Schema(collections: [CollectionDefinition("c")]))
            #expect(cache.segments(of: 1).isEmpty && cache.byteCount == 0)
            try store.close()
        }
    }

    @Test func `No search waits for a writer, whatever the writer is doing`() throws {
        var random = TestRun.random(stream: 123)
        try withTemporaryStore(schema: SegmentTests.schema) { (store) throws in
            let collection = try store.collection("c")
            try store.withWriter { _ in store.texts.setLimits(SegmentTests.limits) }
            for id in 0..<200 { try collection.put(Self.document(id, &random)) }
            let counts = Mutex([Int]())
            let isDone = DispatchSemaphore(value: 0)
            try store.withWriter { _ in
                // Holds the writer's lock for as long as a flush or a merge may take.
                Thread.detachNewThread {
                    for text in ["w0", "w0 w1", "\"w0 w1\"", "w*", "caption:w1"] {
                        let count = (try? collection.search(TextQuery(parsing: text), limit: nil).count) ?? -1
                        counts.withLock { $0.append(count) }
                    }
                    isDone.signal()
                }
                #expect(isDone.wait(timeout: .now() + 120) == .success)
            }
            #expect(counts.withLock { $0 } == [200, 200, 200, 200, 200])
        }
    }

    @Test func `A load leaves no more pending documents than other commits do`() throws {
        var random = TestRun.random(stream: 124)
        var limits = TextMaintenanceLimits()
        limits.pendingDocumentCount = 100
        limits.loadDocumentCount = 50
        limits.loadWordCount = 3000
        var options = DocumentStore.Options()
        options.textMaintenance = limits
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: SegmentTests.schema, options: options)
            var bulk = BulkWriter.Options()
            bulk.documentCount = 60
            for (first, count) in [(0, 450), (450, 99), (1000, 10), (2000, 700)] {
                try store.load(into: "c", options: bulk) { writer in
                    for id in first..<first + count { try writer.put(Self.document(id, &random)) }
                }
                let structure = try TextStructure.read(1, name: "text", in: store.database)
                #expect(structure.nextSlot - structure.pendingSlot < 100 + 60)
                // Large ones immediately, and none for a few documents.
                #expect(structure.segments.allSatisfy { $0.documentCount >= 100 })
            }
            #expect(try store.collection("c").count(matching: TextQuery(parsing: "\"w0 w1\"")) == 1259)
            // The same for an index built over existing documents.
            try store.apply(Schema(collections: [CollectionDefinition("c")]))
            try store.apply(SegmentTests.schema)
            let number = try #require(try store.collection("c").reader().textIndex?.number)
            let structure = try TextStructure.read(number, name: "text", in: store.database)
            #expect(structure.nextSlot == 1259 && structure.nextSlot - structure.pendingSlot < 100)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `After large transactions, a closed store has fewer pending documents than the limits`() throws {
        var random = TestRun.random(stream: 127)
        var limits = TextMaintenanceLimits()
        limits.pendingDocumentCount = 100
        limits.loadDocumentCount = 50
        var options = DocumentStore.Options()
        options.textMaintenance = limits
        try withTemporaryDirectory { directory in
            // Many documents, no additional ones, a few, and a few with many words.
            for (first, count, words, left) in [
                (0, 450, 1 << 20, 0), (450, 0, 1 << 20, 0), (450, 90, 1 << 20, 90), (540, 9, 20, 0),
            ] {
                options.textMaintenance.pendingWordCount = words
                let store = try DocumentStore.open(at: directory + "/s", schema: SegmentTests.schema, options: options)
                for start in stride(from: first, to: first + count, by: 90) {
                    try store.write { transaction in
                        for id in start..<min(start + 90, first + count) {
                            try transaction.put(Self.document(id, &random), in: "c")
                        }
                    }
                }
                try store.close()
                try store.close()
                let again = try DocumentStore.open(at: directory + "/s", options: options)
                let structure = try TextStructure.read(1, name: "text", in: again.database)
                #expect(
                    Int(structure.nextSlot) == first + count && Int(structure.nextSlot - structure.pendingSlot) == left)
                try expectSound(again)
                try again.close()
            }
        }
    }

    /// Returns the bytes of all keys and values of a text index.
    private static func size(of number: UInt32, in store: DocumentStore) throws -> Int {
        // The structure's key is the first.
        let prefix = TextIndexKey.structure.prefix(number).dropLast()
        return try allPairs(in: store.database).reduce(0) { sum, pair in
            pair.key.starts(with: prefix) ? sum + pair.key.count + pair.value.count : sum
        }
    }

    private static func indexNumber(_ store: DocumentStore) throws -> UInt32 {
        try #require(try store.collection("c").reader().textIndex?.number)
    }

    private static func answers(_ store: DocumentStore) throws -> [[DocumentID]] {
        try (0..<40).map { try store.collection("c").search("w\($0)", limit: 20).map(\.document.id) }
    }

    private struct Interruption: Error {}

    @Test func `Optimizing makes an index that was updated often as small as a new one, and keeps its answers`() throws
    {
        var random = TestRun.random(stream: 129)
        let documentCount = 1500
        var newest = (0..<documentCount).map { Self.document($0, &random) }
        try withTemporaryStore(schema: SegmentTests.schema) { store in
            try store.load(into: "c") { writer in for document in newest { try writer.put(document) } }
            let first = try Self.indexNumber(store)
            var slotCount = documentCount
            // One update of each document: half of the slots are alive, and the index stays.
            for round in 0..<4 {
                for id in newest.indices {
                    let document = Self.document(id, &random)
                    // A document that stays equal keeps its slot.
                    if document != newest[id] { slotCount += 1 }
                    newest[id] = document
                }
                try store.load(into: "c") { writer in for document in newest { try writer.put(document) } }
                if round == 0 {
                    try store.optimizeTextIndexes()
                    #expect(try Self.indexNumber(store) == first)
                }
            }
            // What is stored includes the last documents once they are in a segment.
            try store.flushTextIndexes()
            #expect(try Int(TextStructure.read(first, name: "text", in: store.database).nextSlot) == slotCount)
            let before = try Self.answers(store)
            // If it is interrupted, or fails, the index stays.
            #expect(throws: Interruption.self) { try store.optimizeTextIndexes { _ in throw Interruption() } }
            #expect(try Self.indexNumber(store) == first && !store.currentCatalog.collections.contains { !$0.isBuilt })
            #expect(try Self.answers(store) == before)
            try store.collection("c").put(newest[0])
            try expectSound(store)
            var calls = 0
            try store.optimizeTextIndexes { step in
                calls += 1
                #expect(step.collection == "c" && step.indexes == ["text"])
            }
            #expect(calls > 0)
            let second = try Self.indexNumber(store)
            let structure = try TextStructure.read(second, name: "text", in: store.database)
            #expect(second != first && structure.nextSlot == 1500 && structure.segments.count == 1)
            #expect(try Self.answers(store) == before)
            try expectSound(store)
            #expect(store.texts.views.newest(first) == nil, "its memory is free")
            // Nothing is left of the old index, and the new one is that of a new store.
            #expect(try Self.size(of: first, in: store) == 0)
            try withTemporaryStore(schema: SegmentTests.schema) { new in
                try new.load(into: "c") { writer in for document in newest { try writer.put(document) } }
                try new.optimizeTextIndexes()
                let size = try Self.size(of: second, in: store)
                let newSize = try Self.size(of: try Self.indexNumber(new), in: new)
                #expect(abs(size - newSize) < 64, "\(size) and \(newSize) bytes")
            }
            // A second time there is nothing to rebuild.
            try store.optimizeTextIndexes { _ in Issue.record("rebuilt again") }
            #expect(try Self.indexNumber(store) == second)
        }
    }

    @Test func `A search of damaged segments throws or returns results, and never traps`() throws {
        var random = TestRun.random(stream: 125)
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: SegmentTests.schema)
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<5000 { try transaction.put(Self.document(id, &random), in: "c") }
            }
            try store.optimizeTextIndexes()
            let keys = try allPairs(in: database).map(\.key).filter { key in
                [TextIndexKey.terms, .groups, .positions].contains { key.starts(with: $0.prefix(1)) }
            }
            #expect(keys.count > 200)
            // Records of frequent words are few, and the relevant ones.
            let long = try keys.filter { (try database.value(forKey: $0)?.count ?? 0) > 300 }
            #expect(long.count > 10)
            var refusals = 0
            for _ in 0..<TestRun.rounds(150, long: 20_000) {
                let key = random.pick(random.once(in: 8) ? keys : long)
                let original = try #require(try database.value(forKey: key))
                var bytes = original
                for _ in 0...random.number(below: 3) {
                    let place = random.number(below: random.once(in: 2) ? min(40, bytes.count) : bytes.count)
                    bytes[place] = UInt8(random.number(below: 256))
                }
                try database.put(bytes, forKey: key)
                store.texts.cache.removeAll()
                for text in [
                    "w0", "w0 w1", "\"w0 w1\"", "caption:w1", "title:w0 w3", "w0 OR w2 OR w7", "w0 -\"w1 w1\"", "w1*",
                ] {
                    for limit in [10, nil] {
                        do {
                            _ = try collection.rank(TextQuery(parsing: text), limit: limit)
                        } catch let error as DocIndexError {
                            #expect(error.code == .corruption)
                            refusals += 1
                        }
                    }
                }
                try database.put(original, forKey: key)
            }
            #expect(refusals > 10, "\(TestRun.repetition)")
            store.texts.cache.removeAll()
            try expectSound(store)
            try database.close()
        }
    }
}
