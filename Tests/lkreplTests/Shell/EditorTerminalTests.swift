import Foundation
import Testing

@testable import lkrepl

/// The shell with its line editor, in a real pseudo-terminal.
@Suite(.waitsForPrograms) struct `Line editor in a terminal` {
    private func session(
        _ place: Workplace, _ arguments: [String] = ["photos.store", "-q"], _ environment: [String: String] = [:]
    ) throws -> TerminalSession {
        let terminal = try TerminalSession(
            arguments, in: place, environment: ["TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 })
        try terminal.expectEditor()
        return terminal
    }

    private func end(_ terminal: TerminalSession) throws {
        try terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    @Test func `The shell runs what was typed, corrected and completed`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            #expect(try terminal.enter("find photos rating = 5 --count\r") == "23\r\n")
            #expect(try terminal.enter("nd photos --count\u{1}fi\r") == "301\r\n")
            #expect(try terminal.enter("fin\tph\t--cou\t\r") == "301\r\n")
            #expect(try terminal.enter("find photos exif.mod\t= X100V --count\r") == "57\r\n")
            // The history, its search, and the last argument.
            #expect(try terminal.enter("\u{1b}[A\r") == "57\r\n")
            #expect(try terminal.enter("\u{12}rating\r") == "23\r\n")
            #expect(try terminal.enter("find photos \u{1b}.\r") == "301\r\n")
            // An error is reported, and the shell continues.
            #expect(try terminal.enter("fnd photos\r").contains("did you mean find?"))
            try end(terminal)
        }
    }

    @Test func `Completion in a terminal lists candidates, and shows keys as they are typed`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let made = try place.run(
                "--write", "app.db", "-c", "put \"odd\\x00key\" 1; put 'odd two' 2; put plain 3; put \"plain\\n4\" 4")
            #expect(made.code == 0, "\(made)")
            let terminal = try session(place, ["app.db", "-q"])
            try terminal.type("get pl\t")
            try terminal.expect("plain")
            try terminal.expect("\"plain\\n4\"")
            try terminal.type("\u{15}")
            #expect(try terminal.enter("get \"odd\\0\t\r") == "1\r\n")
            #expect(try terminal.enter("get \"odd t\t\r") == "2\r\n")
            #expect(try terminal.enter("get plain\r") == "3\r\n")
            try end(terminal)
        }
    }

    @Test func `The line editor keeps input typed ahead`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.type("abc\u{3}find photos --count\rfind photos rating = 5 --count\r\u{4}")
            #expect(try terminal.end() == 0)
            #expect(terminal.transcript.contains("[?2004l301\r\n") && terminal.transcript.contains("[?2004l23\r\n"))
        }
    }

    @Test func `^C never ends the shell`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            for _ in 0..<3 {
                let hint = try terminal.enter("\u{3}")
                #expect(hint.contains("Ctrl-D or .quit to leave"), "\(hint)")
            }
            let abandoned = try terminal.enter("find photos\u{3}")
            #expect(abandoned == "", "\(abandoned)")
            #expect(terminal.transcript.contains("^C"))
            // Also from outside.
            terminal.signal(SIGINT)
            try terminal.expect("Ctrl-D or .quit to leave")
            try terminal.expectEditor()
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }

    @Test func `^C stops a command, and the shell continues`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let made = try place.shell("mkfifo pipe")
            #expect(made.code == 0)
            let holder = unsafe open(place.path + "/pipe", O_RDWR | O_CLOEXEC)
            defer { close(holder) }
            let terminal = try session(place, ["items.store", "-q", "--write"])
            // Waits for input that never arrives.
            try terminal.start("import items pipe\r")
            try terminal.type("\u{3}")
            let shown = try terminal.expect("\u{1b}[?2004h")
            #expect(shown.lowercased().contains("interrupted"), "\(shown)")
            try terminal.expect("C")
            #expect(try terminal.enter("find items --count\r") == "0\r\n")
            try end(terminal)
        }
    }

    @Test func `The line editor continues open input, and accepts a paste as a whole`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.type("find photos title = \"The\r")
            try terminal.expect("...> ")
            #expect(try terminal.enter("ring\" --count\r") == "0\r\n")
            try terminal.type("\u{1b}[200~find photos --count\nfind photos rating = 5 --count\u{1b}[201~")
            try terminal.expect("...> ")
            // Nothing has run yet.
            #expect(try terminal.enter("\r") == "301\r\n23\r\n")
            try end(terminal)
        }
    }

    @Test func `The shell history is kept for the next session, readable only by the user`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let file = place.path + "/state/lkrepl/history"
            let environment = ["LKREPL_HISTFILE": file]
            let first = try session(place, ["photos.store", "-q"], environment)
            _ = try first.enter("find photos --count\r")
            _ = try first.enter(" find photos rating = 1 --count\r")
            _ = try first.enter("find photos rating = \(String(repeating: "9", count: 300)) --count\r")
            _ = try first.enter("find photos title = \"a\rb\" --count\r")
            try end(first)
            let text = String(decoding: try place.read("state/lkrepl/history"), as: UTF8.self)
            #expect(text == "find photos --count\nfind photos title = \"a\\nb\" --count\n", "\(text)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            let second = try session(place, ["photos.store", "-q"], environment)
            #expect(try second.enter("\u{1b}<\r") == "301\r\n")
            try end(second)
            let none = try session(place, ["photos.store", "-q", "--no-history"], environment)
            _ = try none.enter("stats\r")
            try end(none)
            #expect(!String(decoding: try place.read("state/lkrepl/history"), as: UTF8.self).contains("stats"))
        }
    }

    @Test(arguments: ["xterm", "dumb"])
    func `The shell ends with 129 when the terminal is closed`(kind: String) throws {
        try Workplace.with { place in
            try place.makePhotos()
            for typed in ["", "find photos --co"] {
                let terminal = try TerminalSession(["photos.store", "-q"], in: place, environment: ["TERM": kind])
                try terminal.expect("ro> ")
                try terminal.type(typed)
                #expect(try terminal.hangUp() == 129)
            }
        }
    }

    @Test func `The shell ends with 143 or 129 on a signal, and restores the terminal`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (signal, code) in [(SIGTERM, Int32(143)), (SIGHUP, 129)] {
                let terminal = try session(place)
                terminal.signal(signal)
                #expect(try terminal.end() == code)
                #expect(terminal.transcript.hasSuffix("\u{1b}[?2004l"), "\(terminal.transcript.debugDescription)")
            }
        }
    }

    @Test func `The shell shows long results in the pager, and stops when that is closed`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let pager = ["LKREPL_PAGER": "sed -n '1,2p;3q'"]
            let terminal = try session(place, ["photos.store", "-q"], pager)
            // Shorter than the screen: no pager.
            #expect(try terminal.enter("find photos --limit 3 --ids --mode keys\r").split(separator: "\r\n").count == 3)
            #expect(try terminal.enter("find photos --ids --mode keys\r").split(separator: "\r\n").count == 2)
            #expect(try terminal.enter(".pager off\r") == "")
            #expect(try terminal.enter("find photos --ids --mode keys\r").split(separator: "\r\n").count == 301)
            #expect(try terminal.enter(".pager on\r") == "")
            #expect(try terminal.enter("find photos --limit 3 --ids --mode keys\r").split(separator: "\r\n").count == 2)
            #expect(try terminal.enter(".pager sideways\r").contains("auto|on|off"))
            try end(terminal)
        }
    }

    @Test func `The shell truncates long tables, and shows the rest on request`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            _ = try terminal.enter(".pager off\r")
            let cut = try terminal.enter("find photos --fields rating --limit 60\r")
            #expect(cut.contains("+ 20 more; .last or --all shows them"), "\(cut)")
            let whole = try terminal.enter(".last\r")
            // 60 rows, four lines around them, and the kinds of the values.
            #expect(whole.split(separator: "\r\n").count == 65, "\(whole)")
            #expect(try terminal.enter("find photos --fields rating --limit 60 --all\r") == whole)
            try end(terminal)
        }
    }

    @Test func `The shell edits a command in the user's editor`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.writeProgram(
                "#!/bin/sh\nsed -i.bak 's/rating = 5/rating = 4/' \"$1\" && rm -f \"$1.bak\"\n", to: "editor")
            let terminal = try session(
                place, ["photos.store", "-q"], ["VISUAL": place.path + "/editor", "TMPDIR": place.path])
            let first = try terminal.enter("find photos rating = 5 --count\r")
            let second = try terminal.enter(".edit\r")
            #expect(first == "23\r\n" && second.hasSuffix("\r\n"), "\(second)")
            #expect(second.contains("rating = 4"), "\(second)")
            // From within the line.
            try terminal.type("find photos rating = 5 --count\u{18}\u{5}")
            try terminal.expect("rating = 4")
            let third = try terminal.enter("\r")
            #expect(second.hasSuffix(third), "\(second) \(third)")
            try end(terminal)
            #expect(try place.names().filter { $0.hasSuffix(".lk") } == [])
        }
    }

    @Test func `The shell reads settings and a start script, and reports their errors with position`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try FileManager.default.createDirectory(
                atPath: place.path + "/cfg/lkrepl", withIntermediateDirectories: true)
            let environment = ["XDG_CONFIG_HOME": place.path + "/cfg"]
            try place.write("# mine\nmode = csv   # rows\npager = off\n", to: "cfg/lkrepl/config")
            try place.write("find photos --count\nbogus\n", to: "cfg/lkrepl/rc")
            let terminal = try TerminalSession(
                ["photos.store"], in: place, environment: ["TERM": "xterm"].merging(environment) { $1 })
            let greeting = try terminal.expectEditor()
            #expect(greeting.contains("301\r\n") && greeting.contains("rc:2: bogus"), "\(greeting)")
            #expect(try terminal.enter("find photos rating = 5 --limit 1 --ids\r") == "id\r\nscan-0011\r\n")
            try terminal.type("\u{4}")
            #expect(try terminal.end() == 0)
            // Scripts behave the same for every user.
            let script = try place.run(
                ["photos.store", "-c", "find photos rating = 5 --limit 1 --ids"], environment: environment)
            #expect(script.output == "scan-0011\n" && script.error == "", "\(script)")

            try place.write("mode = sideways\n", to: "cfg/lkrepl/config")
            let wrong = try TerminalSession(["photos.store"], in: place, environment: environment)
            #expect(try wrong.end() == 78)
            #expect(wrong.transcript.contains("cfg/lkrepl/config:1: mode cannot be sideways"), "\(wrong.transcript)")
        }
    }

    @Test func `The shell can be switched to writing, and shows one point in time until it is refreshed`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let terminal = try session(place, ["app.db", "-q"])
            #expect(try terminal.enter("put a 1\r").contains(".write on"))
            _ = try terminal.enter(".write on\r")
            #expect(try terminal.enter("put a 1\r") == "")
            #expect(try terminal.enter("count\r") == "1\r\n")
            _ = try terminal.enter(".write off\r")
            #expect(try terminal.enter("put b 1\r").contains(".write on"))
            #expect(try terminal.enter("get a\r") == "1\r\n")
            #expect(try terminal.enter(".refresh\r") == "")
            #expect(terminal.transcript.contains("app.db rw!> ") && terminal.transcript.contains("app.db ro> "))
            try end(terminal)
        }
    }

    @Test func `The shell resumes after ^Z`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.type("find photos --co\u{1a}")
            try terminal.expect("\u{1b}[?2004l")
            terminal.signal(SIGCONT)
            try terminal.expectEditor()
            #expect(try terminal.enter("unt\r") == "301\r\n")
            try end(terminal)
        }
    }

    /// The condition takes long for each document, so that no command ends by itself. An interrupted command says so,
    /// which it cannot do after its end.
    @Test func `^C stops a long search, scan or count within 100 ms, and the shell continues`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = String(repeating: "ab", count: 1_500)
            let rows = (0..<2_000).map { #"{"id":"\#($0)","t":"fog \#($0 % 7)","b":"\#(text)"}"# }
            let imported = try place.run(
                ["import", "--write", "items.store", "items", "-"], input: Array(rows.joined(separator: "\n").utf8))
            #expect(imported.code == 0, "\(imported)")
            let terminal = try session(place, ["items.store", "-q"])
            let slow = "b matches /\(String(repeating: "(a.)*(b.)*", count: 10))c$/"
            for command in [
                "find items '\(slow)'", "find items '\(slow)' --count",
                "search items fog --where '\(slow)' --limit 5000",
                "search items fog --where '\(slow)' --count", "facets items k[] --where '\(slow)'",
                "export items '\(slow)'", "explain items '\(slow)'",
            ] {
                func stop(after microseconds: Int) throws -> Duration {
                    try terminal.start(command + "\r")
                    usleep(UInt32(microseconds))
                    let start = ContinuousClock.now
                    try terminal.type("\u{3}")
                    let shown = try terminal.expectEditor()
                    let took = ContinuousClock.now - start
                    #expect(shown.contains("interrupted"), "\(command): \(shown)")
                    return took
                }
                // Somewhere in the middle; the command would take many times as long.
                let first = try (0..<3).map { try stop(after: 60_000 + 70_000 * $0) }
                if first.contains(where: { $0 < .milliseconds(100) }) { continue }
                // As often as necessary on a busy machine: a command that is inherently slow is slow each time.
                try TimeBound(.milliseconds(100), tries: 30).keep("\(command), after \(first),") {
                    (try stop(after: 60_000 + 10_000 * $0), ())
                }
            }
            #expect(try terminal.enter("find items t = 'fog 3' --count\r") == "286\r\n")
            try end(terminal)
        }
    }
}
