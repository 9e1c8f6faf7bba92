import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Commands that change something` {
    /// Commands that remove and replace nothing but the IDs in an album, and replications, which keep the versions of both
    /// sides. There is nothing to rehearse.
    private static let harmless: Set<String> = [
        "index create", "index rebuild", "album save", "album add", "album remove", "album move", "renditions make",
        "sync", "serve",
    ]

    @Test func `Every command that removes or replaces can show what it would do`() {
        let changing = CommandCatalog.current.leaves.filter { $0.example?.contains(" --write") ?? false }
        #expect(changing.count > 10)
        for command in changing where !Self.harmless.contains(command.name) {
            let options = command.arguments.flatMap(\.names)
            #expect(
                options.contains("--dry-run") && options.contains("-n"),
                "\(command.name) has --write in its example, but no --dry-run")
        }
    }

    @Test func `A dry run of put says whether it would replace, and stores nothing`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "a", "1").code == 0)
            for (arguments, part) in [
                (["doc", "put", "-n", "photos.store", "photos", #"{"id":"scan-0001"}"#], "would replace scan-0001"),
                (["doc", "put", "-n", "photos.store", "photos", #"{"id":"new"}"#], "would insert new"),
                (["doc", "put", "-n", "photos.store", "photos", "{}"], "would insert a document with a new ID"),
                (["put", "-n", "app.db", "a", "2"], "would replace the value of a"),
                (["put", "-n", "app.db", "b", "2"], "would insert a value under b"),
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0 && outcome.says(part), "\(arguments): \(outcome)")
            }
            #expect(try place.run("count", "photos.store").output == "301\n")
            #expect(try place.run("scan", "app.db", "--mode", "csv").output == "key,value\na,1\n")
        }
    }

    @Test func `Replacing a collection says how many documents it removes`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let input = #"{"id":"a"}"# + "\n"
            let arguments = ["import", "--write", "--mode", "replace", "photos.store", "photos", "-"]
            let refused = try place.run(arguments, input: Array(input.utf8))
            #expect(refused.code == 77 && refused.says("remove all 301 documents from photos"), "\(refused)")
            #expect(try place.run("count", "photos.store").output == "301\n")
        }
    }
}
