import ArgumentParser
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Shell without a terminal` {
    /// Runs a script from a pipe, from a file and as an argument.
    private func inAllWays(
        _ place: Workplace, _ script: String, options: [String] = [], _ check: (Outcome, _ name: String) throws -> Void
    ) throws {
        try place.write(script, to: "script.lk")
        try check(try place.run(["photos.store"] + options, input: Array(script.utf8)), "standard input")
        try check(try place.run(["photos.store", "-f", "script.lk"] + options), "script.lk")
        try check(try place.run(["photos.store", "-c", script] + options), "-c")
    }

    @Test func `The shell runs commands from a pipe, a file or arguments, without prompt or greeting`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for script in [
                "find photos --count\nfind photos rating = 5 --count\n",
                "find photos --count; find photos rating = 5 --count",
                "\n# a comment\n  find photos --count # another\n\n;;find photos rating = 5 --count\r\nquit\nbogus\n",
                ".find photos --count\nfind photos rating=5 --count\n.quit\nbogus",
                "find photos --count\nfind photos rating \\\n".replacing(" \\\n", with: " = 5 --count\nexit\nbogus"),
            ] {
                try inAllWays(place, script) { outcome, name in
                    #expect(outcome.code == 0 && outcome.error == "", "\(name): \(outcome)")
                    #expect(outcome.output == "301\n23\n", "\(name): \(outcome)")
                }
            }
            let several = try place.run(
                "photos.store", "-c", "find photos --count", "-c", "find photos rating = 5 --count")
            #expect(several.output == "301\n23\n")
            let ended = try place.run(
                "photos.store", "-c", "find photos --count", "-c", "quit", "-c", "find photos --count")
            #expect(ended.code == 0 && ended.output == "301\n", "\(ended)")
        }
    }

    @Test(
        arguments: [
            ("bogus", 64, "bogus"), ("find nope", 64, "no collection named nope"),
            ("find photos rating =", 64, "cannot be read"),
            ("find photos --bogus", 64, "--bogus"), ("doc get photos", 64, "<id>"), ("put a b", 77, "--write"),
            ("doc put photos {\"id\":1}", 77, "--write"), ("import photos missing.jsonl", 77, "--write"),
            ("load missing.lkd", 77, "--write"), ("dump -o missing/x", 73, "missing/x"),
            ("find photos | x", 64, "pipe"),
            ("init x --schema y", 64, "init"), ("find photos --limit -1", 64, "limit"), ("--help", 64, "--help"),
        ] as [(String, Int32, String)])
    func `A script stops at the first failure, with its exit code and position`(
        command: String, code: Int32, part: String
    ) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            try inAllWays(place, "find photos --count\n\n\(command)\nfind photos --count\n") { outcome, name in
                #expect(outcome.code == code, "\(name): \(outcome)")
                #expect(outcome.error.contains("\(name):3"), "\(name): \(outcome)")
                #expect(outcome.says(part), "\(name): \(outcome)")
                #expect(!outcome.error.utf8.contains { $0 < 0x20 && $0 != 0x0a }, "\(outcome)")
                // Everything before it has run, unless the text of a -c could not be parsed as a whole.
                #expect(outcome.output == "301\n" || name == "-c" && outcome.output == "", "\(name): \(outcome)")
            }
        }
    }

    @Test func `A script exits with 1 if something is not found, and says what`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for command in ["get nothing", "doc get photos nothing"] {
                try inAllWays(place, "find photos --count\n\(command)\nfind photos --count\n") { outcome, name in
                    #expect(outcome.code == 1 && outcome.output == "301\n", "\(name): \(outcome)")
                    #expect(outcome.says("there is no") && outcome.says("nothing"), "\(name): \(outcome)")
                }
            }
        }
    }

    @Test func `A script reports which quote or bracket is open at its end, and where it started`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (script, sign) in [
                ("find photos --count\nfind photos \"a\n", "\""), ("find photos --count\nfind photos 'a\n", "'"),
                ("find photos --count\ndoc put photos {\"id\":1\n", "{"),
            ] {
                try inAllWays(place, script) { outcome, name in
                    #expect(outcome.code == 64, "\(name): \(outcome)")
                    #expect(outcome.error.contains("this \(sign) is never closed"), "\(name): \(outcome)")
                    #expect(outcome.error.contains("\(name):2:"), "\(name): \(outcome)")
                }
            }
        }
    }

    @Test func `A script writes only with --write, including multi-line JSON and odd bytes`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try inAllWays(
                place, "doc put photos {\"id\": \"new\",\n \"x\": [1,\n 2]}\ndoc get photos new\ndoc del photos new\n",
                options: ["--write"]
            ) { outcome, name in
                #expect(outcome.code == 0 && outcome.output == "{\"id\":\"new\",\"x\":[1,2]}\n", "\(name): \(outcome)")
            }
            try place.makeDatabase()
            let script = """
                put "a\\x00" 0xff00
                put '0x41' 'it''s'
                put {"a":1} [1,2]
                put b64:/w== ""
                scan
                del {"a":1} '0x41'
                count
                """
            let outcome = try place.run(["--write", "app.db"], input: Array(script.utf8))
            #expect(outcome.code == 0, "\(outcome)")
            #expect(
                outcome.output == """
                    {"k":"0x41","v":"it's"}
                    {"k":"a\\u0000","v64":"/wA="}
                    {"k":"{\\"a\\":1}","v":"[1,2]"}
                    {"k64":"/w==","v":""}
                    2

                    """)
        }
    }

    /// What a user types on a command line must not mean something else here.
    @Test func `The shell accepts quotes around names, fields and conditions`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            for (command, expected) in [
                ("find \"photos\" --count", "301\n"), ("find photos 'rating = 5' --count", "23\n"),
                ("find photos \"rating = 5\" --count", "23\n"),
                ("find photos id = \"scan-0001\" --ids", "scan-0001\n"),
                ("find photos 'title = \"The ring\"' --ids", "2006-06-17-0037\n"),
                ("find photos title = \"The ring\" --ids", "2006-06-17-0037\n"),
                ("find photos taken exists --sort '-taken' --limit 1 --ids", "2025-08-09-0020\n"),
                ("find photos id = scan-0001 --fields 'id,rating'", "{\"id\":\"scan-0001\",\"rating\":4}\n"),
                ("search photos snow --where 'rating >= 3' --count", "6\n"),
                ("search 'photos' \"old bridge\" --count", "10\n"), ("doc get 'photos' 'nothing' ; quit", ""),
                ("find photos gps.lon < -73 --count", "6\n"),
            ] {
                let outcome = try place.run("photos.store", "-c", command)
                #expect(outcome.output == expected, "\(command): \(outcome)")
            }
        }
    }

    /// Commands come from standard input, so data cannot.
    @Test func `The shell does not treat its own commands as data`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let before = try place.dump("items.store")
            for command in ["import items -", "doc put items -", "load -"] {
                let outcome = try place.run(
                    ["--write", "items.store"], input: Array("\(command)\n{\"id\":1}\nquit\n".utf8))
                #expect(outcome.code == 64 && outcome.error.contains("standard input"), "\(command): \(outcome)")
                #expect(try place.dump("items.store") == before)
            }
            let separate = try place.run(
                ["--write", "items.store", "-c", "import items -"], input: Array("{\"id\":1}\n".utf8))
            #expect(separate.code == 0, "\(separate)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "1\n")
        }
    }

    @Test func `The shell supports every command of the program except init`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let help = try place.run("photos.store", "-c", "help")
            #expect(help.code == 0 && help.error == "", "\(help)")
            for command in RootCommand.configuration.subcommands
            where !["init", "generate"].contains(command._commandName) {
                let name = command._commandName
                #expect(help.output.contains("\n  " + name + " "), "\(name)")
                let one = try place.run("photos.store", "-c", "help \(name)")
                #expect(
                    one.code == 0 && one.output.contains("lkrepl \(name)")
                        || !(CommandCatalog.command([name])?.subcommands.isEmpty ?? true), "\(one)")
            }
        }
    }
}
