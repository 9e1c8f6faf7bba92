import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Undoing commits.
@Suite struct UndoTests {
    private static let schema = HistoryTests.schema(
        indexes: [
            .value("v", on: "v", counts: true), .value("key", on: "key", unique: true), .text("text", on: "title"),
        ])

    private func contents(of store: DocumentStore) throws -> [DocumentObject] {
        var contents: [DocumentObject] = []
        try store.collection("photos").forEach { contents.append($0.content) }
        return contents
    }

    @Test func `An undo restores what a commit changed, deleted and inserted, in one commit`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "changed", "v": 1, "title": "fog"])
            try photos.put(["id": "deleted", "v": 1, "n": .double(2)])
            try photos.put(["id": "kept", "v": 1])
            let before = try contents(of: store)
            try store.write { transaction in
                try transaction.put(["id": "changed", "v": 2], in: "photos")
                try transaction.delete("deleted", in: "photos")
                try transaction.insert(["id": "inserted", "v": 2], in: "photos")
            }
            let after = try contents(of: store)
            let preview = try store.previewUndo()
            #expect(preview.changes.map(\.kind) == [.revert, .restore, .delete])
            #expect(preview.changes.map(\.id) == ["changed", "deleted", "inserted"])
            #expect(preview.changes.allSatisfy { $0.laterCommit == nil && $0.collection == "photos" })
            #expect(try contents(of: store) == after)
            let undo = try store.undo()
            #expect(undo.commit == 4 && undo.sequence == 5 && undo.missingCount == 0)
            #expect(undo.changes == preview.changes)
            #expect(try contents(of: store) == before)
            #expect(try photos.search("fog").map(\.document.id) == ["changed"])
            #expect(try store.changes(since: 4).count == 3)
            // An undo can be undone, and so on.
            try store.undo()
            #expect(try contents(of: store) == after)
            try store.undo(5, overwriting: true)
            #expect(try contents(of: store) == after)
            try store.undo()
            #expect(try contents(of: store) == before)
            #expect(try photos.history(of: "inserted").map { $0.document == nil } == [true, false, true, false])
        }
    }

    @Test func `A document that has changed again prevents the undo, and is named`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in ["a", "b", "c"] { try photos.put(["id": .string(id), "v": 1]) }
            try store.write { transaction in
                try transaction.put(["id": "a", "v": 2], in: "photos")
                try transaction.put(["id": "b", "v": 2], in: "photos")
                try transaction.delete("c", in: "photos")
            }
            try photos.put(["id": "b", "v": 3])
            try photos.put(["id": "c", "v": 3])
            let before = try contents(of: store)
            let error = expectFailure(.conflict, containing: "document b", "photos", "commit 5", "commit 4") {
                try store.undo(4)
            }
            #expect(error?.conflict?.id == "b")
            #expect(error?.conflict?.collection == "photos")
            #expect(error?.conflict?.commit == 4)
            #expect(error?.conflict?.laterCommit == 5)
            #expect(try contents(of: store) == before)
            #expect(try store.sequence() == 6)
            #expect(try store.previewUndo(of: 4).changes.map(\.laterCommit) == [nil, 5, 6])
            #expect(try store.previewUndo(of: 4).changes.map(\.kind) == [.revert, .revert, .revert])
            try store.undo(4, overwriting: true)
            #expect(try contents(of: store).map { $0["v"] } == [1, 1, 1])
        }
    }

    @Test func `Consecutive commits are undone together, in one commit, as if none of them had been made`() throws {
        var random = TestRun.random(stream: 311)
        for _ in 0..<TestRun.rounds(20, long: 1_000) {
            try withTemporaryStore(schema: Self.schema) { store in
                let photos = try store.collection("photos")
                var states: [[DocumentObject]] = [[]]
                for number in 1...8 {
                    try store.write { transaction in
                        for _ in 0...random.number(below: 3) {
                            let id = DocumentID(stringLiteral: "p\(random.number(below: 4))")
                            if random.once(in: 3) {
                                try transaction.delete(id, in: "photos")
                            } else {
                                try transaction.put(["id": id.value, "v": .int(Int64(number))], in: "photos")
                            }
                        }
                        // Each commit changes something.
                        try transaction.put(["id": "always", "v": .int(Int64(number))], in: "photos")
                    }
                    states.append(try contents(of: store).sorted { "\($0)" < "\($1)" })
                }
                let first = 1 + random.number(below: 8)
                let last = first + random.number(below: 9 - first)
                let range = UInt64(first)...UInt64(last)
                let preview = try store.previewUndo(ofCommits: range)
                #expect(preview.commits == range && Set(preview.changes.map(\.id)).count == preview.changes.count)
                if last < 8 {
                    // The document that every commit changes.
                    let error = expectFailure(.conflict, containing: "commit \(last)") {
                        try store.undo(commits: range)
                    }
                    #expect(error?.conflict?.commit == UInt64(last))
                    #expect(try store.sequence() == 8)
                    return
                }
                let undo = try store.undo(commits: range)
                #expect(undo.sequence == 9 && undo.changes == preview.changes)
                let now = try contents(of: store).sorted { "\($0)" < "\($1)" }
                #expect(now == states[first - 1], "\(range), \(TestRun.repetition)")
                try store.undo()
                #expect(try contents(of: store).sorted { "\($0)" < "\($1)" } == states[8])
                // With the undo, and the undo of that.
                try store.undo(commits: UInt64(first)...10)
                #expect(try contents(of: store).sorted { "\($0)" < "\($1)" } == states[first - 1])
                expectFailure(.notInHistory, containing: "no commit 12") { try store.undo(commits: 3...12) }
                #expect(try photos.count() == states[first - 1].count)
            }
        }
    }

    @Test(arguments: [false, true]) func `An inserted document that was deleted or stored again is a conflict`(
        isStoredAgain: Bool
    ) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try photos.delete("a")
            if isStoredAgain { try photos.put(["id": "a", "v": 2]) }
            let error = expectFailure(.conflict, containing: "document a") { try store.undo(1) }
            #expect(error?.conflict?.laterCommit == (isStoredAgain ? 3 : 2))
            let undo = try store.undo(1, overwriting: true)
            #expect(undo.sequence == (isStoredAgain ? 4 : nil))
            #expect(try photos.count() == 0)
        }
    }

    @Test func `An undo that violates a unique index changes nothing and names both documents`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "key": 1])
            try photos.put(["id": "a", "key": 2])
            try photos.put(["id": "b", "key": 1])
            let error = expectFailure(.duplicateValue, containing: "key") { try store.undo(2) }
            #expect(error?.uniqueViolation.map { Set($0.ids) } == ["a", "b"])
            #expect(try photos.document("a")?["key"] == 2)
            #expect(try store.sequence() == 3)
        }
    }

    @Test func `A commit of ten thousand documents is undone as one commit`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for id in 0..<10_000 { try transaction.put(["id": .int(Int64(id)), "v": 1], in: "photos") }
            }
            try store.write { transaction in
                for id in 0..<10_000 {
                    if id % 2 == 0 {
                        try transaction.put(["id": .int(Int64(id)), "v": 2], in: "photos")
                    } else {
                        try transaction.delete(.int(Int64(id)), in: "photos")
                    }
                }
            }
            #expect(try store.commits().map(\.changeCount) == [10_000, 10_000])
            let undo = try store.undo()
            #expect(undo.changes.count == 10_000 && undo.sequence == 3)
            #expect(try photos.count() == 10_000)
            #expect(try photos.entryCount(of: [1], in: "v") == 10_000)
            #expect(try store.undo(1, overwriting: true).changes.count == 10_000)
            #expect(try photos.count() == 0)
        }
    }

    @Test func `Collections without a history are left as they are, and are named`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                try transaction.put(["id": "a"], in: "photos")
                try transaction.put(["id": "n"], in: "notes")
            }
            try store.collection("notes").put(["id": "m"])
            expectFailure(.notInHistory, containing: "commit 2", "notes") { try store.undo() }
            let undo = try store.undo(1)
            #expect(undo.collectionsWithoutHistory == ["notes"])
            #expect(try store.collection("notes").count() == 2)
            #expect(try store.collection("photos").count() == 0)
        }
    }

    @Test(arguments: [0, 4, .max] as [UInt64]) func `A commit that does not exist cannot be undone`(
        commit: UInt64
    ) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            for id in 1...3 { try store.collection("photos").put(["id": .int(Int64(id))]) }
            expectFailure(.notInHistory, containing: "commit \(commit)", "3") { try store.undo(commit) }
            expectFailure(.notInHistory) { try store.previewUndo(of: commit) }
            #expect(try store.commits(before: commit).count == (commit == 0 ? 0 : 3))
        }
    }

    @Test func `An empty store has nothing to undo`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            expectFailure(.notInHistory, containing: "commit 0") { try store.undo() }
            let commits = try store.commits()
            #expect(commits.isEmpty)
        }
    }

    @Test func `A commit with changes outside the bounds is undone in part only on request`() throws {
        try withTemporaryStore(schema: HistoryTests.schema(.init(versions: 1))) { store in
            let photos = try store.collection("photos")
            for v in 1...2 as ClosedRange<Int64> {
                try store.write { transaction in
                    for id in ["a", "b"] {
                        try transaction.put(["id": .string(id), "v": .int(Int64(v))], in: "photos")
                    }
                }
            }
            try photos.put(["id": "a", "v": 3])
            expectFailure(.notInHistory, containing: "1 of 2") { try store.undo(2) }
            let undo = try store.undo(2, overwriting: true)
            #expect(undo.missingCount == 1)
            #expect(undo.changes.map(\.id) == ["b"])
            #expect(try photos.document("a")?["v"] == 3)
            #expect(try photos.document("b")?["v"] == 1)
        }
    }

    @Test func `An undo inside a write is rejected`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.collection("photos").put(["id": "a"])
            expectFailure(.nestedWrite) { try store.write { _ in try store.undo() } }
        }
    }

    @Test func `A store that is open for reading only shows its history and is not undone`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            for v in 1...3 { try store.collection("photos").put(["id": "a", "v": .int(Int64(v))]) }
            try store.close()
            let reader = try DocumentStore.open(at: directory + "/s", mode: .readOnly)
            #expect(try reader.collection("photos").history(of: "a").count == 3)
            #expect(try reader.previewUndo().changes.count == 1)
            #expect(throws: LevelError.self) { try reader.undo() }
            #expect(throws: LevelError.self) { try reader.trimHistory() }
            try reader.close()
        }
    }
}
