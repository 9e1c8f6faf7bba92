import DocIndex
import LevelKit
import TestSupport
import Testing

/// What remains of a store whose log was truncated by a system crash.
@Suite struct CrashTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("a", on: "a"), .value("tags", on: "tags[]", "n.x"), .text("text", on: "title", "tags[]"),
                .vector("vector", on: "vector", dimensions: 64),
            ]),
        CollectionDefinition("albums", id: "name"),
    ])

    /// A store with its content after each commit.
    private struct History {
        let path: String
        /// The size of the log in bytes after the schema was declared, then after each commit.
        var logByteCounts: [Int] = []
        /// The content of the store at these points.
        var contents: [StoreContent] = []
    }

    private static func write(commits: Int, to path: String) throws -> History {
        var history = History(path: path)
        let store = try DocumentStore.open(at: path, schema: schema)
        var documents = RandomDocuments(TestRun.random(stream: 7))
        let words = ["fog", "rain", "sea"]
        for commit in 0...commits {
            if commit > 0 {
                try store.write { transaction in
                    // Never the same content twice, so that each commit changes the store.
                    try transaction.put(["name": "last", "commit": .int(Int64(commit))], in: "albums")
                    for _ in 0...documents.random.number(below: 3) {
                        let id = DocumentID.int(Int64(documents.random.number(below: 12)))
                        if documents.random.once(in: 3) {
                            try transaction.delete(id, in: "photos")
                        } else {
                            var document = documents.document(id: id)
                            document["vector"] = Vectors.value(Vectors.random(64, &documents.random), inBase64: true)
                            document["title"] = .string(
                                documents.random.pick(words) + " " + documents.random.pick(words))
                            try transaction.put(document, in: "photos")
                        }
                    }
                }
            }
            history.logByteCounts.append(try TestFiles.byteCount(in: path, extension: "log"))
            history.contents.append(try StoreContent(of: store))
        }
        try store.close()
        return history
    }

    @Test func `A store with a truncated log contains exactly the complete commits`() throws {
        try withTemporaryDirectory { directory in
            let history = try Self.write(commits: 200, to: directory + "/whole")
            let logs = try TestFiles.names(in: history.path).filter { $0.hasSuffix(".log") }
            try #require(logs.count == 1)
            let log = try TestFiles.bytes(of: history.path + "/" + logs[0])
            try #require(log.count == history.logByteCounts.last)
            for length in Self.lengths(history.logByteCounts, whole: log.count) {
                let path = directory + "/cut"
                try TestFiles.copy(history.path, to: path)
                try TestFiles.write(log[..<length], to: path + "/" + logs[0])
                // If even the catalog is cut off, the schema creates a new store.
                let store = try DocumentStore.open(at: path, schema: Self.schema)
                let commit = history.logByteCounts.lastIndex { $0 <= length } ?? 0
                #expect(
                    try StoreContent(of: store) == history.contents[commit],
                    "the log cut off at \(length) of \(log.count) bytes, \(TestRun.repetition)")
                try expectSound(store)
                try store.collection("photos").put(["id": 3, "a": "after", "title": "after the crash"])
                #expect(try store.collection("photos").find("a = after").count == 1)
                try store.close()
                try TestFiles.remove(path)
            }
        }
    }

    /// Returns the cut positions: around the end of each commit, and at even distances between; every byte in the long
    /// form.
    private static func lengths(_ commits: [Int], whole: Int) -> [Int] {
        if TestRun.isLong { return Array(0...whole) }
        var lengths = Set(stride(from: 0, to: whole, by: 211))
        for (number, end) in commits.enumerated() where number % 2 == 0 {
            lengths.formUnion([end - 1, end, end + 1, end + 8])
        }
        // LevelDB's log consists of blocks of 32 KiB.
        for block in stride(from: 1 << 15, to: whole, by: 1 << 15) { lengths.formUnion(block - 9...block + 9) }
        return lengths.filter { $0 >= 0 && $0 <= whole }.sorted()
    }

    @Test func `Zeros after the log, left by a power loss, cost no commit`() throws {
        try withTemporaryDirectory { directory in
            let history = try Self.write(commits: 20, to: directory + "/s")
            let name = try #require(try TestFiles.names(in: history.path).first { $0.hasSuffix(".log") })
            let path = history.path + "/" + name
            try TestFiles.write(try TestFiles.bytes(of: path) + Array(repeating: 0, count: 5000), to: path)
            let store = try DocumentStore.open(at: history.path)
            #expect(try StoreContent(of: store) == history.contents.last)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A changed byte in the log is never read as a document`() throws {
        try withTemporaryDirectory { directory in
            let history = try Self.write(commits: 40, to: directory + "/whole")
            let name = try #require(try TestFiles.names(in: history.path).first { $0.hasSuffix(".log") })
            let log = try TestFiles.bytes(of: history.path + "/" + name)
            var random = TestRun.random(stream: 8)
            for _ in 0..<TestRun.rounds(60, long: 2000) {
                let path = directory + "/changed"
                try TestFiles.copy(history.path, to: path)
                var changed = log
                changed[random.number(below: log.count)] ^= UInt8(1 << random.number(below: 8))
                try TestFiles.write(changed, to: path + "/" + name)
                // Rejected, or a prefix of the commits: a damaged length at the end looks like a truncated log.
                do {
                    let store = try DocumentStore.open(at: path)
                    #expect(history.contents.contains(try StoreContent(of: store)), "\(TestRun.repetition)")
                    try expectSound(store)
                    try store.close()
                } catch let error as LevelError {
                    #expect(error.code == .corruption)
                } catch let error as DocIndexError {
                    #expect([.notADocumentStore, .corruption].contains(error.code))
                }
                try TestFiles.remove(path)
            }
        }
    }
}
