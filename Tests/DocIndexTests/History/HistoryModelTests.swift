import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Random changes, undos, bounds and deletions of old versions, compared with a list of all changes.
@Suite struct HistoryModelTests {
    private struct Change {
        let commit: UInt64
        let time: Int
        let before: DocumentObject?
        let after: DocumentObject?
        /// Whether the change can still be in the history, as far as former bounds decide.
        var isKept = true
    }

    /// The expected history of a collection.
    private struct Model {
        var bounds: CollectionDefinition.History?
        /// The changes of each document, oldest first.
        var changes: [DocumentID: [Change]] = [:]
        var commit: UInt64 = 0
        var now = 1_000_000

        func content(_ id: DocumentID) -> DocumentObject? { changes[id]?.last?.after }

        mutating func apply(_ new: [DocumentID: DocumentObject?]) {
            let changed = new.filter { $0.value != content($0.key) }
            if changed.isEmpty { return }
            commit += 1
            for (id, after) in changed {
                changes[id, default: []].append(
                    Change(commit: commit, time: now, before: content(id), after: after, isKept: bounds != nil))
            }
        }

        /// The number of changes of a document that are kept, from the newest one on.
        func keptCount(_ id: DocumentID) -> Int {
            guard let bounds else { return 0 }
            let oldest = bounds.age.map { now - $0.seconds } ?? .min
            let kept = (changes[id] ?? []).reversed().prefix { $0.isKept && $0.time >= oldest }
            return min(kept.count, bounds.versions ?? .max)
        }

        /// Forgets what is outside the bounds.
        mutating func trim() {
            for (id, list) in changes {
                for position in list.indices.dropLast(keptCount(id)) { changes[id]?[position].isKept = false }
            }
        }

        struct Version: Equatable {
            let commit: UInt64
            let time: Int?
            let content: DocumentObject?
        }

        /// Returns the versions, newest first, and whether there was no document before the oldest one.
        func versions(_ id: DocumentID) -> (list: [Version], isWhole: Bool) {
            guard let changes = changes[id], let last = changes.last else { return ([], true) }
            let kept = keptCount(id)
            var versions: [Version] = []
            for (position, change) in changes.reversed().prefix(kept + 1).enumerated() {
                versions.append(
                    Version(
                        commit: change.commit, time: position < kept ? change.time : nil, content: change.after))
            }
            if versions.isEmpty { versions = [Version(commit: last.commit, time: nil, content: last.after)] }
            return (versions, kept == changes.count)
        }
    }

    private struct Run {
        let path: String
        var random: SplitMix64
        let round: Int
        var model = Model()
        private var comment: Comment { "round \(round), \(TestRun.repetition)" }

        init(path: String, random: SplitMix64, round: Int) {
            self.path = path
            self.random = random
            self.round = round
        }

        private static let ids: [DocumentID] = (0..<6).map { .string("d\($0)") } + [7, -7]

        private mutating func randomBounds() -> CollectionDefinition.History {
            switch random.number(below: 3) {
            case 0: .init(versions: 1 + random.number(below: 6))
            case 1: .init(age: .seconds(random.pick([20, 60, 300])))
            default: .init(age: .seconds(random.pick([20, 60, 300])), versions: 1 + random.number(below: 6))
            }
        }

        private func schema() -> Schema {
            Schema(collections: [
                CollectionDefinition(
                    "c", history: model.bounds, indexes: [.value("v", on: "v", counts: true), .text("t", on: "t")]),
                CollectionDefinition("plain"),
            ])
        }

        mutating func perform() throws {
            model.bounds = randomBounds()
            var store = try DocumentStore.open(at: path, schema: schema())
            for step in 1...120 {
                model.now += random.number(below: 5)
                try HistoryTests.at(model.now) {
                    switch random.number(below: 20) {
                    case 0: try changeBounds(of: store)
                    case 1:
                        try store.trimHistory()
                        model.trim()
                    case 2:
                        try store.close()
                        store = try DocumentStore.open(at: path)
                    case 3, 4, 5: try undo(in: store)
                    case 6:
                        try store.collection("plain").put(["id": .int(Int64(step))])
                        model.commit += 1
                    default: try change(store)
                    }
                    if step % 6 == 0 { try compare(store) }
                }
            }
            try HistoryTests.at(model.now) {
                try compare(store)
                try store.trimHistory()
                let kept = Self.ids.reduce(0) { $0 + model.keptCount($1) }
                #expect(try HistoryTests.recordCount(of: store) == kept, comment)
                try compare(store)
                #expect(try store.rebuild().repairCount == 0, comment)
                try compare(store)
            }
            try store.close()
        }

        private mutating func changeBounds(of store: DocumentStore) throws {
            // Wider bounds do not bring versions back, so it must be known which ones are gone.
            try store.trimHistory()
            model.trim()
            let isOff = random.once(in: 4)
            model.bounds = isOff ? nil : randomBounds()
            if isOff {
                for id in model.changes.keys {
                    for position in model.changes[id, default: []].indices {
                        model.changes[id]?[position].isKept = false
                    }
                }
            }
            try store.apply(schema())
        }

        private mutating func change(_ store: DocumentStore) throws {
            var new: [DocumentID: DocumentObject?] = [:]
            for _ in 0..<random.pick([1, 1, 2, 5]) {
                let id = random.pick(Self.ids)
                let content: DocumentObject = [
                    "id": id.value, "v": .int(Int64(random.number(below: 4))), "t": random.pick(["fog", "sea"]),
                    .init("m\(random.number(below: 30))"): 1,
                ]
                new[id] = .some(random.once(in: 4) ? nil : content)
            }
            try store.write { transaction in
                for (id, content) in new {
                    if let content {
                        try transaction.put(content, in: "c")
                    } else {
                        try transaction.delete(id, in: "c")
                    }
                }
            }
            model.apply(new)
        }

        private mutating func undo(in store: DocumentStore) throws {
            let commit = UInt64(1 + random.number(below: Int(model.commit) + 1))
            let overwriting = random.once(in: 2)
            // Only whole commits are undone without overwriting.
            var new: [DocumentID: DocumentObject?] = [:]
            var (all, conflicts) = (0, 0)
            for (id, changes) in model.changes {
                guard let position = changes.firstIndex(where: { $0.commit == commit }) else { continue }
                all += 1
                guard position >= changes.count - model.keptCount(id) else { continue }
                new[id] = .some(changes[position].before)
                if position < changes.count - 1 { conflicts += 1 }
            }
            do {
                let undo = try store.undo(commit, overwriting: overwriting)
                #expect(!new.isEmpty && (overwriting || conflicts == 0 && new.count == all), comment)
                #expect(Set(undo.changes.map(\.id)) == Set(new.keys), comment)
                #expect(undo.missingCount == all - new.count, comment)
                #expect(undo.changes.count { $0.laterCommit != nil } == conflicts, comment)
                let before = model.commit
                model.apply(new)
                #expect(undo.sequence == (model.commit == before ? nil : model.commit), comment)
            } catch let error as DocIndexError where error.code == .conflict {
                #expect(!overwriting && conflicts > 0, comment)
            } catch let error as DocIndexError where error.code == .notInHistory {
                #expect(new.isEmpty || !overwriting && new.count < all, "\(error), \(comment)")
            }
        }

        private mutating func compare(_ store: DocumentStore) throws {
            try expectSound(store)
            let collection = try store.collection("c")
            for id in Self.ids {
                #expect(try collection.document(id)?.content == model.content(id), comment)
                guard model.bounds != nil else {
                    expectFailure(.notInHistory) { try collection.history(of: id) }
                    continue
                }
                let expected = model.versions(id)
                let versions = try collection.history(of: id, limit: .max)
                let found = versions.map { version in
                    Model.Version(
                        commit: version.sequence, time: version.time.map { Int($0.timeIntervalSince1970) },
                        content: version.document?.content)
                }
                #expect(found == expected.list, "\(id), \(comment)")
                let commit = UInt64(random.number(below: Int(model.commit) + 1))
                if let version = expected.list.first(where: { $0.commit <= commit }) {
                    #expect(try collection.document(id, at: commit)?.content == version.content, comment)
                } else if expected.isWhole {
                    #expect(try collection.document(id, at: commit) == nil, comment)
                } else {
                    expectFailure(.notInHistory) { try collection.document(id, at: commit) }
                }
            }
            guard let bounds = model.bounds, bounds.versions == nil else { return }
            let kept = Self.ids.flatMap { (model.changes[$0] ?? []).suffix(model.keptCount($0)).map(\.commit) }
            #expect(try store.commits(limit: .max).map(\.sequence) == Set(kept).sorted(by: >), comment)
        }
    }

    @Test func `Random changes, undos and bounds match a list of all changes`() throws {
        let random = TestRun.random(stream: 0x615)
        var seeds = random
        for round in 0..<TestRun.rounds(8, long: 400) {
            try withTemporaryDirectory { directory in
                var run = Run(path: directory + "/s", random: SplitMix64(seed: seeds.next()), round: round)
                try run.perform()
            }
        }
    }
}
