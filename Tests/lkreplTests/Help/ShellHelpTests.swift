import ArgumentParser
import Foundation
import Testing

@testable import lkrepl

@Suite struct `The help of the shell` {
    /// What the examples name besides the demo store.
    private func prepare(_ place: Workplace) throws {
        try place.makePhotos()
        let prepared = try place.shell(
            """
            cp '\(Binary.examples)/schema.json' '\(Binary.examples)/photos.jsonl' . &&
            lkrepl dump -q photos.store -o photos.lkd.jsonl && echo 'find photos --count' > night.lk
            """)
        #expect(prepared.code == 0, "\(prepared)")
    }

    @Test func `has an example of each command that works on the demo store`() throws {
        try Workplace.with { place in
            try prepare(place)
            let help = try place.run("photos.store", "-c", "help").output
            for command in CommandCatalog.current.leaves where command.takesDatabase {
                guard let example = command.shellExample else { continue }
                let one = try place.run("photos.store", "-c", "help \(command.name)").output
                #expect(one.contains(example), "\(one)")
                // Raw keys of a document store may be looked at and not changed: those examples need a plain database.
                guard let first = command.example, first.contains("photos.store") else { continue }
                #expect(help.contains(command.name), "\(command.name)")
                try place.remove("photos.store")
                try place.makePhotos()
                let outcome = try place.run("--write", "--yes", "photos.store", "-c", example)
                #expect(outcome.code == 0, "\(example): \(outcome)")
            }
            for meta in MetaCommand.allCases where meta != .edit && meta != .last {
                #expect(help.contains(meta.synopsis), "\(meta)")
                let outcome = try place.run("photos.store", "-c", meta.example)
                #expect(outcome.code == 0, "\(meta.example): \(outcome)")
                let dotless = try place.run("photos.store", "-c", "help .\(meta.rawValue)")
                #expect(dotless.output.contains(meta.example), "\(dotless)")
            }
        }
    }

    @Test func `tells of what it does not know`() throws {
        let failure = #expect(throws: CommandFailure.self) { try ShellHelp.text(["fnd"]) }
        #expect(failure?.hint == "did you mean find?")
        #expect(throws: CommandFailure.self) { try ShellHelp.text(["doc", "gte"]) }
    }

    @Test func `knows of every argument that the parser knows`() {
        let catalog = CommandCatalog.current
        #expect(catalog.commands.count == RootCommand.configuration.subcommands.count)
        for command in catalog.leaves {
            #expect(!command.abstract.isEmpty && command.example != nil, "\(command.name)")
            for argument in command.arguments {
                #expect(!argument.abstract.isEmpty, "\(command.name) \(argument.names) \(argument.valueName)")
                #expect(argument.kind == .positional || !argument.names.isEmpty, "\(command.name)")
            }
        }
        #expect(catalog.sharedOptions.contains { $0.names == ["--write"] })
    }
}

@Suite struct `The manual and the completions` {
    /// Whether a text has a word, in the manual with hyphens that roff does not break at.
    private static func mentions(_ text: String, _ word: String) -> Bool {
        text.contains(word) || text.contains(word.replacing("-", with: "\\-"))
    }

    @Test func `name every command and every option`() {
        let texts = [Manual.page()] + CompletionScript.Kind.allCases.map { CompletionScript.text($0) }
        for command in CommandCatalog.current.leaves {
            for (position, text) in texts.enumerated() {
                #expect(
                    Self.mentions(text, command.words[0]) && Self.mentions(text, command.words.last ?? ""),
                    "\(command.name)")
                for name in command.arguments.flatMap(\.names) where name.hasPrefix("--") {
                    guard command.arguments.first(where: { $0.names.contains(name) })?.isShown == true else { continue }
                    let spelt =
                        position == 0
                        ? name.replacing("-", with: "\\-") : position == 3 ? "-l \(name.dropFirst(2))" : name
                    #expect(text.contains(spelt), "\(command.name) \(name)")
                }
            }
        }
    }

    @Test(arguments: ["man", "bash", "zsh", "fish"])
    func `are what the programs that read them take`(kind: String) throws {
        try Workplace.with { place in
            let made = try place.shell("lkrepl generate \(kind) > made")
            #expect(made.code == 0 && made.error == "", "\(made)")
            let check = [
                "man": "groff -man -ww -Tutf8 -z made", "bash": "bash -n made", "zsh": "zsh -n made",
                "fish": "fish -n made",
            ]
            let program = kind == "man" ? "groff" : kind
            guard try place.shell("command -v \(program)").code == 0 else {
                print("not checked by \(program), which is not installed")
                return
            }
            let outcome = try place.shell(check[kind] ?? "false")
            #expect(outcome.code == 0 && outcome.error == "", "\(outcome)")
        }
    }

    @Test func `complete commands in bash`() throws {
        try Workplace.with { place in
            guard try place.shell("command -v bash").code == 0 else {
                print("skipped: there is no bash")
                return
            }
            let script = """
                source made
                complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _lkrepl; echo "${COMPREPLY[*]}"; }
                complete_line lkrepl fin
                complete_line lkrepl find photos.store --lim
                complete_line lkrepl doc pa
                complete_line lkrepl doc put --wr
                complete_line lkrepl --write import photos.store ph
                """
            try place.write(script, to: "script")
            try place.write("", to: "photos.jsonl")
            let outcome = try place.shell("lkrepl generate bash > made && bash script")
            #expect(outcome.output == "find\n--limit\npatch\n--write\nphotos.jsonl\n", "\(outcome)")
        }
    }
}
