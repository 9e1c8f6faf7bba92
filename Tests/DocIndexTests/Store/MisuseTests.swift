import DocIndex
import Foundation
import LevelKit
import TestSupport
import Testing

/// A program's mistake is an immediate error: no lost document, no endless wait.
@Suite struct MisuseTests {
    private static let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("n", on: "n")])])

    private static func failure(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private static func docIndexCode(_ body: () throws -> Void) -> DocIndexError.Code? {
        (failure(body) as? DocIndexError)?.code
    }

    @Test func `A second store on the same database is rejected until the first is gone`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            do {
                let first = try DocumentStore.open(on: database, schema: Self.schema)
                let error = Self.failure { _ = try DocumentStore.open(on: database) } as? LevelError
                #expect(error?.code == .locked)
                try first.collection("c").put(["id": "d", "n": 1])
            }
            // The first went out of scope.
            let second = try DocumentStore.open(on: database)
            #expect(try second.collection("c").document("d")?["n"] == 1)
            try second.close()
        }
    }

    @Test(arguments: [true, false])
    func `Consumers waiting for changes end however the store is closed`(closesDatabase: Bool) async throws {
        try await within {
            try await withTemporaryPath { path in
                let database = try Database.open(at: path)
                let store = try DocumentStore.open(on: database, schema: Self.schema)
                try store.collection("c").put(["id": "d"])
                let first = AsyncStream.makeStream(of: Void.self)
                let waiting = Task(executorPreference: OwnThreads.shared) {
                    var count = 0
                    for try await changes in store.changeStream(since: 0) {
                        count += changes.count
                        first.continuation.yield()
                    }
                    return count
                }
                for await _ in first.stream { break }
                // Usually it waits for the next change by now.
                await pause(for: .milliseconds(100))
                do {
                    var cursor = try database.cursor()
                    #expect(try cursor.advance())
                    let error =
                        Self.failure { closesDatabase ? try database.close() : try store.close() } as? LevelError
                    #expect(error?.code == .cursorsAlive)
                }
                #expect(try await waiting.value == 1)
            }
        }
    }

    @Test func `A load inside a write, or a writer used after its closure, is rejected without waiting`() async throws {
        try await within {
            try withTemporaryStore(schema: Self.schema) { store in
                #expect(
                    Self.docIndexCode {
                        try store.write { _ in _ = try store.load(into: "c") { try $0.put(["id": "x"]) } }
                    } == .nestedWrite)
                var escaped: BulkWriter?
                let count = try store.load(into: "c") { writer in
                    escaped = writer
                    try writer.put(["id": "a"])
                    #expect(Self.docIndexCode { try store.write { _ in try writer.flush() } } == .nestedWrite)
                    try writer.put(["id": "b"])
                }
                #expect(count == 2)
                #expect(Self.docIndexCode { try escaped?.put(["id": "late"]) } == .nestedWrite)
                #expect(Self.docIndexCode { try escaped?.flush() } == .nestedWrite)
                var options = BulkWriter.Options()
                options.documentCount = .max
                try store.load(into: "c", options: options) { try $0.put(["id": "c"]) }
                #expect(try store.collection("c").count() == 3)
            }
        }
    }

    @Test func `A document cannot be written while an update of it is running`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.collection("c").put(["id": "d", "n": 0])
            try store.write { transaction in
                try transaction.update("d", in: "c") { content in
                    content["n"] = 5
                    for write in [
                        { try transaction.update("d", in: "c") { $0["inner"] = 7 } },
                        { try transaction.put(["id": "d"], in: "c") }, { try transaction.delete("d", in: "c") },
                    ] as [() throws -> Any] {
                        #expect(Self.docIndexCode { _ = try write() } == .nestedWrite)
                    }
                    try transaction.put(["id": "other"], in: "c")
                }
                // Afterwards it can, even if the update failed.
                struct Refused: Error {}
                #expect(throws: Refused.self) { try transaction.update("d", in: "c") { _ in throw Refused() } }
                try transaction.update("d", in: "c") { $0["later"] = 1 }
            }
            let document = try store.collection("c").document("d")
            #expect(document?["n"] == 5)
            #expect(document?["later"] == 1)
            #expect(try store.collection("c").contains("other"))
        }
    }
}
