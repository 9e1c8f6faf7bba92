import Foundation
import Testing

@testable import lkrepl

/// REPL acceptance check 10: no escape byte where none is allowed.
@Suite struct `Escape sequences` {
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
            var help = ""
            var script = ""
            for command in leaves {
                help += "lkrepl help \(command.name)\nlkrepl \(command.name) --help\nlkrepl \(command.name) --bogus\n"
                guard let example = command.example, ending.contains(where: { $0.name == command.name }) else {
                    continue
                }
                // Twice, so that writing commands also fail.
                script += "\(example)\n\(example)\n"
                if let example = command.shellExample {
                    script += "lkrepl photos.store -c '\(example.replacing("'", with: "'\\''"))'\n"
                }
            }
            // Help depends least on the environment, and takes as many processes as the examples. It runs where only
            // the pipe prevents colors, in a run of its own, since the time of each run is bounded.
            for (environment, commands) in [
                ("NO_COLOR=1 TERM=xterm-256color", script), ("TERM=dumb", script), ("TERM=xterm-256color", script),
                ("TERM=xterm-256color", help),
            ] {
                let outcome = try place.shell("export \(environment)\n" + commands + "true\n")
                #expect(!outcome.bytes.contains(0x1b) && !outcome.errorBytes.contains(0x1b), "\(environment)")
                #expect(outcome.bytes.count > 10_000)
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
