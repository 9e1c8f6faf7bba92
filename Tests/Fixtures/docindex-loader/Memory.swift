import DocIndex
import Foundation
import LevelKit
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What `docindex-loader STORE memory`, `readers` and `large` measure.
enum Memory {
    /// Returns a figure of `/proc/self/status` in KiB: `VmHWM` is the peak of the memory, `RssAnon` the present heap.
    static func figure(_ name: String) -> Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }

    // MARK: - Bulk changes

    /// Updates documents in one bulk change, and prints by how many KiB that raised the peak.
    ///
    /// - Returns: Whether the documents are changed, in several commits.
    static func changeMany(_ count: Int, commitByteCount: Int, at path: String) throws -> Bool {
        var options = DocumentStore.Options()
        options.database.cacheByteCount = 4 << 20
        options.database.writeBufferByteCount = 4 << 20
        // Mapped table files count as memory as well.
        options.database.maxFileByteCount = 2 << 20
        let store = try DocumentStore.open(at: path, schema: BulkHistory.schema, options: options)
        try BulkHistory.begin(in: store, count: count)
        var change = BulkChange.Options()
        change.commitByteCount = commitByteCount
        let before = figure("VmHWM")
        let summary = try store.collection("c").update(where: "generation = 0", "generation = 1", options: change)
        report("\(figure("VmHWM") - before)")
        let changedCount = try store.collection("c").count(where: .compare("generation", .equal, 1))
        try store.close()
        return changedCount == summary.changedCount && summary.commitCount > 3
    }

    // MARK: - Large documents

    /// Stores a document in a text index, reopens the store, and prints the processor time and by how many KiB that
    /// raised the peak.
    ///
    /// - Returns: Whether the document is found by its first and last words, even after the store was reopened.
    static func storeLarge(_ form: String, byteCount: Int, at path: String) throws -> Bool {
        let isArray = form == "array"
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.text("t", on: isArray ? "t[]" : "t")])
        ])
        func isFound(in store: DocumentStore) throws -> Bool {
            let docs = try store.collection("c")
            return try docs.count(matching: TextQuery(parsing: "first word4999 last")) == 1
                && docs.count(matching: TextQuery(parsing: "first absent")) == 0
        }
        let document: DocumentObject = [
            "id": 1, "t": isArray ? .array(elements(byteCount)) : .string(text(byteCount)),
        ]
        let (memory, time) = (figure("VmRSS"), processorTime())
        var store = try DocumentStore.open(at: path, schema: schema)
        try store.collection("c").put(document)
        let isStored = try isFound(in: store)
        try store.close()
        store = try DocumentStore.open(at: path)
        let isKept = try isFound(in: store) && store.collection("c").document(1)?.content == document
        try store.close()
        report("\(processorTime() - time) ms")
        report("\(figure("VmHWM") - memory)")
        return isStored && isKept
    }

    /// The processor time of the process, in milliseconds.
    private static func processorTime() -> Int {
        clock() / (Int(CLOCKS_PER_SEC) / 1000)
    }

    /// A text of many words, some of which occur only once.
    private static func text(_ byteCount: Int) -> String {
        var text = "first"
        var number = 0
        while text.utf8.count < byteCount {
            text += number % 64 == 0 ? " once\(number)" : " word\(number % 10_000)"
            number += 1
        }
        return text + " last"
    }

    /// Strings of some 60 bytes: a million in 60 MB.
    private static func elements(_ byteCount: Int) -> [DocumentValue] {
        let rest = String(repeating: " of the same", count: 4)
        let middle = (0..<byteCount / 60).map { (number: Int) in DocumentValue.string("word\(number % 10_000)\(rest)") }
        return ["first"] + middle + ["last"]
    }

    // MARK: - Constant readers

    /// Lets readers hold overlapping snapshots and cursors, so that there is never a moment without one, while two
    /// writers replace and delete documents. The documents stay as many and as large as at first. Prints by how many
    /// KiB the peak of the resident memory in the last third exceeds that in the second; the first is the warm-up.
    static func readConstantly(seconds: Int, at path: String) throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("a", on: "a", counts: true), .text("t", on: "t")])
        ])
        let count = 4000
        var options = DocumentStore.Options()
        options.database.writeBufferByteCount = 256 << 10
        options.database.maxFileByteCount = 1 << 20
        options.database.cacheByteCount = 4 << 20
        // Flushed and merged constantly, so that words and segments come and go.
        options.textMaintenance.pendingDocumentCount = 400
        let database = try Database.open(at: path, options: options.database)
        let store = try DocumentStore.open(
            on: database, schema: schema, textMaintenance: options.textMaintenance)
        try store.load(into: "c") { writer in
            for number in 0..<count { try writer.put(document(number, 0)) }
        }
        let end = ContinuousClock.now + .seconds(seconds)
        let group = DispatchGroup()
        func start(_ body: @escaping @Sendable () throws -> Void) {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try body()
                } catch {
                    report("unknown failure: \(error)")
                    exit(3)
                }
            }
        }
        for writer in 0..<2 { start { try write(writer, of: count, to: store, until: end) } }
        for reader in 0..<4 { start { try read(reader, store, database, until: end) } }
        var peaks = [0, 0, 0]
        let start = ContinuousClock.now
        while ContinuousClock.now < end {
            usleep(50_000)
            let third = min(2, Int((ContinuousClock.now - start) / .seconds(seconds) * 3))
            peaks[third] = max(peaks[third], figure("VmRSS"))
        }
        group.wait()
        report("peaks \(peaks) KiB")
        report("\(peaks[2] - peaks[1])")
        try store.close()
    }

    private static func write(
        _ writer: Int, of count: Int, to store: DocumentStore, until end: ContinuousClock.Instant
    ) throws {
        var round = 0
        while ContinuousClock.now < end {
            round += 1
            let number = 2 * (round * 61 % (count / 2)) + writer
            try store.write { transaction in
                if round % 10 == 0 { try transaction.delete(.int(Int64(number)), in: "c") }
                try transaction.put(document(number, round), in: "c")
            }
        }
    }

    private struct Held: ~Copyable {
        let snapshots: (StoreSnapshot, Snapshot)
        var cursor: Cursor
    }

    private static func read(
        _ reader: Int, _ store: DocumentStore, _ database: Database, until end: ContinuousClock.Instant
    ) throws {
        var held: Held?
        var round = reader
        while ContinuousClock.now < end {
            round += 7
            // The next ones are taken while the last ones are held.
            let snapshots = try (store.snapshot(), database.snapshot())
            var next = Held(snapshots: snapshots, cursor: try snapshots.1.cursor())
            _ = try next.cursor.advance()
            let docs = snapshots.0.collections[0]
            _ = try docs.count(matching: TextQuery(parsing: "word\(round % 50)"))
            _ = try docs.count(where: Filter(parsing: "a = \(round % 50)"))
            usleep(UInt32(1000 * (round % 100)))
            _ = try held?.cursor.advance()
            held = consume next
        }
    }

    private static func document(_ number: Int, _ revision: Int) -> DocumentObject {
        let words = (0..<20).map { (word: Int) in "word\((number * 31 + revision * 17 + word * 7) % 997)" }
        return [
            "id": .int(Int64(number)), "revision": .int(Int64(revision)), "a": .int(Int64((number + revision) % 50)),
            "t": .string(words.joined(separator: " ")),
        ]
    }
}
