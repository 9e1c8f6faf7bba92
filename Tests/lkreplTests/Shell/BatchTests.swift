import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Batch mode` {
    @Test func `A batch runs files and commands in argument order`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("find photos rating = 5 --count\n", to: "a.lk")
            try place.write("find photos --count\n", to: "b.lk")
            let outcome = try place.run(
                "photos.store", "-f", "a.lk", "-c", "find photos rating = 1 --count", "-f", "b.lk", "-f", "a.lk")
            let one = try place.run("find", "photos.store", "photos", "rating = 1", "--count").output
            #expect(outcome.code == 0 && outcome.output == "23\n\(one)301\n23\n", "\(outcome)")
            let fromInput = try place.run(
                ["photos.store", "-f", "a.lk", "-f", "-"], input: Array("find photos --count\n".utf8))
            #expect(fromInput.output == "23\n301\n", "\(fromInput)")
        }
    }

    @Test func `With --keep-going, a batch runs the rest and exits with the code of the first failure`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("bogus\nfind photos --count\nget nothing\nfind 'open\n", to: "a.lk")
            let outcome = try place.run(
                "photos.store", "--keep-going", "-f", "a.lk", "-c", "find nope", "-c", "find photos --count")
            #expect(outcome.code == 64 && outcome.output == "301\n301\n", "\(outcome)")
            for place in ["a.lk:1: bogus", "a.lk:4:6", "-c:1: find"] { #expect(outcome.says(place), "\(outcome)") }
            let missing = try place.run("photos.store", "--keep-going", "-c", "get nothing", "-c", "bogus")
            #expect(missing.code == 1, "\(missing)")
        }
    }

    @Test func `A batch reads further files, but rejects a file that includes itself`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write(".read b.lk\nfind photos --count\n", to: "a.lk")
            try place.write("find photos rating = 5 --count\n", to: "b.lk")
            #expect(try place.run("photos.store", "-f", "a.lk").output == "23\n301\n")
            try place.write(".read a.lk\n", to: "b.lk")
            let endless = try place.run("photos.store", "-f", "a.lk")
            #expect(
                endless.code == 64 && endless.says("a.lk:1: .read: b.lk:1: .read: a.lk includes itself"), "\(endless)")
            try place.write("bogus\n", to: "b.lk")
            let wrong = try place.run("photos.store", "-f", "a.lk")
            #expect(wrong.code == 64 && wrong.says("a.lk:1: .read: b.lk:1: bogus"), "\(wrong)")
        }
    }

    @Test func `A batch sends output to files and programs`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let script = """
                .once one.csv
                find photos rating = 5 --limit 1 --ids --mode csv
                find photos --count
                .output all.txt
                find photos --count
                .show
                .output
                find photos --count
                .once '| tr 0-9 a-j > letters'
                find photos --count
                .mode
                """
            let outcome = try place.run(["photos.store"], input: Array(script.utf8))
            #expect(outcome.code == 0 && outcome.output == "301\n301\nautomatic\n", "\(outcome)")
            #expect(String(decoding: try place.read("one.csv"), as: UTF8.self) == "id\nscan-0011\n")
            #expect(String(decoding: try place.read("letters"), as: UTF8.self) == "dab\n")
            let all = String(decoding: try place.read("all.txt"), as: UTF8.self)
            #expect(all.hasPrefix("301\n") && all.contains("output        all.txt"), "\(all)")
            for (command, code) in [
                (".once missing/x", Int32(73)), (".once '| exit 3'\nfind photos --count", 74),
                (".once '| no-such-program'\nfind photos --count", 69), (".mode bogus", 64), (".timer bogus", 64),
                (".read missing", 66), (".open missing", 66), (".quit now", 64), (".bogus", 64), (".last", 1),
            ] {
                let outcome = try place.run(["photos.store"], input: Array(command.utf8))
                // The write may also notice that a program has exited.
                #expect(outcome.code == code || outcome.code == 141 && command.contains("|"), "\(command): \(outcome)")
            }
        }
    }

    @Test func `A batch sets modes and opens other databases`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            let script = """
                .mode csv
                find photos rating = 5 --limit 1 --ids
                find photos rating = 5 --limit 1 --ids --mode keys
                .open app.db
                .mode automatic
                .write on
                put a 1
                scan
                .write off
                .open photos.store
                mode
                """
            let outcome = try place.run(["photos.store"], input: Array(script.utf8))
            #expect(
                outcome.output == "id\nscan-0011\nscan-0011\n{\"k\":\"a\",\"v\":\"1\"}\nautomatic\n",
                "\(outcome)")
        }
    }

    @Test func `Failures are reported as JSON on request`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, code, part) in [
                (["find", "photos.store", "nope"], 64, "\"kind\":\"usage\",\"message\":\"no collection named nope"),
                (
                    ["find", "photos.store", "photos", "--bogus"], 64,
                    "\"where\":[\"find\"],\"message\":\"Unknown option"
                ),
                (["get", "photos.store", "nothing"], 1, "\"code\":1"),
                (["photos.store", "-c", "put a b"], 77, "\"where\":[\"-c:1: put\"]"),
                (["photos.store", "-c", "put a b"], 77, "\"hint\":\"add --write, or type .write on\""),
            ] as [([String], Int32, String)] {
                let outcome = try place.run(["--error-format", "json"] + arguments)
                #expect(outcome.code == code && outcome.says(part), "\(outcome)")
                #expect(outcome.error.split(separator: "\n").count == 1 && outcome.error.hasPrefix("{\"error\":{"))
            }
            let wrong = try place.run("--error-format", "xml", "stats", "photos.store")
            #expect(wrong.code == 64 && wrong.says("text or json"), "\(wrong)")
        }
    }

    @Test func `A stopped batch leaves no trace`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("{\"id\":1}\n", to: "one.jsonl")
            let made = try place.shell("mkfifo pipe")
            #expect(made.code == 0)
            for (signal, code) in [(SIGINT, Int32(130)), (SIGTERM, 143), (SIGHUP, 129)] {
                // Opened in both directions, so that it neither blocks nor ends.
                let holder = unsafe open(place.path + "/pipe", O_RDWR | O_CLOEXEC)
                defer { close(holder) }
                try TimeBound(.seconds(30)).keep("the end of a stopped import") { _ in
                    let child = try place.start("import", "--write", "items.store", "items", "pipe", name: "stopped")
                    // The batch holds the lock once it reads.
                    _ = TimeBound(.seconds(ChildProcess.hangLimit)).wait { place.isLocked("items.store") }
                    child.signal(signal)
                    let stop = ContinuousClock.now
                    #expect(try child.wait() == code)
                    return (ContinuousClock.now - stop, ())
                }
                let text = String(decoding: try place.read("stopped-err"), as: UTF8.self)
                #expect(text.contains("interrupted") && !text.contains("system call"), "\(text)")
                #expect(
                    try place.names() == [
                        "items-schema.json", "items.store", "one.jsonl", "pipe", "stopped-err", "stopped-out",
                    ])
            }
        }
    }

    @Test func `A batch reads what its own commands have written`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            let pairs = try place.run(
                "app.db", "-c", "count", "-c", "put --write n 1", "-c", "get n", "-c", "count", "-c", "del --write n",
                "-c", "count")
            #expect(pairs.code == 0 && pairs.output == "0\n1\n1\n0\n", "\(pairs)")
            let documents = try place.run(
                "photos.store", "-c", "find photos --count", "-c", #"doc put --write photos '{"id":"n"}'"#, "-c",
                "find photos --count", "-c", "doc get photos n --mode jsonl")
            #expect(documents.code == 0 && documents.output == "301\n302\n{\"id\":\"n\"}\n", "\(documents)")
        }
    }

    @Test func `A batch continues after a program has read enough of its output`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for meta in [".once", ".output"] {
                let outcome = try place.run(
                    "photos.store", "-c", "\(meta) '| head -c 20 > head.txt'", "-c", "find photos", "-c", ".output",
                    "-c",
                    "find photos --count")
                #expect(outcome.code == 0 && outcome.output == "301\n", "\(outcome)")
                #expect(try place.read("head.txt").count == 20)
            }
        }
    }

    @Test func `A batch reports unreadable input`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for stream in [ChildProcess.Stream.closed, .file("/")] {
                for arguments in [["app.db"], ["put", "--write", "app.db", "k", "-"], ["mget", "app.db", "-"]] {
                    let outcome = try place.run(arguments.map { Array($0.utf8) }, inputStream: stream)
                    #expect(outcome.code == 74 && outcome.output == "", "\(stream) \(arguments): \(outcome)")
                    #expect(outcome.says("lkrepl: ") && outcome.says("standard input"), "\(outcome)")
                    #expect(!outcome.says("Failure"), "\(outcome)")
                }
            }
            #expect(try place.shell("dd if=/dev/zero of=long bs=1 count=0 seek=70000000 2>&1").code == 0)
            let long = try place.run("app.db", "-f", "long")
            #expect(long.code == 65 && long.says("lkrepl: long:1: the line that begins at byte 0 is longer"), "\(long)")
            try place.makeItems()
            let cut = try place.run(
                "import", "--write", "items.store", "items", "-", "--format", "csv", input: "id,t\n1,\"x\n")
            #expect(cut.code == 65 && cut.says("within quotes") && !cut.says("--allow-incomplete"), "\(cut)")
        }
    }

    @Test func `A batch starts no editor without a terminal`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let outcome = try place.run("photos.store", "-c", ".edit")
            #expect(outcome.code == 64 && outcome.error.contains("terminal"), "\(outcome)")
        }
    }
}
