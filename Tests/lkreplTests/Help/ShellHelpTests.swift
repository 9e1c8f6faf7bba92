import ArgumentParser
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Shell help` {
    /// Creates what the examples name besides the demo store.
    private func prepare(_ place: Workplace) throws {
        try place.makePhotos()
        let prepared = try place.shell(
            """
            cp '\(Binary.examples)/schema.json' '\(Binary.examples)/photos.jsonl' . &&
            lkrepl dump -q photos.store -o photos.lkd.jsonl && echo 'find photos --count' > night.lk &&
            echo '{"patch": {"rating": 5}, "id": "2019-07-14-0031"}' > changes.jsonl
            """)
        #expect(prepared.code == 0, "\(prepared)")
    }

    @Test func `Each command's shell help has an example that works on the demo store`() throws {
        try Workplace.with { place in
            try prepare(place)
            try place.copy("photos.store", to: "albums.store")
            try place.makeAlbums("albums.store")
            let help = try place.run("photos.store", "-c", "help").output
            for command in CommandCatalog.current.leaves where command.takesDatabase {
                guard let example = command.shellExample else { continue }
                let one = try place.run("photos.store", "-c", "help \(command.name)").output
                #expect(one.contains(example), "\(one)")
                // Raw keys of a document store can be read but not changed: those examples need a plain database.
                guard let first = command.example, first.contains("photos.store") else { continue }
                #expect(help.contains(command.name), "\(command.name)")
                // A server runs until it is ended; the tests of replication over HTTP start it.
                if command.name == "serve" { continue }
                try place.remove("photos.store")
                try place.copy("albums.store", to: "photos.store")
                if command.words[0] == "attach" { try place.attachPicture() }
                if command.name == "nearest" { try place.makeVectors() }
                // An existing file is not overwritten.
                if command.name == "dump" { try place.remove("photos.lkd.jsonl") }
                if command.name == "undo" { try place.keepHistory() }
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

    @Test func `Shell help suggests a command for an unknown name`() throws {
        let failure = #expect(throws: CommandError.self) { try ShellHelp.text(["fnd"]) }
        #expect(failure?.hint == "did you mean find?")
        #expect(throws: CommandError.self) { try ShellHelp.text(["doc", "gte"]) }
    }

    @Test func `Shell help covers every argument that the parser accepts`() {
        let catalog = CommandCatalog.current
        #expect(catalog.commands.count == RootCommand.configuration.subcommands.count)
        for command in catalog.leaves {
            #expect(!command.abstract.isEmpty && command.example != nil, "\(command.name)")
            for argument in command.arguments {
                #expect(!argument.abstract.isEmpty, "\(command.name) \(argument.names) \(argument.valueName)")
                #expect(argument.kind == .positional || !argument.names.isEmpty, "\(command.name)")
            }
        }
        #expect(CommandCatalog.sharedOptions.contains { $0.names == ["--write"] })
    }

    @Test func `A command described alone is the one in the catalog`() {
        let catalog = CommandCatalog.current
        for command in catalog.commands + catalog.leaves {
            #expect(CommandCatalog.command(command.words) == command, "\(command.name)")
        }
        #expect(CommandCatalog.command(["doc", "gte"]) == nil && CommandCatalog.command([String]()) == nil)
    }
}

@Suite(.waitsForPrograms) struct `Manual and completions` {
    /// Returns whether a text page contains a word; in the manual, with hyphens where roff does not break lines.
    private static func mentions(_ text: String, _ word: String) -> Bool {
        text.contains(word) || text.contains(word.replacing("-", with: "\\-"))
    }

    @Test func `The manual and the completions name every command and option`() {
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

    @Test(.enabled(if: Installed.has("groff"), Installed.absence(of: "groff")))
    func `groff accepts the manual`() throws { try check("man", by: "groff -man -ww -Tutf8 -z made") }

    @Test(.enabled(if: Installed.has("bash"), Installed.absence(of: "bash")))
    func `bash accepts its completion script`() throws { try check("bash", by: "bash -n made") }

    @Test(.enabled(if: Installed.has("zsh"), Installed.absence(of: "zsh")))
    func `zsh accepts its completion script`() throws { try check("zsh", by: "zsh -n made") }

    @Test(.enabled(if: Installed.has("fish"), Installed.absence(of: "fish")))
    func `fish accepts its completion script`() throws { try check("fish", by: "fish -n made") }

    private func check(_ kind: String, by command: String) throws {
        try Workplace.with { place in
            let made = try place.shell("lkrepl generate \(kind) > made")
            #expect(made.code == 0 && made.error == "", "\(made)")
            let outcome = try place.shell(command)
            #expect(outcome.code == 0 && outcome.error == "", "\(outcome)")
        }
    }

    // MARK: - Completing in real shells

    /// Input before Tab, and the words on the line afterwards, in every shell.
    private static let completed: [(typed: String, words: [String])] = [
        ("lkrepl fin", ["find"]), ("lkrepl find photos.store --lim", ["find", "photos.store", "--limit"]),
        ("lkrepl doc pat", ["doc", "patch"]), ("lkrepl doc put --wri", ["doc", "put", "--write"]),
        ("lkrepl --write import photos.store pictures.j", ["--write", "import", "photos.store", "pictures.jsonl"]),
        ("lkrepl --mode csv sea", ["--mode", "csv", "search"]),
    ]

    @Test(.enabled(if: Installed.has("bash"), Installed.absence(of: "bash")))
    func `Completion works in bash`() throws {
        try Workplace.with { place in
            var script = """
                source made
                complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _lkrepl; echo "${COMPREPLY[*]}"; }

                """
            for (typed, _) in Self.completed { script += "complete_line \(typed)\n" }
            try place.write(script, to: "script")
            try place.write("", to: "pictures.jsonl")
            let outcome = try place.shell("lkrepl generate bash > made && bash script")
            #expect(outcome.lines == Self.completed.compactMap(\.words.last), "\(outcome)")
        }
    }

    @Test(.enabled(if: Installed.has("fish"), Installed.absence(of: "fish")))
    func `Completion works in fish`() throws {
        try Workplace.with { place in
            try place.write("", to: "pictures.jsonl")
            let made = try place.shell("lkrepl generate fish > made")
            #expect(made.code == 0, "\(made)")
            for (typed, words) in Self.completed {
                // Fish keeps files in the home directory.
                let outcome = try place.shell(
                    "HOME=$PWD XDG_CONFIG_HOME=$PWD/.run-fish XDG_DATA_HOME=$PWD/.run-fish "
                        + "fish --no-config -c 'source made; complete -C \"\(typed)\"'")
                let candidates = outcome.lines.map { String($0.prefix { $0 != "\t" }) }
                #expect(candidates == [words.last ?? ""], "\(typed): \(outcome)")
            }
        }
    }

    /// zsh completes only interactive input, so a terminal session types it.
    @Test(.enabled(if: Installed.has("zsh"), Installed.absence(of: "zsh")))
    func `Completion works in zsh`() throws {
        try Workplace.with { place in
            try place.write("", to: "pictures.jsonl")
            let made = try place.shell("lkrepl generate zsh > made")
            #expect(made.code == 0, "\(made)")
            let zsh = try #require(Installed.path(of: "zsh"))
            let terminal = try TerminalSession(
                ["-f", "-i"], in: place, program: zsh, environment: ["TERM": "xterm", "HOME": place.path])
            // The completed program prints what the line became.
            try terminal.type(
                "PS1=' '; autoload -Uz compinit; compinit -u -D; source ./made; "
                    + "lkrepl() { print -r -- \"<${(j:|:)@}>\" }; print rea''dy\n")
            try terminal.expect("ready")
            for (typed, words) in Self.completed {
                try terminal.type(typed + "\t\n")
                try terminal.expect("<\(words.joined(separator: "|"))>")
            }
            try terminal.type("exit\n")
            #expect(try terminal.end() == 0)
        }
    }
}
