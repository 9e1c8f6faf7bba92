import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import DocumentModel

/// One kind of damage at a time in a history: verify names it, and a rebuild keeps what is readable.
@Suite struct HistoryDamageTests {
    /// The document "a" of row 1 was changed by the commits 1 to 5, deleted by 6, and stored again in row 2 by 7 and 8.
    private static func withStore(
        _ history: CollectionDefinition.History = .init(versions: 100), _ body: (DocumentStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: HistoryTests.schema(history))
            let photos = try store.collection("photos")
            for v in 1...5 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            try photos.delete("a")
            for v in 7...8 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            try photos.put(["id": "b", "v": 1])
            try expectSound(store)
            try body(store)
            try store.close()
        }
    }

    private struct Damage: Sendable {
        let name: String
        let problems: [String]
        /// The commits of the versions of "a" that are left after a rebuild.
        let left: [UInt64]
        /// Whether a version of "a" is lost.
        var losesHistory = true
        let apply: @Sendable (Database) throws -> Void
    }

    private static func key(_ commit: UInt64, row: UInt64 = 1) -> [UInt8] {
        StoreKey.history(commit, collection: 1, row: row)
    }

    private static func record(_ database: Database, _ commit: UInt64, row: UInt64 = 1) throws -> [UInt8] {
        try #require(try database.value(forKey: key(commit, row: row)))
    }

    private static let all: [UInt64] = [8, 7, 6, 5, 4, 3, 2, 1]
    private static func dangling(_ commit: UInt64, row: UInt64 = 1) -> String {
        "photos: a change of row \(row) in commit \(commit) belongs to no document in the history"
    }

    private static let damages: [Damage] = [
        Damage(
            name: "the newest change is gone",
            problems: ["photos: the change of the document a in commit 8 is missing from the history"]
                + [1, 2, 3, 4, 5, 6].map { dangling($0) } + [dangling(7, row: 2)],
            left: [8]
        ) { try $0.delete(key(8, row: 2)) },
        Damage(
            name: "a change in the middle is gone",
            problems: [
                "photos: the change of the document a in commit 3 is missing from the history", dangling(1),
                dangling(2),
            ], left: [8, 7, 6, 5, 4, 3]
        ) { try $0.delete(key(3)) },
        Damage(
            name: "a record has no content",
            problems: [
                "photos: the change of the document a in commit 3 is unreadable in the history", dangling(1),
                dangling(2),
            ], left: [8, 7, 6, 5, 4, 3]
        ) { try $0.put([], forKey: key(3)) },
        Damage(
            name: "a body is cut",
            problems: [
                "photos: the change of the document a in commit 5 is unreadable in the history", dangling(1),
                dangling(2), dangling(3), dangling(4),
            ], left: [8, 7, 6, 5]
        ) { try $0.put(Array(try record($0, 5).dropLast()), forKey: key(5)) },
        Damage(
            name: "a record is that of another document",
            problems: [
                "photos: the change of the document a in commit 2 holds the document b in the history", dangling(1),
            ], left: [8, 7, 6, 5, 4, 3, 2]
        ) {
            let other = try #require(try $0.value(forKey: StoreKey.document(1, row: 3)))
            // As if commit 1 had written it.
            try $0.put(HistoryRecord.head(time: 1, changeCount: 1) + [1] + other.dropFirst(), forKey: key(2))
        },
        Damage(
            name: "a record refers to a later commit",
            problems: [
                "photos: the change of the document a in commit 2 refers to a later commit in the history",
                dangling(1),
            ], left: [8, 7, 6, 5, 4, 3, 2]
        ) {
            let other = try #require(try $0.value(forKey: StoreKey.document(1, row: 2)))
            try $0.put(HistoryRecord.head(time: 1, changeCount: 1) + other, forKey: key(2))
        },
        Damage(
            name: "an absent document is a different one",
            problems: ["photos: the change of the document a in commit 1 holds the document x in the history"],
            left: all
        ) {
            try $0.put(
                HistoryRecord.head(time: 1, changeCount: 1) + HistoryRecord.absent("x", deletion: nil), forKey: key(1))
        },
        Damage(name: "a surplus record", problems: [dangling(4, row: 9)], left: all, losesHistory: false) {
            try $0.put(try record($0, 4), forKey: key(4, row: 9))
        },
        Damage(
            name: "a key that is cut", problems: ["a key of the history cannot be read"], left: all,
            losesHistory: false
        ) { try $0.put([1, 1], forKey: StoreKey.history(of: 4)) },
        Damage(
            name: "a collection without a history",
            problems: ["a change in the history belongs to no collection that keeps one"], left: all,
            losesHistory: false
        ) { try $0.put(try record($0, 4), forKey: StoreKey.history(4, collection: 2, row: 1)) },
        Damage(
            name: "a commit that was never made",
            problems: [
                "photos: the history has commit 50, but the last commit is 9", dangling(50, row: 1),
            ], left: all, losesHistory: false
        ) { try $0.put(try record($0, 4), forKey: key(50)) },
    ]

    @Test(arguments: damages.indices) func `Damage to the history is found and named, and a rebuild keeps the rest`(
        number: Int
    ) throws {
        let damage = Self.damages[number]
        try Self.withStore { store in
            var documents = try StoreContent(of: store)
            try damage.apply(store.database)
            let verification = try store.verify()
            #expect(Set(verification.problems) == Set(damage.problems), "\(damage.name)")
            #expect(verification.problemCount == damage.problems.count, "\(damage.name)")
            #expect(verification.remedy == .rebuild, "\(damage.name)")
            for finding in verification.findings { #expect(finding.key != nil, "\(damage.name)") }
            let report = try store.rebuild()
            #expect(report.repairCount > 0 && report.unreadableRows.isEmpty, "\(damage.name)")
            try expectSound(store)
            #expect(try StoreContent(of: store) == documents, "\(damage.name)")
            #expect(try store.rebuild().repairCount == 0, "\(damage.name)")
            let photos = try store.collection("photos")
            #expect(try photos.history(of: "a").map(\.sequence) == damage.left, "\(damage.name)")
            // It continues from there.
            try photos.put(["id": "a", "v": 10])
            #expect(try photos.history(of: "a").map(\.sequence).dropFirst() == damage.left[...], "\(damage.name)")
            try store.undo()
            documents = try StoreContent(of: store)
            #expect(documents.documents[0].first?.content == ["id": "a", "v": 8], "\(damage.name)")
            try expectSound(store)
        }
    }

    @Test(arguments: damages.indices) func `Damage to the history never traps, and a repair counts what it lost`(
        number: Int
    ) throws {
        let damage = Self.damages[number]
        try Self.withStore { store in
            try damage.apply(store.database)
            let photos = try store.collection("photos")
            _ = try? photos.history(of: "a")
            for commit in 0...51 as ClosedRange<UInt64> {
                _ = try? photos.document("a", at: commit)
                _ = try? store.previewUndo(of: commit)
            }
            _ = try? store.commits()
            _ = try? store.trimHistory()
            let report = try Self.emptyReport()
            let losses = try store.losses(after: report)
            #expect(losses.collections[0].lostHistoryCount == (damage.losesHistory ? 1 : 0), "\(damage.name)")
            #expect(losses.lostDocumentCount == 0)
        }
    }

    /// The report of the repair of an undamaged database.
    private static func emptyReport() throws -> Database.RepairReport {
        try withTemporaryDirectory { directory in
            try Database.open(at: directory + "/d").close()
            return try Database.repair(at: directory + "/d")
        }
    }

    @Test func `Versions that the bounds have deleted are not reported as missing`() throws {
        try Self.withStore(.init(age: .days(1), versions: 3)) { store in
            let now = StoreClock.now
            try StoreClock.$fixed.withValue(now + 2 * 86_400_000) {
                try store.collection("photos").put(["id": "c"])
                try store.trimHistory()
                try expectSound(store)
                #expect(try HistoryTests.recordCount(of: store) == 1)
                #expect(try store.rebuild().repairCount == 0)
            }
        }
    }

    @Test func `A lost document takes its history along, which is set aside`() throws {
        try Self.withStore { store in
            try store.database.delete(StoreKey.document(1, row: 2))
            #expect(try !store.verify().isSound)
            try store.rebuild()
            try expectSound(store)
            let photos = try store.collection("photos")
            #expect(try photos.history(of: "a").isEmpty)
            #expect(try store.database.contains([StoreKey.setAside.rawValue] + Self.key(3)))
            #expect(try photos.history(of: "b").count == 1)
        }
    }

    @Test func `A commit is refused if the history already has its number`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: HistoryTests.schema())
            try store.collection("photos").put(["id": "a"])
            try store.close()
            let database = try Database.open(at: directory + "/s")
            let record = try #require(try database.value(forKey: Self.key(1)))
            try database.put(record, forKey: Self.key(9))
            let again = try DocumentStore.open(on: database)
            expectFailure(.corruption, containing: "commit 9", "rebuild") {
                try again.collection("photos").put(["id": "b"])
            }
            try again.rebuild()
            try again.collection("photos").put(["id": "b"])
            try expectSound(again)
            try again.close()
        }
    }

    @Test func `Arbitrary bytes are a record that encodes to the same parts, or none`() throws {
        var random = TestRun.random(stream: 0x616)
        for _ in 0..<TestRun.rounds(20_000, long: 1_000_000) {
            let bytes = (0..<random.number(below: 14)).map { _ in
                random.pick([0, 1, 2, 0x7f, 0x80, 0xff, 0x15, 0x61] as [UInt8])
            }
            guard let record = HistoryRecord(bytes.span) else { continue }
            #expect(record.changeCount > 0)
            if case .absent(let deletion, let id) = record.former {
                let form = HistoryRecord.absent(id, deletion: deletion)
                let again = HistoryRecord(
                    (HistoryRecord.head(time: record.time, changeCount: record.changeCount) + form).span)
                #expect(again?.former == record.former, "\(bytes)")
            }
        }
    }
}
