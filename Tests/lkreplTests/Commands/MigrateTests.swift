import DocIndex
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Schema migration` {
    /// Writes the schema of the sample catalog with another version, one index removed and one added.
    private func writeSchema(to name: String, version: Int, in place: Workplace) throws {
        let text = String(decoding: try place.read("old.json"), as: UTF8.self)
        let year = "\"year\": {"
        try #require(text.contains(year) && text.contains("\"version\": 1"), "\(text)")
        let changed = text.replacing("\"version\": 1", with: "\"version\": \(version)")
            .replacing(year, with: "\"stars\": {", maxReplacements: 1)
        try place.write(changed, to: name)
    }

    private func prepare(_ place: Workplace) throws {
        try place.makePhotos()
        let old = try place.run("schema", "photos.store")
        #expect(old.code == 0, "\(old)")
        try place.write(old.output, to: "old.json")
        try writeSchema(to: "new.json", version: 3, in: place)
    }

    @Test func `migrate names the versions, and a dry run shows each difference and changes nothing`() throws {
        try Workplace.with { place in
            try prepare(place)
            for _ in 0..<2 {
                let dryRun = try place.run("migrate", "photos.store", "new.json", "--dry-run")
                #expect(dryRun.code == 0, "\(dryRun)")
                #expect(dryRun.error == "migrate: the schema has version 1; it would become 3\n")
                #expect(dryRun.lines.count == 3, "\(dryRun)")
                #expect(dryRun.output.contains("version 1 → 3"))
                #expect(
                    dryRun.lines.contains { $0.contains("\"kind\":\"added\"") && $0.contains("\"index\":\"stars\"") }
                )
                #expect(dryRun.lines.contains { $0.contains("\"documents\":301") })
                #expect(
                    dryRun.lines.contains {
                        $0.contains("\"kind\":\"removed\"") && $0.contains("\"index\":\"year\"")
                    })
            }
            let refused = try place.run("migrate", "photos.store", "new.json", "--write")
            #expect(refused.code == 77 && refused.error.contains("removed index year of photos"), "\(refused)")
            #expect(try place.run("migrate", "photos.store", "new.json").code == 77)

            let done = try place.run("migrate", "--write", "--yes", "photos.store", "new.json")
            #expect(done.code == 0 && done.error.contains("the schema has version 1; it becomes 3"), "\(done)")
            let again = try place.run("migrate", "photos.store", "new.json", "-n")
            #expect(again.code == 0 && again.output == "" && again.error.contains("version 3 and keeps it"), "\(again)")
            #expect(again.error.contains("the store already has this schema"), "\(again)")
        }
    }

    @Test func `migrate rejects a version other than that of --to, a lower one, and an invalid file`() throws {
        try Workplace.with { place in
            try prepare(place)
            let other = try place.run("migrate", "photos.store", "new.json", "--to", "2", "-n")
            #expect(other.code == 64 && other.error.contains("version 3, but --to requires 2"), "\(other)")
            #expect(try place.run("migrate", "photos.store", "new.json", "--to", "3", "-n").code == 0)
            #expect(try place.run("migrate", "photos.store", "--to", "3").code == 64)
            #expect(try place.run("migrate", "--write", "--yes", "photos.store", "new.json", "-q").error == "")
            let lower = try place.run("migrate", "photos.store", "old.json", "-n")
            #expect(lower.code == 65 && lower.error.contains("version 3"), "\(lower)")
            let missing = try place.run("migrate", "photos.store", "none.json", "-n")
            #expect(missing.code == 66 && missing.error.contains("none.json"), "\(missing)")
            try place.write("{\"collections\": [", to: "bad.json")
            let bad = try place.run("migrate", "photos.store", "bad.json", "-n")
            #expect(bad.code == 65 && bad.error.contains("bad.json"), "\(bad)")
        }
    }

    private struct Stop: Error {}

    @Test func `migrate without a file resumes an unfinished migration`() throws {
        try Workplace.with { place in
            try prepare(place)
            #expect(try place.run("migrate", "photos.store", "-n").error.contains("nothing to do"))
            let store = try DocumentStore.open(at: place.path + "/photos.store", schema: nil)
            let schema = try Schema(json: try place.read("new.json"))
            // Adopted but not built, as after a kill.
            #expect(throws: Stop.self) { try store.apply(schema) { _ in throw Stop() } }
            try store.close()
            let pending = try place.run("migrate", "photos.store", "-n")
            #expect(pending.code == 0 && pending.error.contains("finishes it"), "\(pending)")
            let same = try place.run("migrate", "photos.store", "new.json", "-n")
            #expect(same.error.contains("is pending"), "\(same)")
            let finished = try place.run("migrate", "--write", "photos.store")
            #expect(finished.code == 0 && finished.error.contains("finished the pending change"), "\(finished)")
            #expect(try place.run("migrate", "photos.store", "-n").error.contains("nothing to do"))
            #expect(try place.run("index", "check", "photos.store", "photos", "stars").code == 0)
        }
    }
}
