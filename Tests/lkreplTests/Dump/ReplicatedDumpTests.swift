import DocIndex
import TestSupport
import Testing

@testable import lkrepl

/// Dumps of stores with replicated collections.
@Suite(.waitsForPrograms) struct `Dumps with revisions` {
    private static func ids(_ collection: DocumentCollection) throws -> Set<DocumentID> {
        Set(try collection.store.changes(since: 0, in: "photos").map(\.id))
    }

    @Test func `A loaded dump has the same documents, revisions and conflicts, and the same dump`() throws {
        var random = TestRun.random()
        for _ in 0..<TestRun.rounds(6, long: 60) {
            try Workplace.with { place in
                let replicas = try Replicas(place)
                try replicas.runHistory(&random)
                try replicas.close()
                let dump = try place.dump("a.store")
                #expect(dump.starts(with: Array(#"{"lkdump":3,"#.utf8)))
                let loaded = try place.run(["load", "--create", "copy.store", "-"], input: dump)
                #expect(loaded.code == 0 && !loaded.says("without-revisions"), "\(loaded); \(TestRun.repetition)")
                #expect(try place.dump("copy.store") == dump, "\(TestRun.repetition)")
                #expect(try place.run("diff", "--revisions", "a.store", "copy.store").code == 0)
                // Loading again changes nothing.
                let again = try place.run(["load", "--write", "copy.store", "-"], input: dump)
                #expect(again.code == 0 && !again.says("without-revisions"), "\(again); \(TestRun.repetition)")
                #expect(try place.dump("copy.store") == dump)

                let both = try Replicas(opening: ["a.store", "copy.store"], in: place)
                let (original, copy) = (both.collections[0], both.collections[1])
                #expect(try original.conflicted() == copy.conflicted())
                for id in try Self.ids(original) {
                    #expect(try original.conflict(of: id) == copy.conflict(of: id))
                    #expect(try original.revisions(of: id) == copy.revisions(of: id))
                }
                // Edits, deletions and documents made again have the same revisions in both.
                for id in try Self.ids(original).union(["new"]) {
                    for n in [7, 8] as [Int64] {
                        for collection in both.collections { try collection.put(["id": id.value, "n": .int(n)]) }
                        #expect(
                            try original.revision(of: id) == copy.revision(of: id), "\(id); \(TestRun.repetition)")
                    }
                }
                for collection in both.collections {
                    for id in try Self.ids(original) where "\(id)" < "d3" { try collection.delete(id) }
                }
                for id in try Self.ids(original) {
                    #expect(try original.revisions(of: id) == copy.revisions(of: id), "\(id); \(TestRun.repetition)")
                }
                try both.close()
            }
        }
    }

    @Test func `Changes since a commit bring a copy to the same revisions`() throws {
        var random = TestRun.random(stream: 1)
        for _ in 0..<TestRun.rounds(4, long: 40) {
            try Workplace.with { place in
                let replicas = try Replicas(place)
                try replicas.runHistory(&random)
                let last = try replicas.stores[0].changes(since: 0).last?.sequence ?? 0
                try replicas.close()
                try place.write(try place.dump("a.store"), to: "full.lkd")
                let later = try Replicas(opening: ["a.store", "b.store"], in: place)
                try later.runHistory(&random, count: 25)
                try later.close()
                let outcome = try place.shell(
                    """
                    lkrepl load -q --create copy.store full.lkd &&
                    lkrepl dump -q a.store --since \(last) > changes.lkd && lkrepl load --write copy.store changes.lkd
                    """)
                #expect(outcome.code == 0 && !outcome.says("without-revisions"), "\(outcome); \(TestRun.repetition)")
                #expect(try place.run("diff", "--revisions", "a.store", "copy.store").code == 0)
                let both = try Replicas(opening: ["a.store", "copy.store"], in: place)
                let (original, copy) = (both.collections[0], both.collections[1])
                for id in try Self.ids(original) {
                    #expect(try original.conflict(of: id) == copy.conflict(of: id), "\(id); \(TestRun.repetition)")
                    // What others have seen of the original counts as seen in the copy.
                    let seen = try original.revisions(of: id)?.leaves.filter { !$0.isNew }.map(\.path) ?? []
                    let copied = try copy.revisions(of: id)?.leaves.filter { !$0.isNew }.map(\.path) ?? []
                    #expect(Set(seen).isSubset(of: copied), "\(id); \(TestRun.repetition)")
                }
                try both.close()
            }
        }
    }

    @Test func `A store that knows other revisions keeps them, and gets the document as an edit`() throws {
        try Workplace.with { place in
            let replicas = try Replicas(place)
            try replicas.collections[0].put(["id": "a", "n": 1])
            try replicas.settle()
            try replicas.close()
            try place.write(try place.dump("a.store"), to: "old.lkd")
            let later = try Replicas(opening: ["a.store", "b.store"], in: place)
            try later.collections[1].put(["id": "a", "n": 2])
            try later.settle()
            let seen = try #require(try later.collections[0].revision(of: "a"))
            try later.close()
            let loaded = try place.run("load", "--write", "a.store", "old.lkd")
            #expect(loaded.code == 0 && loaded.says("replaced 1 without-revisions 1"), "\(loaded)")
            let after = try Replicas(opening: ["a.store"], in: place)
            #expect(try after.collections[0].document("a")?.content == ["id": "a", "n": 1])
            let path = try #require(try after.collections[0].stored(nil, of: "a").first?.path)
            #expect(path.revisions.contains(seen))
            try after.close()

            // A store that is not replicated takes the documents alone.
            let plain = try DocumentStore.open(at: place.path + "/plain.store", schema: Replicas.schema)
            try plain.close()
            let unreplicated = try place.run("load", "--write", "plain.store", "old.lkd")
            #expect(unreplicated.code == 0 && unreplicated.says("inserted 1"), "\(unreplicated)")
            #expect(unreplicated.says("without-revisions 1"), "\(unreplicated)")
            #expect(try place.dump("plain.store").starts(with: Array(#"{"lkdump":1,"#.utf8)))
        }
    }

    @Test func `Selected and renamed collections keep their revisions, and others have none`() throws {
        try Workplace.with { place in
            let replicas = try Replicas(place)
            try replicas.stores[0].collection("notes").put(["id": "n"])
            try replicas.makeConflict("a", base: ["n": 0], ["n": 1], ["n": 2])
            try replicas.close()
            let outcome = try place.shell(
                """
                lkrepl dump -q a.store --only photos | lkrepl load -q --create p.store - --rename photos=pictures &&
                lkrepl conflicts -q p.store pictures --mode count &&
                lkrepl dump -q a.store --only notes | head -1 | cut -c1-12 &&
                lkrepl dump -q a.store | lkrepl load -q --create n.store - --only notes &&
                lkrepl dump -q n.store | head -1
                """)
            #expect(outcome.code == 0 && outcome.lines.first == "1", "\(outcome)")
            #expect(outcome.lines.dropFirst().allSatisfy { $0.hasPrefix(#"{"lkdump":1"#) }, "\(outcome)")
        }
    }

    @Test func `A dump with changed, contradictory or unannounced revisions is refused`() throws {
        try Workplace.with { place in
            let replicas = try Replicas(place)
            try replicas.makeConflict("a", base: ["n": 0], ["n": 1], ["n": 2])
            try replicas.collections[0].put(["id": "gone"])
            try replicas.settle()
            try replicas.collections[0].delete("gone")
            try replicas.close()
            let text = String(decoding: try place.dump("a.store"), as: UTF8.self)
            func load(_ text: String, _ options: String...) throws -> Outcome {
                let outcome = try place.run(
                    ["load", "--create", "copy.store", "-"] + options, input: Array(text.utf8))
                if place.has("copy.store") { try place.remove("copy.store") }
                return outcome
            }
            #expect(try load(text).code == 0)
            #expect(text.contains(#""deleted":true"#) && text.contains(#""versions":[{"#))
            for (old, new) in [
                (#""rev":"2-"#, #""rev":"3-"#), (#""n":2"#, #""n":3"#), (#","deleted":true"#, ""),
            ] {
                let outcome = try load(text.replacing(old, with: new))
                #expect(outcome.code == 65, "\(old): \(outcome)")
            }
            for (old, new, reason) in [
                (#""lkdump":3"#, #""lkdump":4"#, "reads versions up to 3"),
                (#""lkdump":3"#, #""lkdump":1"#, "does not announce revisions"),
                (#""revisions":["photos"],"#, "", "must be a list of collections"),
                (#""leaves":[{"#, #""leaves":[],"x":[{"#, "revs must be an object"),
                (#""rev":"2-"#, #""rev":"0-"#, "must have the member rev"),
                (#""deleted":true"#, #""deleted":1"#, "must have the member rev"),
                (#","deleted":true"#, "", "contradict"),
            ] {
                #expect(text.contains(old))
                let outcome = try load(text.replacing(old, with: new), "--no-verify")
                #expect(outcome.code == 65 && outcome.says(reason), "\(new): \(outcome)")
            }
        }
    }

    @Test func `A file that only another version refers to is dumped and loaded`() throws {
        try Workplace.with { place in
            let replicas = try Replicas(place)
            let bytes = [UInt8](repeating: 5, count: 3000)
            for store in replicas.stores { _ = try store.attachments.add(bytes) }
            let file = try replicas.stores[0].attachments.add(bytes)
            try replicas.makeConflict(
                "a", base: ["n": 0], ["n": 1, "file": .attachment(file)], ["n": 2, "file": .attachment(file)])
            let conflict = try #require(try replicas.collections[0].conflict(of: "a"))
            // The winner has no reference any more.
            try replicas.collections[0].put(["id": "a", "n": 9])
            #expect(conflict.versions.count == 2)
            try replicas.close()
            let dump = try place.dump("a.store")
            #expect(String(decoding: dump, as: UTF8.self).contains(#"{"a":""#))
            let loaded = try place.run(["load", "--create", "copy.store", "-"], input: dump)
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.dump("copy.store") == dump)
        }
    }
}
