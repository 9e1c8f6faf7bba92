import Foundation
import Testing

@testable import lkrepl

/// REPL acceptance check 10: no escape byte where none is allowed.
@Suite(.waitsForPrograms) struct `Escape sequences` {
    @Test func `No command sends an escape byte without colors, to a pipe or a terminal`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let prepared = try place.shell(
                """
                cp '\(Binary.examples)/schema.json' '\(Binary.examples)/photos.jsonl' . &&
                lkrepl dump -q photos.store -o photos.lkd.jsonl
                """)
            #expect(prepared.code == 0, "\(prepared)")
            let leaves = CommandCatalog.current.leaves
            // A server runs until it is interrupted; its own tests look at what it prints.
            let ending = leaves.filter { $0.name != "serve" }
            var help: [String] = []
            var examples: [String] = []
            for command in leaves {
                help += ["help \(command.name)", "\(command.name) --help", "\(command.name) --bogus"].map {
                    "lkrepl \($0)"
                }
                guard let example = command.example, ending.contains(where: { $0.name == command.name }) else {
                    continue
                }
                // Twice, so that writing commands also fail.
                examples += [example, example]
                if let example = command.shellExample {
                    examples.append("lkrepl photos.store -c '\(example.replacing("'", with: "'\\''"))'")
                }
            }
            // Help depends least on the environment. It runs where only the pipe prevents colors.
            for (environment, commands) in [
                ("TERM=xterm-256color", help + examples), ("TERM=xterm-256color NO_COLOR=1", examples),
                ("TERM=dumb", examples),
            ] {
                var byteCount = 0
                // In several runs, since the time of each is bounded.
                for start in stride(from: 0, to: commands.count, by: 50) {
                    let part = commands[start..<min(start + 50, commands.count)]
                    let outcome = try place.shell((["export \(environment)"] + part + ["true"]).joined(separator: "\n"))
                    #expect(!outcome.bytes.contains(0x1b) && !outcome.errorBytes.contains(0x1b), "\(outcome)")
                    byteCount += outcome.bytes.count
                }
                #expect(byteCount > (commands.count > examples.count ? 100_000 : 10_000), "\(environment)")
            }

            if place.has("photos.store") { try place.remove("photos.store") }
            try place.makePhotos()
            // The line editor moves the cursor with escapes; the output of commands contains none.
            let terminal = try TerminalSession(
                ["photos.store", "-q"], in: place, environment: ["TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"])
            try terminal.expectEditor()
            for command in ending {
                guard let example = command.shellExample, command.example?.contains("photos.store") ?? false else {
                    continue
                }
                let shown = try terminal.enter(example + "\r")
                #expect(!shown.contains("\u{1b}"), "\(example): \(shown.debugDescription)")
            }
            try terminal.type("\u{4}")
            #expect(try terminal.end() == 0)
        }
    }
}
