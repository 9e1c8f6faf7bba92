import ArgumentParser
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Command help` {
    /// Every command and subcommand, with its words.
    private static let commands: [(words: [String], type: any ParsableCommand.Type)] = {
        func all(_ type: any ParsableCommand.Type, _ words: [String]) -> [([String], any ParsableCommand.Type)] {
            [(words, type)] + type.configuration.subcommands.flatMap { all($0, words + [$0._commandName]) }
        }
        return RootCommand.configuration.subcommands.flatMap { all($0, [$0._commandName]) }
    }()

    @Test func `The help of every command goes to standard output, with exit code 0`() throws {
        try Workplace.with { place in
            var invocations: [[String]] = [[], ["--help"], ["-h"], ["help"]]
            for (words, _) in Self.commands {
                invocations.append(words + ["--help"])
                invocations.append(["help"] + words)
            }
            for invocation in invocations {
                let outcome = try place.run(invocation)
                #expect(outcome.code == 0, "\(invocation): \(outcome)")
                #expect(outcome.error == "", "\(invocation): \(outcome)")
                #expect(outcome.output.contains("USAGE:"), "\(invocation): \(outcome)")
                if let last = invocation.last(where: { !$0.hasPrefix("-") }), last != "help" {
                    #expect(
                        outcome.output.contains(
                            invocation.filter { !$0.hasPrefix("-") && $0 != "help" }.joined(separator: " ")))
                }
            }
            let version = try place.run("--version")
            #expect(version.code == 0 && version.output == Version.text + "\n", "\(version)")
        }
    }

    @Test func `The help of each command has an example, and every example runs`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            let prepared = try place.shell(
                """
                cp '\(Binary.examples)/schema.json' '\(Binary.examples)/photos.jsonl' . &&
                lkrepl dump -q photos.store -o photos.lkd.jsonl && lkrepl put --write app.db user/1 Ann &&
                lkrepl snapshot -q app.db copy.db && echo '{"op":"del","k":"user/9"}' > ops.jsonl &&
                echo '{"patch": {"rating": 5}, "id": "2019-07-14-0031"}' > changes.jsonl && echo 1 > IMG_0031.jpg
                """)
            #expect(prepared.code == 0, "\(prepared)")
            for (words, type) in Self.commands where type.configuration.subcommands.isEmpty {
                if words.first == "album" { try place.makeAlbums() }
                if words == ["nearest"] { try place.makeVectors() }
                let examples = type.configuration.discussion.split(separator: "\n")
                    .filter { $0.hasPrefix("Example: ") }.map { $0.dropFirst("Example: ".count) }
                #expect(!examples.isEmpty, "\(words) has no example")
                for example in examples {
                    // A sentence may follow an example.
                    let command = String(example.split(separator: ". For ")[0])
                    #expect(command.hasPrefix("lkrepl " + words.joined(separator: " ") + " "), "\(command)")
                    // A server runs until it is ended; the tests of replication over HTTP start it.
                    if words == ["serve"] { continue }
                    if words == ["init"] { try place.remove("photos.store") }
                    // An existing file is not overwritten.
                    if words == ["dump"] { try place.remove("photos.lkd.jsonl") }
                    if words == ["undo"] { try place.keepHistory() }
                    let outcome = try place.shell("export XDG_CONFIG_HOME=\"$PWD/config\"; \(command)")
                    #expect(outcome.code == 0, "\(command): \(outcome)")
                    if words == ["init"] {
                        try place.remove("photos.store")
                        try place.makePhotos()
                    }
                }
            }
        }
    }

    @Test func `The commands in the README run`() throws {
        let text = try String(contentsOfFile: Binary.package + "/README.md", encoding: .utf8)
        let section = try #require(text.split(separator: "## From the command line").last)
        let block = try #require(section.split(separator: "```").dropFirst().first)
        let commands = block.split(separator: "\n").map(String.init).filter { $0.hasPrefix("lkrepl ") }
        #expect(commands.count >= 6)
        try Workplace.with { place in
            let linked = try place.shell("mkdir Examples && ln -s '\(Binary.examples)' Examples/photos")
            #expect(linked.code == 0, "\(linked)")
            for command in commands {
                let outcome = try place.shell(command)
                #expect(outcome.code == 0, "\(command): \(outcome)")
            }
            #expect(place.has("copy.store"))
        }
    }
}
