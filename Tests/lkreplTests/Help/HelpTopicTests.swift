import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Help by purpose` {
    @Test func `Every command has a group in help`() {
        for command in CommandCatalog.current.leaves {
            #expect(
                CommandGroup.of(command.name) != nil,
                "the command \(command.name) has no group: add it to a case of CommandGroup.commands")
        }
        let names = CommandGroup.allCases.flatMap(\.commands)
        #expect(Set(names).count == names.count, "a command is in two groups")
        let known = Set(CommandCatalog.current.leaves.flatMap { [$0.name, $0.words[0]] })
        for name in names { #expect(known.contains(name), "CommandGroup names \(name), which is not a command") }
        let grouped = CommandGroup.grouped(.current).flatMap(\.commands).map(\.name)
        #expect(grouped.sorted() == CommandCatalog.current.leaves.map(\.name).sorted())
    }

    @Test func `Help fits in 80 columns`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let names = [[]] + HelpTopic.allCases.map { [$0.rawValue] } + CommandCatalog.current.leaves.map(\.words)
            let script = names.map { "help " + $0.joined(separator: " ") }.joined(separator: "; ")
            let outcome = try place.run(["photos.store", "-c", script], environment: ["COLUMNS": "80"])
            #expect(outcome.code == 0, "\(outcome)")
            // Synopses and examples are not wrapped, so that they can be copied.
            for line in outcome.lines where !line.hasPrefix("USAGE") && !line.hasPrefix("EXAMPLE") {
                guard !line.hasPrefix("       lkrepl ") else { continue }
                #expect(DisplayWidth.columns(of: line) <= 80, "\(line)")
            }
            let program = try place.run(["--help"], environment: ["COLUMNS": "80"])
            for line in program.lines { #expect(DisplayWidth.columns(of: line) <= 80, "\(line)") }
        }
    }

    @Test func `The examples of topics use fields of the open store, and work`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let uneven =
                #"{"collections":{"my notes":{"id":"key","indexes":{"text":{"type":"text","fields":["body"]}}}}}"#
            try place.write(uneven, to: "uneven.json")
            #expect(try place.run("init", "uneven.store", "--schema", "uneven.json").code == 0)
            let lines = #"{"key":1,"body":"It's a \"test\"","n m":4,"when":"2020-05-01","l":["x y"]}"# + "\n"
            #expect(
                try place.run("import", "--write", "uneven.store", "my notes", "-", input: lines).code == 0)
            for name in ["photos.store", "uneven.store"] {
                let session = try Session(path: place.path + "/" + name, access: DatabaseAccess(isExclusive: false))
                let samples = FieldSamples(of: try #require(try session.collections().first))
                try session.close()
                for topic in HelpTopic.allCases {
                    let text = try place.run(name, "-c", "help \(topic.rawValue)")
                    #expect(text.code == 0, "\(text)")
                    for example in topic.examples(samples) {
                        #expect(text.output.contains(example), "\(text)")
                        let outcome = try place.run(name, "-c", example)
                        #expect(outcome.code == 0, "\(example): \(outcome)")
                    }
                }
            }
        }
    }

    @Test func `Topics are found by name, also from the system's shell`() throws {
        try Workplace.with { place in
            let dates = try place.run("help", "dates")
            #expect(dates.code == 0 && dates.output.contains("lkrepl find photos.store photos"), "\(dates)")
            let search = try place.run("help", "search")
            #expect(search.output.contains("USAGE: lkrepl search") && search.output.contains("A phrase"), "\(search)")
            let wrong = try place.run("help", "date")
            #expect(wrong.code == 64 && wrong.says("did you mean dates?"), "\(wrong)")
        }
    }
}
