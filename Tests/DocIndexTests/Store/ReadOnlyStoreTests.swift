import DocIndex
import Foundation
import LevelKit
import TestSupport
import Testing

/// A store opened read-only answers queries, and is not changed.
@Suite struct ReadOnlyStoreTests {
    private static let schema = """
        {"collections": {"photos": {"indexes": {
          "rating": {"fields": ["rating"]}, "words": {"type": "text", "fields": ["caption"]}}}}}
        """

    private static func make(at path: String, count: Int = 50) throws -> DocumentStore {
        let store = try DocumentStore.open(at: path, schema: Schema(json: Array(schema.utf8)))
        try store.write { transaction in
            for number in 0..<count {
                try transaction.put(
                    [
                        "id": .string("p\(number)"), "rating": .int(Int64(number % 5)),
                        "caption": .string("fog number \(number)"),
                    ],
                    in: "photos")
            }
        }
        return store
    }

    @Test func `A read-only store answers queries and searches without changing its directory`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/photos.store"
            try Self.make(at: path).close()
            let before = try DirectoryState(path)
            let store = try DocumentStore.open(at: path, mode: .readOnly)
            let photos = try store.collection("photos")
            #expect(try photos.count() == 50)
            #expect(try photos.search("fog").count > 0)
            #expect(try photos.count(where: Filter(parsing: "rating = 3")) == 10)
            #expect(try store.verify().isSound)
            try store.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func `Root reads another user's store without changing its files, their owner, mode or time`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/photos.store"
            try Self.make(at: path).close()
            for file in try TestFiles.names(in: path).map({ path + "/" + $0 }) + [path] {
                #expect(unsafe chown(file, 65534, 65534) == 0)
            }
            let before = try DirectoryState(path)
            let store = try DocumentStore.open(at: path, mode: .readOnly)
            let photos = try store.collection("photos")
            #expect(try photos.search("fog").count > 0)
            #expect(try photos.count(where: Filter(parsing: "rating = 3")) == 10)
            #expect(try store.verify().isSound)
            try store.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
            #expect(try TestFiles.names(in: directory) == ["photos.store"])
        }
    }

    @Test func `Every writing call on a read-only store throws readOnly before doing anything`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/photos.store"
            try Self.make(at: path).close()
            let before = try DirectoryState(path)
            let store = try DocumentStore.open(at: path, mode: .readOnly)
            let photos = try store.collection("photos")
            let other = try Schema(
                json: Array(#"{"collections": {"photos": {"indexes": {"n": {"fields": ["n"]}}}}}"#.utf8))
            let writes: [(String, () throws -> Void)] = [
                ("write", { try store.write { _ in _ = Issue.record("the body is run") } }),
                ("put", { try photos.put(["id": "a"]) }), ("delete", { try photos.delete("p1") }),
                ("apply", { try store.apply(other) }), ("finish", { try store.finishSchemaChange() }),
                ("flush", { try store.flush() }), ("optimize", { try store.optimizeTextIndexes() }),
                ("flush texts", { try store.flushTextIndexes() }), ("rebuild", { try store.rebuild() }),
                ("rebuild index", { try store.rebuildIndex("rating", of: "photos") }),
                ("load", { try store.load(into: "photos") { _ in _ = Issue.record("the body is run") } }),
                ("migrate", { try store.migrate([]) }),
                (
                    "open with a different schema",
                    {
                        _ = try DocumentStore.open(at: path, schema: other, mode: .readOnly)
                    }
                ),
            ]
            for (name, write) in writes {
                let error = #expect(throws: LevelError.self, "\(name)") { try write() }
                #expect(error?.code == .readOnly, "\(name): \(String(describing: error))")
            }
            try DocumentStore.open(at: path, schema: Schema(json: Array(Self.schema.utf8)), mode: .readOnly).close()
            try store.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
        }
    }

    @Test func `A read-only store leaves an unfinished schema change to a writer`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/photos.store"
            try Self.make(at: path).close()
            let text =
                #"{"collections": {"photos": {"indexes": {"rating": {"fields": ["rating"]}, "id2": {"fields": ["caption"]}}}}}"#
            let wider = try Schema(json: Array(text.utf8))
            let changing = try DocumentStore.open(
                at: path, schema: wider, options: DocumentStore.Options(finishesSchemaChange: false))
            try changing.close()
            let before = try DirectoryState(path)
            let store = try DocumentStore.open(at: path, mode: .readOnly)
            #expect(try store.collection("photos").count(where: Filter(parsing: "rating = 3")) == 10)
            try store.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
            try DocumentStore.open(at: path).close()
        }
    }

    @Test func `Readers and a writer of one store do not wait for each other`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/photos.store"
            let writer = try Self.make(at: path)
            for round in 0..<10 {
                try writer.collection("photos").put(["id": .string("new\(round)"), "rating": 5, "caption": "harbour"])
                let reader = try DocumentStore.open(at: path, mode: .readOnly)
                #expect(try reader.collection("photos").count() == 51 + round)
                #expect(try reader.collection("photos").search("harbour").count == min(10, round + 1))
                try reader.close()
            }
            try writer.close()
        }
    }
}
